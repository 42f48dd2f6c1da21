import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Impact } from '../../packages/fastify-contract/src/gate/breaking/classify-change.ts'
import { checkBreaking } from '../../packages/fastify-contract/src/gate/breaking/compare-with-release.ts'
import { type Change, compareContracts } from '../../packages/fastify-contract/src/gate/breaking/compare-contracts.ts'
import type { OpenApiText } from '../../packages/fastify-contract/src/gate/check/read-contract.ts'
import { readBaseContract } from '../../packages/fastify-contract/src/gate/breaking/released-contracts.ts'
import {
  type Edit,
  contractText as contract,
  copyProject,
  copyReleasedProject,
  cut,
  keepRelease,
  replace,
} from './project-copy.ts'

type Case = [title: string, edit: Edit, impact: Impact, change: RegExp]

/** Edits that do not touch each other, so that one comparison classifies them all. */
const groups: Record<string, Case[]> = {
  'what is removed': [
    ['an operation', cut('    post:\n', '  /plants/{id}:'), 'breaking', /Operation `POST \/plants` was removed/],
    ['a path', cut('  /plants/{id}:\n', 'x-unmatched-responses'), 'breaking', /Path `\/plants\/\{id\}` was removed/],
    [
      'all parameters of an operation',
      cut('      parameters:\n        - name: limit', '      responses:'),
      'breaking',
      /GET \/plants, parameters: All parameters were removed/,
    ],
    [
      'a response property',
      cut('        tag:\n          description: |\n            The type of the plant', '    NewPlant:'),
      'breaking',
      /Property `tag` of `Plant` was removed/,
    ],
    [
      'a response header',
      cut('        Retry-After:\n          $ref', '      content:'),
      'breaking',
      /Response header `Retry-After` was removed/,
    ],
    [
      'an answer to requests that match no operation',
      cut("  '405':\n", "  '408':"),
      'breaking',
      /405: the answer to requests that match no operation was removed/,
    ],
    [
      'a value of a response enum',
      cut('            - 50300\n', '          x-enum-varnames'),
      'compatible',
      /property error: enum/,
    ],
  ],
  'what is narrowed in requests and widened in responses': [
    [
      'a parameter that becomes required',
      replace('          required: false', '          required: true'),
      'breaking',
      /`limit` query parameter became required/,
    ],
    [
      'an upper bound of a parameter',
      replace('            maximum: 2147483647', '            maximum: 1000'),
      'breaking',
      /Upper bound changed from '<= 2147483647' to '<= 1000'/,
    ],
    [
      'a lower bound of a parameter',
      replace('            minimum: 0\n', '            minimum: 1\n'),
      'breaking',
      /Lower bound changed from '>= 0' to '>= 1'/,
    ],
    [
      'a new required property of a request',
      replace(
        '          required: [id]\n          properties:\n',
        '          required: [id, colour]\n          properties:\n            colour:\n              type: string\n',
      ),
      'breaking',
      /Properties became required: `colour`/,
    ],
    [
      'a pattern of a property',
      replace("          pattern: '^[^\\x00]*$'", "          pattern: '^[a-z]*$'"),
      'breaking',
      /`pattern` of `name` changed/,
    ],
    [
      'the type of a response property',
      replace(
        'Texts may change; `error` does not.\n          type: string',
        "Texts may change; `error` does not.\n          type: [string, 'null']",
      ),
      'breaking',
      /Type of `message` widened from 'string' to 'string \| null'/,
    ],
    [
      'a value that a response enum gains',
      replace('            - 50300\n', '            - 50300\n            - 50301\n'),
      'breaking',
      /Enum of `error` gained values: '50301'/,
    ],
    [
      'a response property that need not be there any more',
      replace('required: [error, message]', 'required: [error]'),
      'breaking',
      /no longer required: `message`/,
    ],
    [
      'a required body where there was none',
      replace(
        "      responses:\n        '204':",
        '      requestBody:\n        required: true\n        content:\n          application/json:\n' +
          "            schema:\n              type: object\n      responses:\n        '204':",
      ),
      'breaking',
      /DELETE \/plants\/\{id\}, request body: a required body was added/,
    ],
    [
      'a success that becomes another',
      replace("        '204':\n", "        '202':\n"),
      'breaking',
      /Response `204` became `202`/,
    ],
    [
      'a response header that need not be there any more',
      replace('      required: true\n      schema:\n        type: integer', '      schema:\n        type: integer'),
      'breaking',
      /header Retry-After: the header need not be there any more/,
    ],
    [
      'a property that requests may not have any more',
      replace('              format: int64\n', '              format: int64\n              readOnly: true\n'),
      'breaking',
      /property id: readOnly was set/,
    ],
    [
      'another operationId',
      replace('operationId: listPlants', 'operationId: findPlants'),
      'breaking',
      /`operationId` of operation `GET \/plants` changed from 'listPlants' to 'findPlants'/,
    ],
    [
      'the credentials of one operation',
      replace(
        '      operationId: createPlant\n',
        '      operationId: createPlant\n      security:\n        - bearer: []\n          key: []\n',
      ),
      'breaking',
      /POST \/plants, security: requires bearer and key instead of bearer/,
    ],
  ],
  'what is narrowed in a type or an enum of a request': [
    [
      'a type',
      replace('              type: integer\n              format: int64', '              type: string'),
      'breaking',
      /Type of `id` narrowed from 'integer' to 'string'/,
    ],
    [
      'an enum',
      replace('            maximum: 2147483647\n', '            maximum: 2147483647\n            enum: [1, 2]\n'),
      'breaking',
      /Enum was set to '1', '2'/,
    ],
    [
      'a bound of a text',
      replace('          maxLength: 255', '          maxLength: 100'),
      'breaking',
      /`maxLength` of `name` changed from '255' to '100'/,
    ],
    [
      'the credentials of every operation, which are required no more',
      cut('security:\n', 'tags:'),
      'breaking',
      /DELETE \/plants\/\{id\}, security: requires no credentials instead of bearer/,
    ],
  ],
  'what takes another form': [
    [
      'a parameter that is renamed',
      replace('        - name: limit', '        - name: max'),
      'breaking',
      /`limit` query parameter was renamed to `max`/,
    ],
    [
      'a media type',
      replace(
        "          application/json:\n            schema:\n              $ref: '#/components/schemas/NewPlant'",
        "          text/plain:\n            schema:\n              $ref: '#/components/schemas/NewPlant'",
      ),
      'breaking',
      /Media type `application\/json` was removed/,
    ],
  ],
  'what is added, loosened or reworded': [
    [
      'an optional parameter',
      replace(
        '        - name: limit\n',
        '        - name: tag\n          in: query\n          schema:\n            type: string\n' +
          '        - name: limit\n',
      ),
      'compatible',
      /GET \/plants, query parameter tag: added/,
    ],
    [
      'a lower bound of a parameter',
      replace('            minimum: 0\n', ''),
      'compatible',
      /query parameter limit.*: minimum changed from 0 to none/,
    ],
    [
      'an optional property of a request',
      replace(
        '          required: [id]\n          properties:\n',
        '          required: [id]\n          properties:\n            note:\n              type: string\n',
      ),
      'compatible',
      /property note: added/,
    ],
    [
      'a body that becomes optional',
      replace(
        '        description: The plant to create.\n        required: true',
        '        description: The plant to create.\n        required: false',
      ),
      'compatible',
      /POST \/plants, request body: required changed from true to false/,
    ],
    [
      'another status of failure',
      replace(
        "        '409':\n",
        "        '404':\n          $ref: '#/components/responses/NotFound'\n        '409':\n",
      ),
      'compatible',
      /POST \/plants, response 404: added/,
    ],
    [
      'a further way to be known',
      replace('  - bearer: []\n', '  - bearer: []\n  - key: []\n'),
      'compatible',
      /GET \/plants, security: requires bearer or key instead of bearer/,
    ],
    [
      'a summary',
      replace('summary: Create a plant', 'summary: Create one plant'),
      'editorial',
      /POST \/plants: summary changed from "Create a plant" to "Create one plant"/,
    ],
  ],
}

/** The contract with what its own edits below need: an enum and a default in requests, scopes, small formats. */
const richContract = [
  replace(
    '        - name: limit\n',
    `        - name: order
          in: query
          schema:
            type: string
            enum: [id, name]
            default: id
        - name: page
          in: query
          schema:
            type: integer
            format: int32
        - name: limit
`,
  ),
  replace(
    '      operationId: createPlant\n',
    '      operationId: createPlant\n      security:\n        - bearer: [read, write]\n',
  ),
  replace(
    '      operationId: deletePlant\n',
    '      operationId: deletePlant\n      security:\n        - bearer: [write]\n',
  ),
  replace(
    '          required: [id]\n          properties:\n',
    `          required: [id]
          properties:
            note:
              type: string
              pattern: '^[a-z]+$'
              maxLength: 10
            colour:
              type: string
              readOnly: true
            kind:
              type: string
              default: tree
            weight:
              type: number
              format: double
`,
  ),
  replace(
    '      required: [error, message]\n      properties:\n',
    `      required: [error, message]
      properties:
        detail:
          type: string
          pattern: '^[a-z]+$'
          maxLength: 10
          default: none
        count:
          type: integer
          format: int32
        total:
          type: integer
          format: int64
        ratio:
          type: integer
        hint:
          type: string
`,
  ),
].reduce((text, edit) => edit(text), contract)

/** Edits of richContract. */
const richGroups: Record<string, Case[]> = {
  'requests and operations': [
    [
      'an enum of a request that gains a value',
      replace('[id, name]', '[id, name, tag]'),
      'compatible',
      /order.*: enum/,
    ],
    [
      'a default of a parameter that changes',
      replace('            default: id\n', '            default: name\n'),
      'breaking',
      /query parameter order: default changed from "id" to "name"/,
    ],
    [
      'a default of a request property that is removed',
      replace('              default: tree\n', ''),
      'breaking',
      /property kind: default changed from "tree" to none/,
    ],
    [
      'a format of a parameter that takes more',
      replace('            format: int32\n        - name: limit', '            format: int64\n        - name: limit'),
      'compatible',
      /query parameter page.*: format changed from "int32" to "int64"/,
    ],
    [
      'a format of a request property that takes less',
      replace('format: double', 'format: float'),
      'breaking',
      /property weight.*`format` of `weight` changed from 'double' to 'float'/,
    ],
    [
      'a pattern of a request property that is removed',
      replace("              pattern: '^[a-z]+$'\n", ''),
      'compatible',
      /property note: pattern changed from .* to none/,
    ],
    [
      'a longer text in a request',
      replace('              maxLength: 10\n', '              maxLength: 20\n'),
      'compatible',
      /property note: maxLength changed from 10 to 20/,
    ],
    [
      'a property that requests may have from now on',
      replace('              readOnly: true\n', ''),
      'compatible',
      /property colour: readOnly changed from true to none/,
    ],
    [
      'a scope that is required no more',
      replace('bearer: [read, write]', 'bearer: [read]'),
      'compatible',
      /POST \/plants, security: requires bearer with read instead of bearer with read, write/,
    ],
    [
      'a further scope',
      replace('bearer: [write]', 'bearer: [write, delete]'),
      'breaking',
      /DELETE .*requires bearer with delete, write instead of bearer with write/,
    ],
    ['the path of the server', replace('  - url: /\n', '  - url: /v1\n'), 'breaking', /Server `\/` became `\/v1`/],
    [
      'another media type of a request',
      replace(
        "          application/json:\n            schema:\n              $ref: '#/components/schemas/NewPlant'",
        `          text/json:
            schema:
              type: string
          application/json:
            schema:
              $ref: '#/components/schemas/NewPlant'`,
      ),
      'compatible',
      /POST \/plants, request body, media type text\/json: added/,
    ],
    [
      'an operation that is marked as deprecated',
      replace('      operationId: listPlants\n', '      operationId: listPlants\n      deprecated: true\n'),
      'compatible',
      /GET \/plants: deprecated/,
    ],
    [
      'an example',
      replace('              value: 2\n', '              value: 3\n'),
      'editorial',
      /GET \/plants, query parameter limit, examples, first: value/,
    ],
    [
      'a hint on the form of tokens',
      replace('      scheme: bearer\n', '      scheme: bearer\n      bearerFormat: opaque\n'),
      'editorial',
      /security scheme bearer: bearerFormat/,
    ],
  ],
  responses: [
    [
      'a format of a response property that holds more',
      replace(
        '          type: integer\n          format: int32\n        total',
        '          type: integer\n          format: int64\n        total',
      ),
      'breaking',
      /property count: `format` of `count` changed from 'int32' to 'int64'/,
    ],
    [
      'a format of a response property that holds less',
      replace('          format: int64\n        ratio', '          format: int32\n        ratio'),
      'compatible',
      /property total: format changed from "int64" to "int32"/,
    ],
    [
      'a type of a response property that holds more',
      replace('        ratio:\n          type: integer', '        ratio:\n          type: number'),
      'breaking',
      /Type of `ratio` widened/,
    ],
    [
      'a pattern of a response property that is removed',
      replace(
        "          pattern: '^[a-z]+$'\n          maxLength: 10\n          default: none",
        '          maxLength: 10\n          default: none',
      ),
      'breaking',
      /property detail: `pattern` of `detail` was removed/,
    ],
    [
      'a default of a response property',
      replace('          default: none\n', '          default: more\n'),
      'editorial',
      /property detail: default/,
    ],
    [
      'a property that responses carry no more',
      replace(
        '        hint:\n          type: string\n',
        '        hint:\n          type: string\n          writeOnly: true\n',
      ),
      'breaking',
      /property hint: writeOnly was set/,
    ],
    [
      'a property that responses have besides',
      replace('        hint:\n', '        more:\n          type: string\n        hint:\n'),
      'compatible',
      /schema Error, property more: added/,
    ],
    [
      'a property that every response has',
      replace('required: [error, message]', 'required: [error, message, total]'),
      'compatible',
      /schema Error: required/,
    ],
    [
      'another header',
      replace(
        '        Retry-After:\n          $ref',
        '        Via:\n          schema:\n            type: string\n        Retry-After:\n          $ref',
      ),
      'compatible',
      /header Via: added/,
    ],
    [
      'a status of failure that is removed',
      cut("        '409':\n", "        '413':"),
      'breaking',
      /Response `409` was removed/,
    ],
    [
      'another media type of a response',
      replace(
        '          content:\n            application/json:\n              schema:\n                type: array',
        `          content:
            text/csv:
              schema:
                type: string
            application/json:
              schema:
                type: array`,
      ),
      'compatible',
      /GET \/plants, response 200, media type text\/csv: added/,
    ],
    [
      'a property of a shared schema that requests may have no more',
      replace(
        '        tag:\n          description: |\n            The type of the plant',
        '        tag:\n          readOnly: true\n          description: |\n            The type of the plant',
      ),
      'breaking',
      /schema Plant, property tag: readOnly was set/,
    ],
    [
      'another answer to requests that match no operation',
      replace(
        "  '405':\n    description: The path",
        "  '421':\n    description: Another.\n  '405':\n    description: The path",
      ),
      'compatible',
      /421: the answer to requests that match no operation was added/,
    ],
  ],
  'what is lost in requests': [
    [
      'a property that is not read any more',
      cut('            note:\n', '            colour:'),
      'breaking',
      /property note: the property is not read any more/,
    ],
    [
      'a property that requests must have from now on',
      [replace('              readOnly: true\n', ''), replace('required: [id]', 'required: [id, colour]')].reduce(
        (first, second) => (text) => second(first(text)),
      ),
      'breaking',
      /property colour: readOnly was removed/,
    ],
    ['an enum of a request that loses a value', replace('[id, name]', '[id]'), 'breaking', /Enum lost values: 'name'/],
    [
      'a parameter that is required from the first',
      replace(
        '        - name: limit\n',
        `        - name: owner
          in: query
          required: true
          schema:
            type: string
        - name: limit
`,
      ),
      'breaking',
      /Required `owner` query parameter was added/,
    ],
    [
      'a path parameter with another name',
      [replace('/plants/{id}:', '/plants/{plant}:'), replace('        - name: id\n', '        - name: plant\n')].reduce(
        (first, second) => (text) => second(first(text)),
      ),
      'compatible',
      /\/plants\/\{plant\}: key/,
    ],
    ['the title of the contract', replace('  title: Plant Store\n', '  title: Plants\n'), 'editorial', /info: title/],
  ],
}

describe.for([
  ...Object.entries(groups).map(([title, cases]) => [title, contract, cases] as const),
  ...Object.entries(richGroups).map(([title, cases]) => [title, richContract, cases] as const),
])('%s', ([, before, cases]) => {
  let changes: Change[] = []
  beforeAll(async () => {
    const edited = cases.reduce((text, [title, edit]) => {
      const after = edit(text)
      if (after === text) throw new Error(`${title}: the edit does not find its place`)
      return after
    }, before)
    changes = (await compareContracts(before, textOf(edited), 'before.yaml')).changes
  })

  test.for(cases)('%s', ([, , impact, pattern]) => {
    const found = changes.filter(({ text }) => pattern.test(text))
    expect(
      new Set(found.map((change) => change.impact)),
      changes.map((change) => `${change.impact} ${change.text}`).join('\n'),
    ).toEqual(new Set([impact]))
  })

  test('every change has its place', () => {
    for (const { place } of changes) expect(place).toMatch(/^(?:openapi|before)\.yaml:\d+:\d+$/)
  })
})

test('security that is written in another place and requires the same is no change', async () => {
  const repeated = replace(
    '      operationId: listPlants\n',
    '      operationId: listPlants\n      security:\n        - bearer: []\n',
  )(contract)
  expect((await compareContracts(contract, textOf(repeated), 'before')).changes).toEqual([])
})

test('a bound that changes by less than a double can tell is a change', async () => {
  const bounded = (bound: string) =>
    replace('              format: int64\n', `              format: int64\n              maximum: ${bound}\n`)(contract)
  const { changes } = await compareContracts(
    bounded('9223372036854775807'),
    textOf(bounded('9223372036854775806')),
    'before',
  )
  expect(changes).toHaveLength(2)
  for (const change of changes)
    expect(change).toMatchObject({
      impact: 'breaking',
      text: expect.stringMatching(/maximum: changed from 9223372036854775807 to 9223372036854775806$/) as string,
    })
})

describe('the base of the comparison', () => {
  const breakingEdit = replace('          required: false', '          required: true')

  test('is the newest released contract in the order of versions, with no git around it', async () => {
    const { root, editContract } = await copyReleasedProject('1.9.0')
    await editContract(breakingEdit)
    expect((await checkBreaking(root, undefined)).lines.at(-1)).toMatch(/^compared with 1\.9\.0: 1 breaking/)
    await keepRelease(root, '1.10.0')
    for (const name of ['openapi-1.9.9.yaml', 'openapi-2.0.0-rc.1.yaml', 'openapi-x.yaml', 'README.md'])
      await writeFile(join(root, 'docs/releases', name), 'openapi: 3.1.0\n')
    expect(await checkBreaking(root, undefined)).toEqual({
      ok: true,
      lines: ['openapi.yaml has no change for clients since 1.10.0'],
    })
  })

  test('can be another release or a file', async () => {
    const { root, editContract } = await copyReleasedProject('1.9.0')
    await editContract(breakingEdit)
    await keepRelease(root, '1.10.0')
    const file = 'docs/releases/openapi-1.9.0.yaml'
    const released = { name: '1.9.0', file, text: contract }
    expect(await readBaseContract(root, '1.9.0')).toEqual(released)
    expect(await readBaseContract(root, 'v1.9.0')).toEqual(released)
    expect(await readBaseContract(root, file)).toEqual({ ...released, name: file })
    expect(await readBaseContract(root, join(root, file))).toMatchObject({ text: contract })
    expect((await checkBreaking(root, file)).lines.at(-1)).toMatch(/^compared with docs\/\S+: 1 breaking/)
  })

  test('must be there: without one the check fails and names the remedy', async () => {
    const { root } = await copyProject()
    const refusal = {
      ok: false,
      lines: [expect.stringMatching(/^docs\/releases\/ has no released contract.*git checkout/)],
    }
    expect(await checkBreaking(root, undefined)).toEqual(refusal)
    await mkdir(join(root, 'docs/releases'), { recursive: true })
    expect(await checkBreaking(root, undefined)).toEqual(refusal)
    await keepRelease(root, '1.0.0')
    expect(await checkBreaking(root, '0.9.0')).toEqual({
      ok: false,
      lines: ['there is no docs/releases/openapi-0.9.0.yaml; docs/releases/ has 1.0.0'],
    })
    expect(await checkBreaking(root, 'nowhere.yaml')).toEqual({
      ok: false,
      lines: ['cannot read nowhere.yaml (ENOENT)'],
    })
    await writeFile(join(root, 'docs/releases/openapi-1.0.0.yaml'), 'openapi: [')
    expect(await checkBreaking(root, undefined)).toMatchObject({
      ok: false,
      lines: [expect.stringMatching(/^docs\/releases\/openapi-1\.0\.0\.yaml:1:/)],
    })
  })
})

test('the contract of each release is kept in the repository', async () => {
  const releases = join(import.meta.dirname, '../../docs/releases')
  for (const name of await readdir(releases)) {
    const version = /^openapi-(.*)\.yaml$/.exec(name)?.[1]
    await expect(readFile(join(releases, name), 'utf8')).resolves.toContain(`\n  version: ${String(version)}\n`)
  }
})

test('a breaking change is listed with its place and the version that it needs', async () => {
  const { root, editContract } = await copyReleasedProject()
  await editContract(replace('          required: false', '          required: true'))
  expect(await checkBreaking(root, undefined)).toEqual({
    ok: false,
    lines: [
      expect.stringMatching(
        /^breaking {4}GET \/plants, query parameter limit: .* became required \(openapi\.yaml:\d+:\d+\)$/,
      ),
      'compared with 1.0.0: 1 breaking, 0 compatible, 0 editorial; take back what breaks clients, ' +
        'or set info.version to 2.0.0 in openapi.yaml (it is 1.0.0)',
    ],
  })
})

test('a pattern that requests lose or responses gain breaks nobody; a changed one possibly does', async () => {
  const schemaOf = (pattern: string | undefined) => ({
    type: 'object',
    properties: { name: { type: 'string', ...(pattern === undefined ? {} : { pattern }) } },
  })
  const media = (pattern: string | undefined) => ({ content: { 'application/json': { schema: schemaOf(pattern) } } })
  const contractOf = (request: string | undefined, response: string | undefined) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Names', version: '1.0.0' },
      paths: {
        '/names': {
          post: {
            operationId: 'createName',
            requestBody: media(request),
            responses: { 200: { description: 'It.', ...media(response) } },
          },
        },
      },
    })
  const compare = async (before: string, after: string) =>
    (await compareContracts(before, textOf(after), 'before')).changes.map(({ impact, text }) => `${impact} ${text}`)

  const [old, now] = ['^a$', '^[ab]$']
  expect(await compare(contractOf(old, undefined), contractOf(undefined, old))).toEqual([
    expect.stringMatching(/^compatible POST .*request body.*property name: pattern changed from .* to none$/),
    expect.stringMatching(/^compatible POST .*response 200.*property name: pattern changed from none to /),
  ])
  expect(await compare(contractOf(old, old), contractOf(now, now))).toEqual([
    expect.stringMatching(
      /^breaking .*possibly breaking: it is compatible if the new one accepts every text that the old/,
    ),
    expect.stringMatching(
      /^breaking .*possibly breaking: it is compatible if the old one accepts every text that the new/,
    ),
  ])
})

test('what a change quotes is printable, in the changelog too', async () => {
  const contractWith = (name: string) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Names', version: `1.0.0\u001b[2J` },
      paths: {
        '/names': {
          get: {
            operationId: 'listNames',
            parameters: [{ name, in: 'query', schema: { type: 'string' } }],
            responses: { 200: { description: 'It.' } },
          },
        },
      },
    })
  const { changes, versions } = await compareContracts(
    contractWith('a'),
    textOf(contractWith('b\n\u001b[2J\u202e\n- Breaking: all.')),
    'before',
  )
  expect(changes.length).toBeGreaterThan(0)
  for (const text of [...changes.map((change) => change.text), versions.after])
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

function textOf(text: string): OpenApiText {
  return { text, locate: undefined }
}
