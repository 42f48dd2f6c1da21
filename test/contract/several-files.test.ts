import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareWithRelease } from '../../packages/fastify-contract/src/gate/breaking/compare-with-release.ts'
import { BrokenContract } from '../../packages/fastify-contract/src/gate/check/findings.ts'
import { readContract, readOpenApi } from '../../packages/fastify-contract/src/gate/check/read-contract.ts'
import { generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'
import { UnservableContract } from '../../packages/fastify-contract/src/document/load-contract.ts'
import { loadContract } from '../../packages/fastify-contract/src/document/load-contract.ts'
import { parseJsonWithBigInts } from '../../packages/fastify-contract/src/json/json.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { contractOf, failures, noContent, serve } from './words/own-contract.ts'

const json = (schema: object) => ({ 'application/json': { schema } })
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
const files: Record<string, string> = {
  'openapi.yaml': JSON.stringify(root, undefined, 1),
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
  parts: { type: array, items: { $ref: thing.yaml } }
`,
  'schemas/other.yaml': `Name: { type: string, maxLength: 5 }
`,
}

async function folderWith(changed: Record<string, string> = {}): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries({ ...files, ...changed })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

async function read(changed: Record<string, string> = {}) {
  const folder = await folderWith(changed)
  return readContract(Buffer.from({ ...files, ...changed }['openapi.yaml'] ?? ''), join(folder, 'openapi.yaml'))
}

async function problemsOf(changed: Record<string, string>): Promise<string[]> {
  const error = await read(changed).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BrokenContract)
  return (error as BrokenContract).message.split('\n')
}

/** Each list holds the one before twice. */
function doubled(levels: number): string {
  const lists = Array.from({ length: levels }, (_, index) => [String(index + 1), String(index)] as const)
  return lists.map(([name, before]) => `x${name}: &x${name} [*x${before}, *x${before}]\n`).join('')
}

const withThing = (line: string) => ({ 'schemas/thing.yaml': `${files['schemas/thing.yaml'] ?? ''}${line}\n` })

describe('a contract in several files', () => {
  it('is bundled, and served as one', async () => {
    const handlers = {
      listThings: () => ({ status: 200, body: [{ id: 9007199254740993n, parts: [{ id: 1n }] }] }),
      createThing: () => ({ status: 204 }),
      getThing: ({ path: { id } }: { path: { id: bigint } }) => ({ status: 200, body: { id } }),
    }
    const { send } = await serve((await read()).document, handlers)
    const list = await send({ method: 'GET', url: '/things?limit=9' })
    expect(list).toMatchObject({ status: 200, text: '[{"id":9007199254740993,"parts":[{"id":1}]}]' })
    expect(await send({ method: 'GET', url: '/things?limit=10' })).toMatchObject({ status: 400 })
    const thing = await send({ method: 'GET', url: '/things/9007199254740993' })
    expect(thing).toMatchObject({ status: 200, text: '{"id":9007199254740993}' })
    expect(await send({ method: 'GET', url: '/things/9007199254740994' })).toMatchObject({ status: 400 })
    const create = async (body: string) => (await send({ method: 'POST', url: '/things', body })).status
    expect(await create('{"id":1,"name":"abc","other":"abcde"}')).toBe(204)
    expect(await create('{"id":1,"name":"abcd"}')).toBe(400)
    expect(await create('{"id":1,"other":"abcdef"}')).toBe(400)
    expect(await create('{"id":1,"parts":[{"id":1,"parts":[{}]}]}')).toBe(400)
    expect((await send({ method: 'GET', url: '/openapi.json' })).text).not.toMatch(/\.yaml/)
  })

  it.each([
    [
      'a word that is refused',
      withThing('nullable: true'),
      /^schemas\/thing\.yaml:8:1: nullable: is a word of OpenAPI 3/,
    ],
    ['another such word', withThing('contentEncoding: base64'), /^schemas\/thing\.yaml:8:1: contentEncoding: the con/],
    ['what is not YAML', withThing('a: b: c'), /^schemas\/thing\.yaml:8:\d+: /],
    [
      'a file that is missing',
      withThing('not: { $ref: none.yaml }'),
      /^schemas\/thing\.yaml:8:8: .*none\.yaml leads to n/,
    ],
    [
      'a name that is missing',
      withThing('not: { $ref: other.yaml#/None }'),
      /^schemas\/thing\.yaml:8:8: .*None leads to n/,
    ],
    [
      'a reference into the network',
      withThing('not: { $ref: "http://127.0.0.1:9/a.yaml" }'),
      /^schemas\/thing\.yaml:8:8: .*http:\/\/127\.0\.0\.1:9\/a\.yaml is not read over the network/,
    ],
    ['references in a circle', { 'paths/thing.yaml': '$ref: thing.yaml\n' }, /leads back to itself/],
    [
      'references in a circle of files',
      { 'paths/thing.yaml': '$ref: other.yaml\n', 'paths/other.yaml': '$ref: thing.yaml\n' },
      /^openapi\.yaml: a reference to another file leads back to itself; refer to an object$/,
    ],
    [
      'aliases that stand for billions',
      { 'schemas/other.yaml': `x0: &x0 [a]\n${doubled(30)}` },
      /^schemas\/other\.yaml:\d+:\d+: aliases up to here stand for more than 20000 values; /,
    ],
    [
      'a fault of the structure',
      { 'parameters.yaml': 'limit: { name: limit, schema: { type: integer } }\n' },
      /^parameters\.yaml:1:\d+: The field `in` must be present/,
    ],
  ])('is refused with the place of %s', async (_fault, changed, because) => {
    const problems = await problemsOf(changed)
    expect(problems, problems.join('\n')).toHaveLength(1)
    expect(problems[0]).toMatch(because)
  })

  it('is compared with a release as a whole', async () => {
    const folder = await folderWith()
    const source = join(folder, 'openapi.yaml')
    await writeFile(join(folder, 'released.yaml'), (await readOpenApi(await readFile(source), source)).text)
    expect(await compareWithRelease(folder, 'released.yaml')).toMatchObject({ changes: [] })
    await writeFile(join(folder, 'schemas/other.yaml'), 'Name: { type: string, maxLength: 4 }\n')
    const { changes } = await compareWithRelease(folder, 'released.yaml')
    const text: unknown = expect.stringContaining('maxLength')
    expect(changes).toMatchObject([{ impact: 'breaking', text, place: 'schemas/other.yaml:1:23' }])
  })

  it('is generated anew when another of its files has changed, if only by a comment', async () => {
    const folder = await folderWith()
    expect(await generate(folder, 'write')).toMatchObject({ ok: true })
    expect(await generate(folder, 'check')).toMatchObject({ ok: true })
    const { document, json: bundle, yaml } = await loadContract(folder)
    // No other file is served.
    expect(yaml).toBe(bundle)
    expect(document).toEqual(parseJsonWithBigInts(bundle))

    await appendFile(join(folder, 'schemas/other.yaml'), '# A word more.\n')
    expect(await generate(folder, 'check')).toMatchObject({
      ok: false,
      lines: ['generated/contract.sha256 does not match openapi.yaml: run npm run generate'],
    })
    await expect(loadContract(folder)).rejects.toThrow(UnservableContract)
    expect(await generate(folder, 'write')).toMatchObject({ ok: true })
    expect(await loadContract(folder)).toMatchObject({ yaml: bundle })
  })

  it('is served where the other files are not, as in an image', async () => {
    const folder = await folderWith()
    expect(await generate(folder, 'write')).toMatchObject({ ok: true })
    const { json: bundle } = await loadContract(folder)
    for (const name of ['parameters.yaml', 'paths', 'schemas']) await rm(join(folder, name), { recursive: true })
    expect(await loadContract(folder)).toMatchObject({ json: bundle, yaml: bundle })
    // One that is there, and another one now, is refused as before.
    await writeFile(join(folder, 'parameters.yaml'), '')
    await expect(loadContract(folder)).rejects.toThrow('generated/ does not match openapi.yaml')
  })

  it('names the files that it refers to, also those that are missing', async () => {
    const names = ['parameters.yaml', 'paths/thing.yaml', 'schemas/other.yaml', 'schemas/thing.yaml']
    const folder = await folderWith()
    expect((await generate(folder, 'check')).referred.toSorted()).toEqual(names)
    await rm(join(folder, 'schemas/other.yaml'))
    const broken = await generate(folder, 'check')
    expect(broken).toMatchObject({ ok: false, referred: expect.arrayContaining(names) as string[] })
  })
})
