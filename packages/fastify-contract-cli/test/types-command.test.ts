import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { readYaml } from '../src/model/yaml/read-yaml.ts'
import { folderWith, json } from './contracts.ts'
import { runHere, runPiped } from './run-here.ts'

const run = (root: string, args: string[]) => runHere(root, ['types', ...args])

/** An OpenAPI 3.0 contract with these members. */
const contractWith = (more: object) => ({ openapi: '3.0.3', info: { title: 'Shop', version: '1' }, paths: {}, ...more })

const galaxy = join(import.meta.dirname, 'services/galaxy/galaxy.yaml')
/** A contract of OpenAPI 3.0 whose types openapi-typescript reads well. */
const shop = `openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
paths:
  '/things/{id}':
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      summary: Gets a thing.
      responses:
        200: { description: One., content: &json { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
        404: { description: None. }
    put:
      operationId: putThing
      parameters: [{ name: mark, in: header, schema: { type: array, items: { type: string, nullable: true } } }]
      requestBody: { content: *json }
      responses: { 204: { description: Done. } }
components:
  schemas:
    Thing:
      type: object
      required: [id]
      properties:
        id: { type: integer, minimum: 1, readOnly: true }
        kind: { type: string, enum: [a, b], nullable: true, description: What it is., default: a }
        parts: { type: array, items: { $ref: '#/components/schemas/Thing' } }
        labels: { type: object, additionalProperties: { type: string } }
        any: { oneOf: [{ type: string }, { allOf: [{ $ref: '#/components/schemas/Thing' }] }] }
`

test.each(['galaxy.yaml', 'shop.yaml'])('the types of %s are those of openapi-typescript', async (file) => {
  const source = file === 'shop.yaml' ? shop : await readFile(galaxy, 'utf8')
  const { stdout } = await run(await folderWith({ [file]: source }), [file])
  const document = readYaml(Buffer.from(source), file).document
  const expected = astToString(await openapiTypeScript(JSON.stringify(document), { silent: true }))
  expect(stdout).toBe(`// Generated from ${file} by fastify-contract. Do not edit.\n\n${expected}`)
})

describe('the types mend what openapi-typescript misreads:', () => {
  const ref = { $ref: '#/components/schemas/Name' }
  const deep = { $ref: '#/components/schemas/Other/properties/inner/items' }
  const mended: [string, object, string][] = [
    ['an anchor', { $anchor: 'deep', type: 'boolean' }, 'boolean;'],
    ['nullable beside a reference', { ...ref, nullable: true }, 'components["schemas"]["Name"] | null;'],
    ['a reference into a component', { type: 'array', items: deep }, 'number[];'],
    ['a constant null', { const: null }, 'null;'],
    ['an integer beyond 2^53', { enum: [9007199254740993n], type: 'integer' }, 'number;'],
    ['an enum of objects', { type: 'object', enum: [{ a: 1 }], description: '@ts-ignore' }, 'Record<string, never>;'],
    ['an alternative that is true', { allOf: [ref, true] }, 'components["schemas"]["Name"] & unknown;'],
    [
      'additionalProperties beside a property of another type',
      { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: ref },
      '{ a?: number; } & { [key: string]: components["schemas"]["Name"] | number; };',
    ],
    [
      'a tuple whose items may be left out, with others behind it',
      { type: 'array', prefixItems: [ref, { type: 'number' }], minItems: 1, items: { type: 'boolean' } },
      '[ components["schemas"]["Name"], number?, ...boolean[] ];',
    ],
    [
      'a tuple of at most its items',
      { type: 'array', prefixItems: [ref, { type: 'number' }], maxItems: 2 },
      '[ components["schemas"]["Name"]?, number? ];',
    ],
    ['false in a union', { anyOf: [{ type: 'string' }, false, { not: {} }] }, 'string;'],
    ['false in each part of a union', { oneOf: [false, { anyOf: [{ not: {} }] }] }, 'never;'],
    ['false in allOf', { allOf: [{ type: 'string' }, { not: {} }] }, 'never;'],
    ['not of everything', { type: 'array', items: { not: {} } }, 'never[];'],
    [
      'not of everything for other properties',
      { properties: { a: { not: {} } }, patternProperties: { '^b': false }, additionalProperties: { not: {} } },
      '{ a?: never; };',
    ],
  ]
  let types: string
  beforeAll(async () => {
    const schemas = {
      Name: { type: 'string' },
      Other: { type: 'object', properties: { inner: { type: 'array', items: { type: 'number' } } } },
      ...Object.fromEntries(mended.map(([, schema], index) => [`Mended${String(index)}`, schema])),
    }
    const items = { itemSchema: { type: 'object', properties: { of: ref } } }
    const responses = {
      200: { description: 'Lines.', content: { 'application/jsonl': items } },
      204: { description: 'Done.', headers: { Left: { $ref: '#/components/headers/Left' } } },
    }
    const parameters = [
      { name: 'filter', in: 'query', content: json({ type: 'array', items: { type: 'number' } }) },
      { name: 'from', in: 'query', schema: { type: 'integer', format: 'int64', default: 1 } },
    ]
    const contract = contractWith({
      $self: 'https://shop.example/shop.yaml',
      paths: {
        '/things': {
          parameters: [{ name: 'id', in: 'query', schema: { type: 'string' } }],
          get: { parameters, responses },
          query: { requestBody: { content: json({ type: 'number' }) }, responses },
          additionalOperations: { 'M-SEARCH': { operationId: 'search', responses } },
        },
        '/named': {
          get: {
            parameters: [{ name: 'deep', in: 'query', schema: { $ref: '/shop.yaml#deep' } }],
            responses: {
              200: { description: 'a', content: { 'text/plain': { $ref: '#/components/mediaTypes/Plain' } } },
            },
          },
        },
        '/{a}': { query: { requestBody: { content: json({}) }, responses } },
      },
      components: {
        mediaTypes: { Plain: { schema: ref } },
        schemas,
        headers: { Left: { schema: { type: 'number' } } },
      },
    })
    let remove = () => Promise.resolve()
    const root = await folderWith({ 'openapi.yaml': contract }, (finish) => (remove = finish))
    types = (await run(root, ['openapi.yaml'])).stdout
    return () => remove()
  })

  test.each(mended.map(([what, , type], index) => [what, `Mended${String(index)}: ${type}`]))('%s', (_what, type) => {
    expect(types.replaceAll(/\s+/g, ' ')).toContain(type)
  })

  test('comments have no directives', () => {
    expect(types).toContain('@description')
    expect(types).not.toContain('@ts-ignore')
  })

  test.each([
    ['an optional header behind a reference', 'Left?: number;'],
    ['a parameter in JSON', 'filter?: number[];'],
    ['not int64, which is a number', 'from?: number;'],
    ['a schema with a name of its own', 'deep?: components["schemas"]["Mended0"];'],
    ['a media type with a name of its own', '"text/plain": components["schemas"]["Name"];'],
    ['items of a stream', '"application/jsonl": AsyncIterable<{ of?: components["schemas"]["Name"]; }>;'],
    [
      'the method QUERY',
      'query: { parameters: { query?: { id?: string; }; header?: never; path?: never; cookie?: never; }; ' +
        'requestBody?: { content: { "application/json": number; }; };',
    ],
    ['other methods', '"m-search": operations["search"];'],
  ])('%s', (_what, type) => {
    expect(types.replaceAll(/\s+/g, ' ')).toContain(type)
    expect(types).not.toContain('\0')
  })
})

test('the alternatives of a discriminator have the constants that select them, if they allow these', async () => {
  const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const text = { type: 'string' }
  const kind = (...kinds: string[]) => ({ type: 'object', properties: { kind: { ...text, enum: kinds } } })
  const discriminator = { propertyName: 'kind', mapping: { one: 'A', two: '#/components/schemas/B' } }
  const schemas = {
    Any: { oneOf: [to('A'), to('B'), to('C'), to('D')], discriminator },
    A: { type: 'object', properties: { kind: text, a: text } },
    B: kind('one', 'two'),
    C: kind('c'),
    D: { type: 'object' },
    Beside: { type: 'object', properties: { any: { nullable: true, allOf: [to('Any')] } } },
    // A property may have the name of a keyword.
    Named: { type: 'object', properties: { default: { oneOf: [to('E')], discriminator: { propertyName: 'kind' } } } },
    E: { type: 'object' },
    Parent: { type: 'object', properties: { kind: text }, discriminator: { propertyName: 'kind' } },
    Child: { allOf: [to('Parent')] },
    Grandchild: { allOf: [to('Child')] },
  }
  const root = await folderWith({ 'openapi.yaml': contractWith({ components: { schemas } }) })
  const types = (await run(root, ['openapi.yaml'])).stdout
    .replaceAll(/\/\*\*[^]*?\*\/|\s+/g, ' ')
    .replaceAll(/ +/g, ' ')
  for (const type of [
    'A: { kind: "one"; a?: string; };',
    'B: { kind: "two"; };',
    'C: { kind?: "c"; };',
    'D: { kind: "D"; };',
    'E: { kind: "E"; };',
    'any?: components["schemas"]["Any"] | null;',
    'Parent: { kind?: string; };',
    'Child: components["schemas"]["Parent"] & { kind: "Child" | "Grandchild"; };',
    'Grandchild: components["schemas"]["Child"] & { kind: "Grandchild"; };',
  ])
    expect(types).toContain(type)
})

test('--out writes a file, with its folders', async () => {
  const root = await folderWith({ 'api/shop.yaml': contractWith({}) })
  const { stdout: types } = await run(root, ['api/shop.yaml'])
  expect(await run(root, ['api/shop.yaml', '--out', 'src/made/shop.ts'])).toMatchObject({
    code: 0,
    stdout: 'wrote src/made/shop.ts\n',
  })
  expect(await readFile(join(root, 'src/made/shop.ts'), 'utf8')).toBe(types)
  expect(await run(root, ['api/shop.yaml', '--out', 'src'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--out: src cannot be written \(EISDIR.*\)\n$/) as string,
  })
})

test('a contract that is broken is refused at its place, and writes nothing', async () => {
  const root = await folderWith({ 'openapi.yaml': "openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths: 1\n" })
  const refusal = { code: 1, stdout: '', stderr: expect.stringMatching(/^openapi\.yaml:3:1: paths: /) as string }
  expect(await run(root, ['openapi.yaml'])).toMatchObject(refusal)
  await run(root, ['openapi.yaml', '--out', 'types.ts'])
  await expect(readFile(join(root, 'types.ts'))).rejects.toThrow('ENOENT')
})

test('a closed pipe is not an error', async () => {
  // More than a pipe and `head` hold.
  const Long = { type: 'string', description: 'long '.repeat(400_000) }
  const root = await folderWith({ 'openapi.yaml': contractWith({ components: { schemas: { Long } } }) })
  expect(await runPiped(root, ['types', 'openapi.yaml'], { after: '| head -n 1' })).toEqual({
    code: 0,
    stdout: '// Generated from openapi.yaml by fastify-contract. Do not edit.\n',
    stderr: '',
  })
})
