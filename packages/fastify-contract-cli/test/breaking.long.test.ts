import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonWithBigInts, stringifyJson } from 'fastify-contract/json'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkBreaking } from '../src/breaking/breaking.ts'
import { type Change, compareContracts, impacts } from '../src/breaking/compare-contracts.ts'
import { readOpenApi } from '../src/model/read-contract.ts'
import { folderWith, json } from './contracts.ts'
import { gainPairs } from './gained-values.ts'
import { schemaPairs } from './schema-pairs.ts'

const text = { type: 'string' }
const int64 = { type: 'integer', format: 'int64' }
const to = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` })
const query = (name: string, schema: object) => ({ name, in: 'query', schema })

/** A contract with what the edits below change. */
const contract = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0', description: 'Things.' },
  servers: [{ url: '/' }],
  security: [{ bearer: [] }],
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        parameters: [
          { ...query('limit', { type: 'integer', format: 'int32', minimum: 0, maximum: 100 }), required: false },
          query('order', { ...text, enum: ['id', 'name'], default: 'id' }),
          query('page', { type: 'integer', format: 'int32' }),
        ],
        responses: { 200: { description: 'Things.', content: json({ type: 'array', items: to('schemas', 'Thing') }) } },
      },
      post: {
        operationId: 'createThing',
        security: [{ bearer: ['read', 'write'] }],
        requestBody: { required: true, content: json(to('schemas', 'NewThing')) },
        responses: {
          200: { description: 'The thing.', content: json(to('schemas', 'Thing')) },
          409: { description: 'Taken.' },
          default: to('responses', 'Failed'),
        },
      },
    },
    '/found': {
      query: {
        operationId: 'findThings',
        requestBody: { required: true, content: json({ type: 'object', properties: { name: text, size: text } }) },
        responses: {
          200: { description: 'Found.', content: { 'application/jsonl': { itemSchema: { ...text, maxLength: 5 } } } },
          204: { description: 'Found nothing.' },
        },
      },
      get: {
        operationId: 'wholeThings',
        parameters: [
          { name: 'filter', in: 'querystring', content: json({ type: 'object', properties: { name: text } }) },
        ],
        responses: { 204: { description: 'Found.' } },
      },
      additionalOperations: {
        COPY: {
          operationId: 'copyThings',
          requestBody: { content: { 'application/json': { $ref: '#/components/mediaTypes/Short' } } },
          responses: { 204: { description: 'Copied.' } },
        },
      },
    },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { ...int64, maximum: 9223372036854775807n } }],
      delete: { operationId: 'deleteThing', responses: { 204: { description: 'Gone.' } } },
    },
  },
  'x-unmatched-responses': { 404: to('responses', 'Failed'), 405: { description: 'No.', content: json(text) } },
  components: {
    mediaTypes: { Short: { schema: { ...text, maxLength: 9 } } },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, key: { type: 'apiKey', in: 'header', name: 'k' } },
    headers: { Retry: { required: true, schema: { type: 'integer' } } },
    responses: {
      Failed: { description: 'No.', headers: { Retry: to('headers', 'Retry') }, content: json(to('schemas', 'Error')) },
    },
    schemas: {
      Error: {
        type: 'object',
        required: ['error', 'message'],
        properties: { error: { type: 'integer', enum: [1, 2] }, message: text, detail: { ...text, default: 'none' } },
      },
      Thing: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { ...text, maxLength: 10, pattern: '^a*$' },
          tag: text,
          count: { ...int64, format: 'int32' },
        },
      },
      NewThing: {
        allOf: [to('schemas', 'Thing')],
        type: 'object',
        required: ['id'],
        properties: {
          id: int64,
          note: { ...text, pattern: '^a*$' },
          colour: { ...text, readOnly: true },
          kind: { ...text, default: 'tree' },
          weight: { type: 'number', format: 'double' },
          example: { ...int64, minimum: 9007199254740993n },
        },
      },
    },
  },
}

/** Replaces the member at a path such as `paths /things get`, or removes it where there is no value. */
type Edit = [path: string, value?: unknown]

function edited(edits: readonly Edit[]): string {
  const copy = parseJsonWithBigInts(stringifyJson(contract)) as Record<string, unknown>
  for (const [path, ...value] of edits) {
    const names = path.split(' ')
    const last = names.pop()!
    // The path leads through objects.
    const holder = names.reduce((object, name) => object[name] as Record<string, unknown>, copy)
    if (!(last in holder) && value.length === 0) throw new Error(`${path} leads to nothing`)
    if (value.length === 0) Reflect.deleteProperty(holder, last)
    else holder[last] = value[0]
  }
  return stringifyJson(copy, 1)
}

const read = (source: string, name: string) => readOpenApi(Buffer.from(source), name, name)
const list = 'paths /things get'
const create = 'paths /things post'
const limit = `${list} parameters 0`
const newThing = 'components schemas NewThing properties'

/** Edits that do not touch each other, so that one comparison classifies them all. */
const groups: [impact: Change['impact'], edits: [Edit, RegExp][]][] = [
  [
    'breaking',
    [
      [[`${limit} required`, true], /`limit` query parameter became required/],
      [[`${limit} schema maximum`, 50], /Upper bound changed from '<= 100' to '<= 50'/],
      [[`${list} parameters 1 schema default`, 'name'], /default changed from "id" to "name"; unknown changes count/],
      [[`${list} operationId`, 'findThings'], /`operationId` of operation `GET \/things` changed/],
      [[`${list} parameters 2 schema maxLength`, 1], /parameters > 2 > schema: `maxLength` was set/],
      [[`${list} security`, []], /credentials are no longer required/],
      [[`${create} responses 409`], /Response `409` was removed/],
      [['paths /things/{id} delete requestBody', { required: true, content: json(text) }], /a required body was added/],
      [
        ['paths /things/{id} parameters 0 schema maximum', 9223372036854775806n],
        /maximum: changed from 9223372036854775807 to 9223372036854775806/,
      ],
      [['x-unmatched-responses 405'], /x-unmatched-responses > 405: Response `405` was removed/],
      [
        ['paths /found query responses 200 content application/jsonl itemSchema maxLength', 6],
        /application\/jsonl > schema > items: `maxLength` changed from '5' to '6'/,
      ],
      [['components headers Retry required'], /Retry: the header is no longer required/],
      [['components schemas Error required', ['error']], /Error.*no longer required: `message`/],
      [['components schemas Error properties error enum', [1, 2, 3]], /Enum of `error` gained values: '3'/],
      [[`${newThing} id readOnly`, true], /id.*: readOnly changed from none to true; unknown changes count/],
      [
        [`${newThing} example minimum`, 9007199254740992n],
        /minimum: changed from 9007199254740993 to 9007199254740992/,
      ],
      [[`${newThing} note`], /note: the service no longer reads properties that clients send/],
      [['components securitySchemes key name', 'l'], /`name` of security scheme `key` changed/],
    ],
  ],
  [
    'breaking',
    [
      [[`${limit} name`, 'max'], /`limit` query parameter was renamed to `max`/],
      [
        [`${create} requestBody content`, { 'text/plain': { schema: text } }],
        /Media type `application\/json` was remov/,
      ],
      [['components schemas Error properties detail writeOnly', true], /detail.*: writeOnly changed/],
      [[`${newThing} weight`, false], /weight.*no longer reads/],
    ],
  ],
  [
    'breaking',
    [
      [
        ['paths /found query requestBody content application/json schema required', ['name']],
        /^paths > \/found > query > requestBody.*required/,
      ],
      [
        ['paths /found get parameters 0 content application/json schema required', ['name']],
        /^paths > \/found > get > parameters > 0.*required/,
      ],
      [
        ['components mediaTypes Short schema maxLength', 8],
        /^paths > \/found > additionalOperations > COPY > requestBody/,
      ],
    ],
  ],
  [
    'breaking',
    [
      [
        ['paths /found query responses 200 content application/jsonl itemSchema'],
        /^paths > \/found > query > responses > 200 .* schema: Type widened/,
      ],
    ],
  ],
  [
    'compatible',
    [
      [
        ['paths /found query requestBody content application/json schema'],
        /^paths > \/found > query > requestBody .* schema: type changed from "object" to none/,
      ],
    ],
  ],
  ['breaking', [[['paths /found query'], /^paths > \/found > query: /]]],
  [
    'compatible',
    [
      [
        ['paths /found additionalOperations MOVE', { operationId: 'moveThings', responses: {} }],
        /^paths > \/found > additionalOperations > MOVE: added$/,
      ],
    ],
  ],
  ['breaking', [[['paths /things/{id}'], /Path `\/things\/\{id\}` was removed/]]],
  [
    'compatible',
    [
      [[`${list} parameters 3`, query('tag', text)], /parameters > 3: added/],
      [[`${limit} schema minimum`], /parameters > 0 > schema: minimum changed from 0 to none/],
      [[`${list} parameters 1 schema enum`, ['id', 'name', 'tag']], /parameters > 1.*: enum/],
      [[`${create} requestBody required`, false], /requestBody: required changed from true to false/],
      [['paths /more', { get: { operationId: 'more', responses: { 204: { description: 'a' } } } }], /\/more: added/],
      [['components schemas Error required', ['error', 'message', 'detail']], /Error.*: required/],
      [[`${newThing} size`, text], /size: added/],
    ],
  ],
  [
    'editorial',
    [
      [['info title', 'Other things'], /info: title changed from "Things" to "Other things"/],
      [[`${list} summary`, 'Lists things.'], /get: summary/],
      [[`${limit} example`, 5], /parameters > 0: example/],
    ],
  ],
]

describe.for(groups)('changes that are %s', ([impact, cases]) => {
  let changes: Change[] = []
  beforeAll(async () => {
    const [before, after] = [edited([]), edited(cases.map(([edit]) => edit))]
    changes = await compareContracts(await read(before, 'before.yaml'), await read(after, 'openapi.yaml'))
  })

  test.for(cases.map(([[path], pattern]) => [path, pattern] as const))('%s', ([, pattern]) => {
    const found = changes.filter((change) => pattern.test(change.text))
    const all = changes.map((change) => `${change.impact} ${change.text}`).join('\n')
    expect(new Set(found.map((change) => change.impact)), all).toEqual(new Set([impact]))
  })

  test('have places', () => {
    for (const { place, text: words } of changes) expect(place, words).toMatch(/^(?:openapi|before)\.yaml:\d+:\d+$/)
  })
})

describe('schemas are judged by the values that they accept', () => {
  /** A contract with bodies of named schemas. */
  const contractWith = (schemas: readonly object[], paths: (at: string) => object) =>
    read(
      stringifyJson({
        openapi: '3.1.0',
        info: { title: 'Pairs', version: '1.0.0' },
        security: [],
        paths: Object.fromEntries(schemas.flatMap((_schema, index) => Object.entries(paths(`s${String(index)}`)))),
        components: { schemas: Object.fromEntries(schemas.map((schema, index) => [`s${String(index)}`, schema])) },
      }),
      'openapi.yaml',
    )
  const request = (at: string) => ({
    [`/${at}`]: {
      post: {
        operationId: `send_${at}`,
        requestBody: { required: true, content: json(to('schemas', at)) },
        responses: { 204: { description: 'Taken.' } },
      },
    },
  })
  const response = (at: string) => ({
    [`/${at}`]: {
      get: { operationId: `get_${at}`, responses: { 200: { description: 'Sent.', content: json(to('schemas', at)) } } },
    },
  })

  describe.for([
    ['requests', request, 3],
    ['responses', response, 4],
  ] as const)('of %s', ([_what, paths, column]) => {
    let changes: Change[] = []
    beforeAll(async () => {
      const [before, after] = await Promise.all(
        ([1, 2] as const).map((side) =>
          contractWith(
            schemaPairs.map((pair) => pair[side]),
            paths,
          ),
        ),
      )
      changes = await compareContracts(before!, after!)
    })

    test.for(schemaPairs.map((pair, index) => [pair[0], pair[column], index] as const))(
      '%s: %s',
      ([, impact, index]) => {
        const found = changes.filter(({ text: words }) =>
          new RegExp(`^components > schemas > s${String(index)}(?: >|:)`).test(words),
        )
        const worst = impacts.find((each) => found.some((change) => change.impact === each))
        expect(worst, found.map((change) => `${change.impact} ${change.text}`).join('\n')).toBe(impact)
      },
    )
  })

  test('wherever they are used', async () => {
    const [one, two] = [{ type: ['string', 'null'] }, { anyOf: [text, { type: 'null' }, { type: 'integer' }] }]
    const both = (at: string) => ({ ...request(at), [`/${at}/it`]: Object.values(response(at))[0] })
    const impactsOf = async (paths: (at: string) => object) =>
      (await compareContracts(await contractWith([one], paths), await contractWith([two], paths))).map(
        ({ impact }) => impact,
      )
    expect(await impactsOf(request)).not.toContain('breaking')
    expect(await impactsOf(both)).toContain('breaking')
  })
})

describe('values that an enum gains', () => {
  const contractOf = (side: 1 | 2) => {
    const halves = gainPairs.map((pair, index) => pair[side](`s${String(index)}`))
    const together = (maps: object[]) => Object.assign({}, ...maps) as object
    const schemas = Object.fromEntries(halves.map(({ schema }, index) => [`s${String(index)}`, schema]))
    return read(
      stringifyJson({
        openapi: '3.1.0',
        info: { title: 'Gains', version: '1.0.0' },
        security: [],
        paths: together(halves.map(({ paths }) => paths)),
        webhooks: together(halves.map(({ webhooks = {} }) => webhooks)),
        'x-unmatched-responses': together(halves.map(({ unmatched = {} }) => unmatched)),
        components: { schemas },
      }),
      'openapi.yaml',
    )
  }
  let [gained, lost]: [Change[], Change[]] = [[], []]
  beforeAll(async () => {
    const [earlier, later] = await Promise.all([contractOf(1), contractOf(2)])
    gained = await compareContracts(earlier, later)
    lost = await compareContracts(later, earlier)
  })

  test.for(gainPairs.map(([what, , , ...means], index) => [what, index, ...means] as const))(
    '%s',
    ([, index, whenGained, why, whenLost]) => {
      const of = (changes: Change[]) =>
        changes.filter(({ impact, text: words }) => {
          return impact !== 'editorial' && words.startsWith(`components > schemas > s${String(index)} >`)
        })
      expect(of(gained).map(({ impact }) => impact)).toEqual([whenGained])
      expect(of(gained)[0]?.text).toMatch(why)
      expect(new Set(of(lost).map(({ impact }) => impact))).toEqual(new Set([whenLost]))
    },
  )
})

test('moved security and extensions are not changes', async () => {
  const repeated = edited([
    [`${list} security`, [{ bearer: [] }]],
    ['x-note', { any: 'thing' }],
  ])
  const [before, after] = [await read(edited([]), 'before.yaml'), await read(repeated, 'openapi.yaml')]
  expect(await compareContracts(before, after)).toEqual([])
})

test('mappings of a discriminator may lead nowhere', async () => {
  const mapping = { a: '#/components/schemas/Thing', b: 'Thing', c: 'Nothing', d: './nothing.json', e: '%zz' }
  const discriminator = { propertyName: 'name', mapping }
  const before = await read(edited([['components schemas Thing discriminator', discriminator]]), 'before.yaml')
  const after = await read(
    edited([
      ['components schemas Thing discriminator', discriminator],
      ['info title', 'Other things'],
    ]),
    'openapi.yaml',
  )
  expect((await compareContracts(before, after)).map(({ impact }) => impact)).toEqual(['editorial'])
})

test('quotes of a change are printable', async () => {
  const named = (name: string) => edited([[`${limit} name`, name]])
  const [before, after] = [await read(named('a'), 'a.yaml'), await read(named('b\n\u001b[2J\u202e\n- all'), 'b.yaml')]
  const changes = await compareContracts(before, after)
  expect(changes.length).toBeGreaterThan(0)
  for (const { text: quoted } of changes) expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

describe('the base of the comparison', () => {
  const broken = edited([[`${limit} required`, true]])
  const base = edited([])
  const check = (root: string, wanted?: string) =>
    checkBreaking({ root, contract: 'openapi.yaml', folder: 'docs/releases' }, wanted)
  const released = (version: string) => `docs/releases/openapi-${version}.yaml`

  test('is the newest release, another release or a file', async () => {
    const root = await folderWith({
      'openapi.yaml': broken,
      [released('1.9.0')]: base,
      [released('1.10.0')]: broken,
      ...Object.fromEntries(
        ['1.9.9.yml', '2.0.0-rc.1.yaml', 'x.yaml'].map((name) => [`docs/releases/openapi-${name}`, '']),
      ),
      'docs/releases/other-3.0.0.yaml': '',
    })
    expect(await check(root)).toEqual({ ok: true, lines: ['openapi.yaml: no changes since 1.10.0'] })
    for (const [wanted, label] of [
      ['1.9.0', '1.9.0'],
      ['v1.9.0', '1.9.0'],
      [released('1.9.0'), released('1.9.0')],
    ] as const) {
      const { ok, lines } = await check(root, wanted)
      expect(ok).toBe(false)
      expect(lines).toEqual([
        expect.stringMatching(
          /^breaking {4}paths > \/things > get > parameters > 0: .* became required \(openapi\.yaml:\d/,
        ),
        `compared with ${label}: 1 breaking, 0 compatible, 0 editorial; undo the breaking changes, or set ` +
          'info.version to 2.0.0 in openapi.yaml (now 1.0.0)',
      ])
    }
  })

  test('lists editorial changes only with --all', async () => {
    const root = await folderWith({
      'openapi.yaml': edited([['info title', 'Other things']]),
      [released('1.0.0')]: base,
    })
    const releases = { root, contract: 'openapi.yaml', folder: 'docs/releases' }
    const counted = 'compared with 1.0.0: 0 breaking, 0 compatible, 1 editorial'
    expect((await checkBreaking(releases, undefined)).lines).toEqual([`${counted} (--all lists them)`])
    const all = (await checkBreaking(releases, undefined, true)).lines
    expect(all).toEqual([expect.stringMatching(/^editorial {3}info: title changed/), counted])
  })

  const added = ['paths /things/{id} get', { operationId: 'getThing', responses: { 204: { description: 'Found.' } } }]
  const required = [`${limit} required`, true]
  const major = '; undo the breaking changes, or set info.version to 2.0.0 in openapi.yaml'

  test.each<[string, unknown[], version: string, ok: boolean, remedy: string]>([
    ['a compatible change', added, '1.0.9', true, '; set info.version to 1.1.0 in openapi.yaml (now 1.0.9)'],
    ['a compatible change', added, '1.1.0', true, ''],
    ['a compatible change', added, '2.0.0', true, ''],
    ['a compatible change', added, 'two', true, ''],
    ['a breaking change', required, '1.1.0', false, `${major} (now 1.1.0)`],
    ['a breaking change', required, '2.0.0', true, '; 2.0.0 is a new major version (was 1.0.0)'],
    ['a breaking change', required, 'two', false, `${major} (now two)`],
  ])('%s: %j, in the version %s', async (_what, edit, version, isOk, remedy) => {
    const changed = edited([edit as Edit, ['info version', version]])
    const { ok, lines } = await check(await folderWith({ [released('1.0.0')]: base, 'openapi.yaml': changed }))
    const counted = edit === added ? '0 breaking, 1 compatible' : '1 breaking, 0 compatible'
    expect([ok, lines.at(-1)]).toEqual([isOk, `compared with 1.0.0: ${counted}, 0 editorial${remedy}`])
  })

  test('moves an operation by servers of its own', async () => {
    const root = await folderWith({ 'before.yaml': base, 'openapi.yaml': base })
    const moved = edited([[`${list} servers`, [{ url: '/moved' }]]])
    for (const [before, after, change] of [
      [base, moved, /^breaking {4}paths > \/things > get > servers > 0: Server `\/` became `\/moved`/],
      [moved, base, /^breaking {4}paths > \/things > get > servers > 0: Server `\/moved` became `\/`/],
    ] as const) {
      await writeFile(join(root, 'before.yaml'), before)
      await writeFile(join(root, 'openapi.yaml'), after)
      const { ok, lines } = await check(root, 'before.yaml')
      expect([ok, lines[0]]).toEqual([false, expect.stringMatching(change)])
    }
  })

  test('must exist; otherwise the check fails with a remedy', async () => {
    const root = await folderWith({ 'openapi.yaml': base.replace('1.0.0', '1.2.0') })
    const refusal = {
      ok: false,
      lines: [
        'docs/releases/ has no released contract; for the first release, run: mkdir -p docs/releases && cp openapi.yaml ' +
          'docs/releases/openapi-1.2.0.yaml; otherwise restore it: git checkout -- docs/releases',
      ],
    }
    expect(await check(root)).toEqual(refusal)
    await mkdir(join(root, 'docs/releases'), { recursive: true })
    expect(await check(root)).toEqual(refusal)
    await writeFile(join(root, released('1.0.0')), base)
    const lines = async (wanted?: string) => (await check(root, wanted)).lines
    expect(await lines('0.9.0')).toEqual([`${released('0.9.0')} does not exist; docs/releases/ has 1.0.0`])
    expect(await lines('nowhere.yaml')).toEqual(['nowhere.yaml: cannot be read (ENOENT)'])
    await writeFile(join(root, released('1.0.0')), 'openapi: [')
    expect(await lines()).toEqual([expect.stringMatching(/^docs\/releases\/openapi-1\.0\.0\.yaml:1:/)])
  })
})
