import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkBreaking } from '../../../packages/fastify-contract/src/gate/breaking/compare-with-release.ts'
import { generate } from '../../../packages/fastify-contract/src/gate/generate/generate.ts'
import { loadContract } from '../../../packages/fastify-contract/src/document/load-contract.ts'
import { stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { contractOf, contractWith, failures, serve } from '../words/own-contract.ts'

const secret = 'the-secret-of-this-machine'

/** A folder `api` with a contract, and beside it what the contract must not reach. */
async function folderWith(contract: object | string, files: Record<string, string> = {}): Promise<string> {
  const root = await temporaryFolder()
  const all = {
    'secret.yaml': `type: string\ndescription: ${secret}\n`,
    'secrets/secret.yaml': `type: string\ndescription: ${secret}\n`,
    'api/openapi.yaml': typeof contract === 'string' ? contract : stringifyJson(contract, 1),
    'api/inside.yaml': 'type: string\n',
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`api/${name}`, text])),
  }
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  const api = join(root, 'api')
  execFileSync('mkfifo', [join(api, 'pipe.yaml')])
  await symlink('../secret.yaml', join(api, 'link.yaml'))
  await symlink('../secrets', join(api, 'linked'))
  await symlink('inside.yaml', join(api, 'fine.yaml'))
  await writeFile(join(api, 'large.yaml'), 'type: string\n')
  await truncate(join(api, 'large.yaml'), 17 * 2 ** 20)
  return api
}

const outside = 'leads out of the folder of the contract; keep a copy below it'
const noFile = 'is no regular file; write what it has into one'

/** References that are not followed, and why. `ROOT` is the folder above that of the contract. */
const refused: [reference: string, because: string][] = [
  ['../secret.yaml', outside],
  ['ROOT/secret.yaml', outside],
  ['../api/../secret.yaml#/properties', outside],
  ['linked/../../secret.yaml', outside],
  ['link.yaml', outside],
  ['linked/secret.yaml', outside],
  ['/dev/zero', outside],
  ['/proc/self/environ', outside],
  ['..', outside],
  ['pipe.yaml', noFile],
  ['.', outside],
  ['folder', noFile],
  ['a\nb.yaml', 'has a line break in its name; rename it'],
  ['large.yaml', 'has more than 16777216 bytes; cut the contract into files'],
  ['http://127.0.0.1:9/a.yaml', 'is not read over the network; keep a copy'],
  ['file:///dev/zero', 'is not read over the network; keep a copy'],
]

const json = (schema: object) => ({ 'application/json': { schema } })
const withSchema = (schema: object) =>
  contractWith({ responses: { 200: { description: 'A thing.', content: json(schema) }, ...failures } })

describe('a contract that refers to', () => {
  it.each(refused)('%s is refused, and what is there is not read', { timeout: 60_000 }, async (written, because) => {
    const api = await folderWith({})
    await mkdir(join(api, 'folder'))
    const reference = written.replace('ROOT', dirname(api))
    for (const contract of [
      withSchema({ $ref: reference }),
      contractOf({ '/things': { $ref: reference } }),
      withSchema({ $ref: 'schema.yaml' }),
    ]) {
      await writeFile(join(api, 'openapi.yaml'), stringifyJson(contract, 1))
      await writeFile(
        join(api, 'schema.yaml'),
        `type: object\nproperties: { a: { $ref: ${JSON.stringify(reference)} } }\n`,
      )
      const { ok, lines, referred } = await generate(api, 'write')
      expect(ok).toBe(false)
      const [first = ''] = lines
      expect(first).toMatch(/^(?:openapi|schema)\.yaml:\d+:\d+: the reference /)
      expect(first).toContain(`${reference.replace('\n', '\\u{a}')} ${because}`)
      expect(first.split('\n')).toHaveLength(1)
      expect(lines.join()).not.toContain(secret)
      expect(referred.filter((name) => name.startsWith('..') || name.startsWith('/'))).toEqual([])
      await expect(readFile(join(api, 'generated/contract.json'))).rejects.toThrow('ENOENT')
    }
  })

  it('a regular file of its folder is taken, also through a symbolic link', async () => {
    const api = await folderWith(withSchema({ $ref: 'fine.yaml' }))
    expect(await generate(api, 'write')).toMatchObject({ ok: true, referred: ['fine.yaml'] })
  })

  it.each(['default', 'example', 'value', 'x-thing', 'enum'])(
    'what another file calls %s is taken, with the references in it',
    async (name) => {
      const content = '{ application/json: { schema: { $ref: inside.yaml } } }'
      const responses = `${name}:\n  description: A thing.\n  content: ${content}\n`
      const api = await folderWith(
        contractWith({ responses: { 200: { $ref: `responses.yaml#/${name}` }, ...failures } }),
        { 'responses.yaml': responses },
      )
      expect(await generate(api, 'write')).toMatchObject({ ok: true, referred: ['responses.yaml', 'inside.yaml'] })
    },
  )
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

const described = { type: 'object', properties: { a: { type: 'string', 'x-note': data } }, 'x-note': data }

/** A contract with an extension in objects of many kinds, and one that is a map of names. */
const extended = contractOf(
  {
    '/things': {
      'x-note': data,
      post: {
        operationId: 'createThing',
        'x-note': { deep: data },
        parameters: [{ name: 'x-page', in: 'query', schema: { type: 'string' }, 'x-note': data }],
        requestBody: { content: json({ $ref: '#/components/schemas/Thing' }), 'x-note': data },
        responses: {
          200: {
            description: 'A thing.',
            'x-note': data,
            headers: { 'x-size': { schema: { type: 'integer' }, 'x-note': data } },
            content: json({ $ref: '#/components/schemas/x-thing' }),
          },
          ...failures,
        },
      },
    },
  },
  {
    'x-note': data,
    info: { title: 'Things', version: '1.0.0', 'x-note': data },
    'x-unmatched-responses': { 404: { $ref: '#/components/responses/Gone' } },
    components: {
      responses: { Gone: { description: 'Gone.', 'x-note': data } },
      schemas: { Thing: described, 'x-thing': described },
    },
  },
)

describe('what looks like a reference is data', () => {
  it('in an extension: it is neither followed nor bundled, and is served as it is written', async () => {
    const { send } = await serve(extended, { createThing: () => ({ status: 200, body: {} }) })
    expect(JSON.parse((await send({ method: 'GET', url: '/openapi.json' })).text)).toEqual(
      JSON.parse(stringifyJson(extended)),
    )
    expect(await send({ method: 'POST', url: '/things', body: '{"a":"b"}' })).toMatchObject({ status: 200 })
  })

  it('in an extension of a contract in several files', async () => {
    const several = stringifyJson(extended, 1).replace('"#/components/schemas/Thing"', '"schemas/thing.yaml"')
    const api = await folderWith(several, { 'schemas/thing.yaml': stringifyJson(described) })
    expect(await generate(api, 'write')).toMatchObject({ ok: true, referred: ['schemas/thing.yaml'] })
    const { document, json: text } = await loadContract(api)
    expect(text).not.toContain(secret)
    expect(document.paths?.['/things']).toMatchObject({ 'x-note': data, post: { 'x-note': { deep: data } } })
    expect(Object.values(document.components?.schemas ?? {})).toContainEqual(described)
  })

  it('in an extension: its anchors can be used where there are references', async () => {
    const { paths: _, components, ...rest } = contractWith({})
    const parameters = { Page: { name: 'page', in: 'query', schema: { type: 'string' } } }
    const yaml = [
      'x-parameters: &parameters',
      "  - $ref: '#/components/parameters/Page'",
      'x-gone: &gone',
      '  $ref: gone.yaml',
      'paths:',
      '  /things:',
      '    get:',
      '      operationId: listThings',
      '      parameters: *parameters',
      '      responses:',
      "        '204': { description: Done. }",
      "        '404': *gone",
      `        default: ${stringifyJson(failures.default)}`,
      `components: ${stringifyJson({ ...components, parameters })}`,
      ...Object.entries(rest).map(([name, member]) => `${name}: ${stringifyJson(member)}`),
      '',
    ]
    const api = await folderWith(yaml.join('\n'), {
      'gone.yaml': 'description: Gone.\ncontent: { application/json: { schema: {} } }\n',
    })
    expect(await generate(api, 'write')).toMatchObject({ ok: true, referred: ['gone.yaml'] })
    const { send } = await serve((await loadContract(api)).document, { listThings: () => ({ status: 204 }) })
    expect((await send({ method: 'GET', url: '/things?page=1' })).status).toBe(204)
    expect((await send({ method: 'GET', url: '/things?pages=1' })).status).toBe(400)
  })

  it.each<[string, object, RegExp]>([
    ['an example', { example: data }, /example: a \$ref in a value is taken for a reference; leave the member out$/],
    ['examples', { examples: data }, /examples: a \$ref in a value is taken/],
    ['a default', { properties: { a: { default: data } } }, /default: a \$ref in a value is taken/],
    ['a constant', { const: data }, /const: a \$ref in a value is taken/],
    ['an enum', { enum: data }, /enum: a \$ref in a value is taken/],
  ])(
    'in %s, where it is refused, because others take it for one, and not followed',
    async (_place, schema, because) => {
      for (const [contract, files] of [
        [withSchema(schema), {}],
        [withSchema({ $ref: 'schema.yaml' }), { 'schema.yaml': stringifyJson(schema, 1) }],
      ] as const) {
        const api = await folderWith(contract, files)
        const { ok, lines, referred } = await generate(api, 'write')
        expect(ok).toBe(false)
        expect(lines[0]?.split('\n')).toHaveLength(1)
        expect(lines[0]).toMatch(because)
        expect(referred).toEqual(Object.keys(files))
      }
    },
  )

  it('in an example beside an externalValue, which no file takes the place of', async () => {
    const media = { schema: { type: 'string' }, examples: { one: { externalValue: 'inside.yaml' } } }
    const api = await folderWith(
      contractWith({
        responses: { 200: { description: 'A thing.', content: { 'application/json': media } }, ...failures },
        parameters: [{ $ref: 'parameter.yaml' }],
      }),
      { 'parameter.yaml': '{ name: a, in: query, schema: { type: string } }' },
    )
    const { ok, lines } = await generate(api, 'write')
    expect(ok).toBe(false)
    expect(lines[0]).toMatch(/^openapi\.yaml:\d+:\d+: externalValue: an example elsewhere cannot be validated; /)
  })

  it('for the comparison with a release, too', { timeout: 60_000 }, async () => {
    const api = await folderWith(extended)
    await mkdir(join(api, 'docs/releases'), { recursive: true })
    await writeFile(join(api, 'docs/releases/openapi-1.0.0.yaml'), stringifyJson(extended, 1))
    expect(await checkBreaking(api, undefined)).toMatchObject({ ok: true })
    const later = stringifyJson(extended, 1).replace('"operationId"', '"deprecated": true, "operationId"')
    await writeFile(join(api, 'openapi.yaml'), later)
    const { ok, lines } = await checkBreaking(api, undefined)
    expect(ok).toBe(true)
    expect(lines[0]).toMatch(/^\w+ +POST \/things: .*deprecat.* \(openapi\.yaml:\d+:\d+\)$/)
    await rm(join(api, 'docs/releases/openapi-1.0.0.yaml'))
    await symlink('/dev/zero', join(api, 'docs/releases/openapi-1.0.0.yaml'))
    const [line] = (await checkBreaking(api, undefined)).lines
    expect(line).toBe(`docs/releases/openapi-1.0.0.yaml ${noFile}`)
  })
})

it.each(['/dev/zero', 'pipe.yaml', '.'])('a contract that is %s is refused', async (target) => {
  const api = await folderWith({})
  await rm(join(api, 'openapi.yaml'))
  await symlink(target, join(api, 'openapi.yaml'))
  expect((await generate(api, 'write')).lines[0]).toBe(`openapi.yaml: ${noFile}`)
  expect((await checkBreaking(api, 'inside.yaml')).lines).toEqual([`openapi.yaml: ${noFile}`])
})
