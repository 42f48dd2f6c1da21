import { execFileSync } from 'node:child_process'
import { appendFile, readFile, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UnservableContract, notImplemented, serve as serveContract } from 'fastify-contract'
import { documentOf } from 'fastify-contract/document'
import { lookUp, parseJsonWithBigInts, printable, stringifyJson } from 'fastify-contract/json'
import { isSchema } from 'fastify-contract/schema'
import { describe, expect, it } from 'vitest'
import { checkBreaking } from '../src/breaking/breaking.ts'
import { generate } from '../src/generate/generate.ts'
import { init } from '../src/init/init.ts'
import { readCheckedContract } from '../src/model/read-contract.ts'
import { runHere } from './run-here.ts'
import { contractOf, contractWith, failures, folderWith, generateIn, generatedContract } from './contracts.ts'
import { json, noContent, serve } from './contracts.ts'

const root = contractOf(
  {
    '/things/{id}': { $ref: 'paths/thing.yaml' },
    '/things': {
      get: {
        operationId: 'listThings',
        parameters: [{ $ref: './parameters.yaml#/limit' }],
        responses: {
          200: { description: 'Things.', content: json({ type: 'array', items: { $ref: 'schemas/thing.yaml' } }) },
          ...failures,
        },
      },
      post: {
        operationId: 'createThing',
        requestBody: { required: true, content: json({ $ref: 'schemas/thing.yaml' }) },
        responses: noContent,
      },
    },
  },
  { components: { schemas: { Name: { type: 'string', maxLength: 3 } } } },
)

/** A contract of five files, two of which have a schema of the same name. */
const files = {
  'openapi.yaml': root,
  'parameters.yaml': `limit: # The most things.
  name: limit
  in: query
  schema: { type: integer, maximum: 9 }
`,
  'paths/thing.yaml': `parameters:
  - { name: id, in: path, required: true, schema: { type: integer, format: int64, maximum: 9007199254740993 } }
get:
  operationId: getThing
  responses:
    '200': { description: A thing., content: { application/json: { schema: { $ref: ../schemas/thing.yaml } } } }
    default:
      description: A failure.
      content: { application/json: { schema: { $ref: '../openapi.yaml#/components/schemas/Error' } } }
`,
  'schemas/thing.yaml': `type: object
required: [id]
properties:
  id: { type: integer, format: int64 }
  name: { $ref: '../openapi.yaml#/components/schemas/Name' }
  other: { $ref: 'other.yaml#/Name' }
  parts: { type: array, items: { $ref: '#' } }
`,
  'schemas/other.yaml': 'Name: { type: string, maxLength: 5 }\n',
}
const withThing = (line: string) => ({ 'schemas/thing.yaml': `${files['schemas/thing.yaml']}${line}\n` })

describe('a contract in several files', () => {
  it('is bundled and served as one', async () => {
    const folder = await folderWith(files)
    const path = join(folder, 'openapi.yaml')
    const { document, referred } = await readCheckedContract(await readFile(path), path)
    expect([...referred.keys()].toSorted()).toEqual(Object.keys(files).slice(1).toSorted())
    const send = await serve(document, {
      listThings: () => ({ status: 200, body: [{ id: 9007199254740993n, parts: [{ id: 1n }] }] }),
      createThing: () => ({ status: 204 }),
      getThing: ({ path: { id } }: { path: { id: bigint } }) => ({ status: 200, body: { id } }),
    })
    const list = await send({ method: 'GET', url: '/things?limit=9' })
    expect(list).toMatchObject({ status: 200, text: '[{"id":9007199254740993,"parts":[{"id":1}]}]' })
    expect(await send({ method: 'GET', url: '/things?limit=10' })).toMatchObject({ status: 400 })
    const thing = await send({ method: 'GET', url: '/things/9007199254740993' })
    expect(thing).toMatchObject({ status: 200, text: '{"id":9007199254740993}' })
    expect(await send({ method: 'GET', url: '/things/9007199254740994' })).toMatchObject({ status: 400 })
    for (const [body, status] of [
      ['{"id":1,"name":"abc","other":"abcde"}', 204],
      ['{"id":1,"name":"abcd"}', 400],
      ['{"id":1,"other":"abcdef"}', 400],
      ['{"id":1,"parts":[{"id":1,"parts":[{}]}]}', 400],
    ] as const)
      expect((await send({ url: '/things', body })).status, body).toBe(status)
    expect((await send({ method: 'GET', url: '/openapi.json' })).text).not.toMatch(/\.yaml/)
  })

  it.each<[string, object, RegExp]>([
    [
      'a keyword that is refused',
      withThing('multipleOf: 0'),
      /^schemas\/thing\.yaml:8:1: multipleOf: must be greater than 0/,
    ],
    ['what is not YAML', withThing('a: b: c'), /^schemas\/thing\.yaml:8:\d+: /],
    [
      'a missing file',
      withThing('not: { $ref: none.yaml }'),
      /^schemas\/thing\.yaml:8:8: .*none\.yaml leads to nothing/,
    ],
    [
      'a circle of files',
      { 'paths/thing.yaml': '$ref: other.yaml\n', 'paths/other.yaml': '$ref: thing.yaml\n' },
      /^openapi\.yaml: the references cannot be resolved \(.*circular.*\); refer to each object directly/,
    ],
    [
      'a path that has itself in a callback',
      { 'paths/thing.yaml': "post: { callbacks: { a: { '{$url}': { $ref: thing.yaml } } } }\n" },
      /^openapi\.yaml: the chains of references are too long; split the contract$/,
    ],
    [
      'a fault of the structure',
      { 'parameters.yaml': 'limit: { name: limit, schema: { type: integer } }\n' },
      /^parameters\.yaml:1:\d+: in: is missing; add it$/,
    ],
  ])('is refused with the place of %s', async (_fault, changed, because) => {
    const { ok, lines } = await generateIn(await folderWith({ ...files, ...changed }))
    expect(ok).toBe(false)
    expect(lines[0]?.split('\n').filter((line) => because.test(line))).toHaveLength(1)
  })

  it('may name a file by its $self, or by the URI beside that of another', async () => {
    const at = 'https://shop.example/v1'
    const contract = contractOf(
      { '/things': { $ref: `${at}/parts/paths.yaml#/things` } },
      { components: { schemas: { Name: { type: 'string', maxLength: 3 } } } },
    )
    const withThing = ($ref: string) => ({
      things: {
        post: {
          operationId: 'createThing',
          requestBody: { required: true, content: json({ $ref }) },
          responses: { 204: noContent[204] },
        },
      },
    })
    const parts = { type: 'array', items: { $ref: '/v1/schemas#/Thing' } }
    const Thing = { type: 'object', properties: { name: { $ref: 'openapi#/components/schemas/Name' }, parts } }
    const folder = await folderWith({
      'openapi.yaml': { ...contract, openapi: '3.2.0', $self: `${at}/openapi` },
      'parts/paths.yaml': withThing(`${at}/schemas#/Thing`),
      'schemas.yaml': { $self: `${at}/schemas`, Thing },
    })
    const path = join(folder, 'openapi.yaml')
    await expect(readCheckedContract(await readFile(path), path)).rejects.toThrow(
      `the reference ${at}/schemas#/Thing is on the network, which is not used; keep a local copy`,
    )
    await writeFile(join(folder, 'parts/paths.yaml'), stringifyJson(withThing('../schemas.yaml#/Thing')))
    const { document } = await readCheckedContract(await readFile(path), path)
    const send = await serve(document, { createThing: () => ({ status: 204 }) })
    expect((await send({ url: '/things', body: '{"parts":[{"name":"abc"}]}' })).status).toBe(204)
    expect((await send({ url: '/things', body: '{"parts":[{"name":"abcd"}]}' })).status).toBe(400)
  })

  it('may have an operation, a map or the components in another file', async () => {
    const failed = { ...failures.default, content: json({ $ref: 'openapi.yaml#/components/schemas/Error' }) }
    const list = { operationId: 'listThings', responses: { ...noContent, default: failed } }
    const paths = { '/things': { get: { ...list, responses: noContent } } }
    const { components, ...rest } = contractOf(paths)
    const contract = { ...rest, paths: { $ref: 'paths.yaml' }, components: { $ref: 'components.yaml' } }
    const folder = await folderWith({
      'openapi.yaml': contract,
      'paths.yaml': { '/things': { get: { $ref: 'operations.yaml#/list' } } },
      'operations.yaml': { list },
      'components.yaml': components,
    })
    expect(await generateIn(folder)).toMatchObject({ ok: true })
    expect(parseJsonWithBigInts((await generatedContract(folder)).document)).toMatchObject({ paths, components })
  })

  it('is compared with a release as a whole', async () => {
    const folder = await folderWith(files)
    await generateIn(folder)
    const releases = { root: folder, contract: 'openapi.yaml', folder: 'releases' }
    const compare = () => checkBreaking(releases, 'released.json')
    await writeFile(join(folder, 'released.json'), (await generatedContract(folder)).document)
    expect((await compare()).lines).toEqual(['openapi.yaml: no changes since released.json'])
    await writeFile(join(folder, 'schemas/other.yaml'), 'Name: { type: string, maxLength: 4 }\n')
    expect((await compare()).lines[0]).toMatch(/^breaking .*maxLength.* \(schemas\/other\.yaml:1:34\)$/)
  })

  it('is stale if any of its files has changed', async () => {
    const folder = await folderWith(files)
    expect(await generateIn(folder)).toMatchObject({ ok: true })
    expect(await generateIn(folder, { check: true })).toMatchObject({ ok: true })
    const contract = await generatedContract(folder)
    // No other file is served.
    expect(contract).not.toHaveProperty('yaml')
    await appendFile(join(folder, 'schemas/other.yaml'), '# A word more.\n')
    expect(await generateIn(folder, { check: true })).toMatchObject({
      ok: false,
      lines: ['generated/contract.ts: does not match openapi.yaml; run npx fastify-contract generate'],
    })
    const handlers = Object.fromEntries(['getThing', 'listThings', 'createThing'].map((id) => [id, notImplemented]))
    const auth = { bearer: () => undefined }
    const start = async () => (await serveContract(await generatedContract(folder), { handlers, auth })).close()
    await expect(start()).rejects.toThrow(UnservableContract)
    expect(await generateIn(folder)).toMatchObject({ ok: true })
    await start()
    // In an image the other files are not there.
    for (const name of ['parameters.yaml', 'paths', 'schemas']) await rm(join(folder, name), { recursive: true })
    await start()
    await writeFile(join(folder, 'parameters.yaml'), '')
    await expect(start()).rejects.toThrow('generated/ does not match openapi.yaml')
  })
})

describe('a contract that refers to a file above its folder', () => {
  const path = contractWith({ parameters: [{ $ref: '../common/the%20limit%2520.yaml' }] })
  const files = {
    'shop/api/openapi.yaml': path,
    'shop/common/the limit%20.yaml': '{ name: limit, in: query, schema: { type: integer } }\n',
    'secret.yaml': '{ name: secret, in: query }\n',
  }
  const options = ['--contract', 'shop/api/openapi.yaml', '--out', 'shop/api/generated']
  const command = `run npx fastify-contract generate ${options.join(' ')} --root shop`

  it('is generated with a --root that holds both, and each remedy has it', async () => {
    const folder = await folderWith(files)
    const generateWith = (...more: string[]) => runHere(folder, ['generate', ...options, ...more])
    expect((await generateWith()).stderr).toContain(`: the reference ../common/the%20limit%2520.yaml ${outside}\n`)
    expect(await generateWith('--root', 'shop')).toMatchObject({ code: 0 })
    const contract = await generatedContract(join(folder, 'shop/api'))
    const served = { handlers: { listThings: notImplemented }, auth: { bearer: () => undefined } }
    const start = async () => (await serveContract(contract, served)).close()
    await start()
    await appendFile(join(folder, 'shop/common/the limit%20.yaml'), '# A word more.\n')
    expect((await generateWith('--root', 'shop', '--check')).stderr).toContain(`openapi.yaml; ${command}\n`)
    const here = process.cwd()
    process.chdir(folder)
    try {
      await expect(start()).rejects.toThrow(`generated/ does not match openapi.yaml; ${command}`)
    } finally {
      process.chdir(here)
    }
  })

  it('is refused with a --root that does not hold the contract, or a file, also by a symbolic link', async () => {
    const folder = await folderWith(files)
    await symlink('../../secret.yaml', join(folder, 'shop/common/link.yaml'))
    const problemWith = async (root: string, reference = '../common/the%20limit%2520.yaml') => {
      const contract = contractWith({ parameters: [{ $ref: reference }] })
      await writeFile(join(folder, 'shop/api/openapi.yaml'), stringifyJson(contract, 1))
      return (await runHere(folder, ['generate', ...options, '--root', root])).stderr.split('\n', 1).join()
    }
    const problem = 'is outside the folder of --root; name one that holds it'
    for (const root of ['shop/common', 'none', 'shop/api/openapi.yaml'])
      expect(await problemWith(root)).toBe(`shop/api/openapi.yaml: ${problem}`)
    for (const reference of ['../../secret.yaml', '../common/link.yaml'])
      expect(await problemWith('shop', reference)).toMatch(`: the reference ${reference} ${problem}`)
  })
})

const secret = 'the-secret-of-this-machine'

/** A folder `api` with a contract, and beside it what the contract must not reach. */
async function hostileFolder(contract: object | string, others: Record<string, string> = {}): Promise<string> {
  const folder = await folderWith({
    'secret.yaml': `type: string\ndescription: ${secret}\n`,
    'secrets/secret.yaml': `type: string\ndescription: ${secret}\n`,
    'api/openapi.yaml': contract,
    'api/inside.yaml': 'type: string\nallOf: [{ type: string }]\n',
    'api/folder/a.yaml': 'type: string\n',
    'api/large.yaml': 'type: string\n',
    ...Object.fromEntries(Object.entries(others).map(([name, text]) => [`api/${name}`, text])),
  })
  const api = join(folder, 'api')
  execFileSync('mkfifo', [join(api, 'pipe.yaml')])
  await symlink('../secret.yaml', join(api, 'link.yaml'))
  await symlink('../secrets', join(api, 'linked'))
  await symlink('inside.yaml', join(api, 'fine.yaml'))
  await truncate(join(api, 'large.yaml'), 17 * 2 ** 20)
  return api
}

const outside =
  'is outside the folder of the contract; keep a copy below it, or run generate with --root and a folder that holds both'
const noFile = 'is not a regular file; copy its content into one'
const nowhere = 'leads to nothing; correct the name'
const unprintable = 'has a control character or a line break in its name; rename it'

const refusedAs =
  (because: string) =>
  (reference: string): [string, string] => [reference, because]

/** References that are not followed, and why. `ROOT` is the folder above that of the contract. */
const refused: [reference: string, because: string][] = [
  ...['../secret.yaml', '%2e%2e%2fsecret.yaml', 'link%2Eyaml', 'file://ROOT/secret.yaml', 'ROOT/secret.yaml'].map(
    refusedAs(outside),
  ),
  ...['link.yaml', 'linked/secret.yaml', '/dev/zero', '..'].map(refusedAs(outside)),
  ...['a%00b.yaml', 'a\nb.yaml', 'a\u2028b.yaml', '\u001b[31m.yaml'].map(refusedAs(unprintable)),
  ...['a%zz.yaml', '%E0%A4.yaml'].map(refusedAs('has a percent-encoding that is broken; write % as %25')),
  ...['none.yaml', 'inside.yaml#None'].map(refusedAs(nowhere)),
  ...[
    '/constructor',
    '/type/toString',
    '/__proto__',
    '/type/',
    '//type',
    '/allOf/00',
    '/%63onstructor',
    '/%63onstructor/%zz',
  ]
    .map((pointer) => `inside.yaml#${pointer}`)
    .map(refusedAs(nowhere)),
  ['folder\\a.yaml', 'leads to nothing; write / in place of \\'],
  ...['pipe.yaml', 'folder'].map(refusedAs(noFile)),
  ['large.yaml', 'has more than 16777216 bytes; split the contract into files'],
  ...['http://127.0.0.1:9/a.yaml', 'git+https://127.0.0.1:9/a.yaml', 'file://host/a.yaml'].map(
    refusedAs('is on the network, which is not used; keep a local copy'),
  ),
]
const withReply = (schema: object, schemas: object = {}) => {
  const responses = { 200: { description: 'A thing.', content: json(schema) }, ...failures }
  return contractWith({ responses }, { components: { schemas } })
}

describe('a contract that refers to', () => {
  it.each(refused)('%j is refused, and the target is not read', async (written, because) => {
    const api = await hostileFolder({})
    const reference = written.replace('ROOT', dirname(api))
    await writeFile(join(api, 'schema.yaml'), `properties: { a: { $ref: ${JSON.stringify(reference)} } }\n`)
    for (const contract of [
      withReply({ $ref: reference }),
      contractOf({ '/things': { $ref: reference } }),
      withReply({ $ref: 'schema.yaml' }),
      withReply({ $ref: '#/components/schemas/A' }, { A: { $ref: reference } }),
    ]) {
      await writeFile(join(api, 'openapi.yaml'), stringifyJson(contract, 1))
      const { ok, lines } = await generateIn(api)
      expect(ok).toBe(false)
      const printed = printable(reference)
      expect(lines[0]).toMatch(/^(?:openapi|schema)\.yaml:\d+:\d+: the reference /)
      expect(lines[0]).toContain(`${printed} ${because}`)
      expect(lines.join()).not.toContain(secret)
      expect(lines.join()).not.toContain('the reference #')
      await expect(readFile(join(api, 'generated/contract.ts'))).rejects.toThrow('ENOENT')
    }
  })

  it.each<[reference: string, kind: string]>([
    ['sub%20folder/a%20b.yaml', 'boolean'],
    ['sub folder/a b.yaml', 'boolean'],
    ['a%20b.yaml', 'integer'],
    ['%7Bid%7D%3F%23.yaml', 'number'],
    ['{id}?#.yaml', 'number'],
    ['file://API/inside.yaml', 'string'],
    ['./folder/../inside.yaml', 'string'],
    ['names.yaml#/a~0b~1c', 'boolean'],
    ['names.yaml#/d%20e', 'integer'],
    ['names.yaml#anchor', 'number'],
    ['names.yaml#/constructor', 'boolean'],
    ['names.yaml#/00', 'integer'],
    ['openapi.yaml#/components/schemas/Own', 'string'],
    ['openapi%2Eyaml#own', 'string'],
  ])('%j has a percent-encoded URI or the name of a file', async (reference, type) => {
    const api = await hostileFolder(
      {},
      {
        'sub folder/a b.yaml': 'type: boolean\n',
        'a b.yaml': 'type: boolean\n',
        'a%20b.yaml': 'type: integer\n',
        '{id}?#.yaml': 'type: number\n',
        'names.yaml': `a~b/c: { type: boolean }\nd e: { type: integer }\nf: { $anchor: anchor, $ref: '#/g' }\ng: { type: number }\nconstructor: { type: boolean }\n'00': { type: integer }\n`,
      },
    )
    const contract = withReply({ $ref: reference.replace('API', api) }, { Own: { $anchor: 'own', type: 'string' } })
    await writeFile(join(api, 'openapi.yaml'), stringifyJson(contract, 1))
    expect(await generateIn(api)).toMatchObject({ ok: true })
    const document = documentOf(await generatedContract(api))
    let schema = lookUp(document, '#/paths/~1things/get/responses/200/content/application~1json/schema')
    while (isSchema(schema) && '$ref' in schema) schema = lookUp(document, String(schema['$ref']))
    expect(schema).toMatchObject({ type })
  })

  it('a regular file of its folder, or a symbolic link to one, is accepted', async () => {
    const content = '{ application/json: { schema: { $ref: fine.yaml } } }'
    const responses = { 200: { $ref: 'responses.yaml#/x-example' }, ...failures }
    const api = await hostileFolder(contractWith({ responses }), {
      'responses.yaml': `x-example:\n  description: A thing.\n  content: ${content}\n`,
    })
    expect(await generateIn(api)).toMatchObject({ ok: true })
    expect((await generatedContract(api)).document).toContain('"type": "string"')
  })
})

it.each(['a\nb.yaml', 'a\u2028;globalThis.injected=1', '\u001b[31m.yaml'])(
  'a contract with the file name %j is refused',
  async (name) => {
    const api = await hostileFolder({}, { [name]: stringifyJson(contractWith({})) })
    const result = { ok: false, lines: [`${printable(name)}: ${unprintable}`, 'generated/ is unchanged'] }
    expect(await generate({ root: api, contract: name, out: 'generated' })).toEqual(result)
    expect(await init(api, name, 'service')).toMatchObject({
      ok: false,
      lines: [result.lines[0], 'service is not written'],
    })
    expect(await readdir(api)).not.toContain('generated')
  },
)

it.each(['/dev/zero', 'pipe.yaml'])('a contract or a release that is %s is refused', async (target) => {
  const api = await hostileFolder(contractWith({}))
  await symlink(target, join(api, 'other.yaml'))
  const options = { root: api, contract: 'other.yaml', out: 'generated' }
  expect((await generate(options)).lines[0]).toBe(`other.yaml: ${noFile}`)
  const releases = { root: api, contract: 'openapi.yaml', folder: 'releases' }
  expect((await checkBreaking(releases, 'other.yaml')).lines).toEqual([`other.yaml: ${noFile}`])
})

/** What looks like references, and is none. */
const data = [
  '/dev/zero',
  '../secret.yaml',
  'pipe.yaml',
  'inside.yaml',
  'http://127.0.0.1:9/a.yaml',
  '#/nowhere',
  '#/components/schemas/Nothing',
  '#/%',
].map(($ref) => ({ $ref, list: [{ $ref }], externalValue: $ref }))
const note = { 'x-note': data }
const described = { type: 'object', properties: { a: { type: 'string', ...note } }, ...note }

/** A contract with an extension in objects of many kinds. */
const extended = contractOf(
  {
    '/things': {
      ...note,
      post: {
        operationId: 'createThing',
        'x-note': { deep: data },
        parameters: [{ name: 'x-page', in: 'query', schema: { type: 'string' }, ...note }],
        requestBody: { content: json({ $ref: '#/components/schemas/Thing' }), ...note },
        responses: {
          200: {
            description: 'A thing.',
            ...note,
            headers: { 'x-size': { schema: { type: 'integer' }, ...note } },
            content: json({ $ref: '#/components/schemas/x-thing' }),
          },
          ...failures,
        },
      },
    },
  },
  {
    ...note,
    info: { title: 'Things', version: '1.0.0', ...note },
    'x-unmatched-responses': { 404: { $ref: '#/components/responses/Gone' } },
    components: {
      responses: { Gone: { description: 'Gone.', ...note } },
      schemas: { Thing: described, 'x-thing': described },
    },
  },
)

describe('a member that looks like a reference is data', () => {
  it('in an extension, and is served unchanged', async () => {
    const send = await serve(extended, { createThing: () => ({ status: 200, body: {} }) })
    const { text } = await send({ method: 'GET', url: '/openapi.json' })
    expect(JSON.parse(text)).toEqual(JSON.parse(stringifyJson(extended)))
    const several = stringifyJson(extended, 1).replace('"#/components/schemas/Thing"', '"schemas/thing.yaml"')
    const api = await hostileFolder(several, { 'schemas/thing.yaml': stringifyJson(described) })
    expect(await generateIn(api)).toMatchObject({ ok: true })
    const contract = await generatedContract(api)
    expect(contract.document).not.toContain(secret)
    const document = documentOf(contract)
    expect(document.paths?.['/things']).toMatchObject({ ...note, post: { 'x-note': { deep: data } } })
    expect(Object.values(document.components?.schemas ?? {})).toContainEqual(described)
  })

  it.each<[string, object, RegExp]>([
    ['an example', { example: data }, /example: tools follow a \$ref in a value; remove the member/],
    [
      'a default',
      { properties: { a: { default: data } } },
      /default: tools follow a \$ref in a value; remove the member/,
    ],
    ['a constant', { const: data }, /const: tools follow a \$ref in a value; remove the member/],
    ['an enum', { enum: data }, /enum: tools follow a \$ref in a value; remove the member/],
  ])('in %s, and is refused because other tools would follow it', async (place, schema, because) => {
    for (const [contract, others] of [
      [withReply(schema), {}],
      [withReply({ $ref: 'schema.yaml' }), { 'schema.yaml': stringifyJson(schema, 1) }],
    ] as const) {
      const folder = await hostileFolder(contract, others)
      const { ok, lines } = await generateIn(folder)
      expect(ok).toBe(/example|default/.test(place))
      expect(lines[0]?.split('\n')).toHaveLength(1)
      expect(lines[0]).toMatch(because)
      if (!ok) continue
      const path = join(folder, 'openapi.yaml')
      const { document, written } = await readCheckedContract(await readFile(path), path)
      expect(stringifyJson([document, written])).not.toContain(secret)
    }
  })

  it('also for the comparison with a release', async () => {
    const api = await hostileFolder(extended, { 'releases/openapi-1.0.0.yaml': stringifyJson(extended, 1) })
    const compare = () => checkBreaking({ root: api, contract: 'openapi.yaml', folder: 'releases' }, undefined, true)
    expect(await compare()).toMatchObject({ ok: true })
    const later = stringifyJson(extended, 1).replace('"operationId"', '"deprecated": true, "operationId"')
    await writeFile(join(api, 'openapi.yaml'), later)
    const { ok, lines } = await compare()
    expect(ok).toBe(true)
    expect(lines[0]).toMatch(/^\w+ +paths > \/things > post: .*deprecat.* \(openapi\.yaml:\d+:\d+\)$/)
    await rm(join(api, 'releases/openapi-1.0.0.yaml'))
    await symlink('/dev/zero', join(api, 'releases/openapi-1.0.0.yaml'))
    expect((await compare()).lines).toEqual([`releases/openapi-1.0.0.yaml: ${noFile}`])
  })
})
