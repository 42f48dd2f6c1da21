import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseContract } from '../../../packages/fastify-contract/src/gate/check/read-contract.ts'
import { objectsOf } from '../../../packages/fastify-contract/src/gate/keywords/objects.ts'
import { generateFiles } from '../../../packages/fastify-contract/src/gate/generate/generate-files.ts'
import { stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { projectFolder } from '../../support/server/start-process.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { contractOf, failures } from '../words/own-contract.ts'

/** The generated files of a contract, without the lines that have its hash; `contract.json` has the contract itself. */
async function generatedFrom(contract: object): Promise<Record<string, string>> {
  const root = await temporaryFolder()
  await writeFile(join(root, 'openapi.yaml'), stringifyJson(contract, 1))
  const { files } = await generateFiles(root)
  const code = [...files].filter(([name]) => name.endsWith('.ts'))
  return Object.fromEntries(code.map(([name, text]) => [name, text.replace(/^\/\/ Generated from .*\n/, '')]))
}

const int64 = { type: 'integer', format: 'int64' }
const json = (schema: object) => ({ 'application/json': { schema } })

/** A contract with each word for which the generator marks schemas. */
const marked = contractOf(
  {
    '/things/{id}': {
      put: {
        operationId: 'putThing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: int64 },
          { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
        ],
        requestBody: { content: json({ $ref: '#/components/schemas/Thing' }) },
        responses: {
          200: {
            description: 'The thing.',
            headers: { 'X-Size': { schema: { type: 'integer' } } },
            content: json({ $ref: '#/components/schemas/Thing' }),
          },
          ...failures,
        },
      },
    },
  },
  {
    tags: [{ name: 'things' }],
    components: {
      parameters: { Page: { name: 'page', in: 'query', schema: { type: 'string' } } },
      headers: { 'X-Page': { schema: { type: 'string' } } },
      responses: { Gone: { description: 'Gone.' } },
      schemas: {
        Tree: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
        Thing: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', readOnly: true },
            size: { type: 'integer', default: 3 },
            secret: { allOf: [{ type: 'string', writeOnly: true }] },
            level: { ...int64, enum: [1, -2] },
            grade: { type: ['integer', 'null'], format: 'int64', enum: [1, null] },
            seven: { ...int64, const: 7 },
            tree: { $ref: '#/components/schemas/Tree' },
            other: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'boolean' } }] },
          },
        },
      },
    },
  },
)

const code = 'number }; export const injected = 1; type A = { a: 1'

/** What an author could write to be taken for the generator, by the words that it once had for its own marks. */
const forgeries: [words: string, members: object][] = [
  ['x-int64', { 'x-int64': [`1n; ${code}`] }],
  ['x-int64, a number', { 'x-int64': 5 }],
  ['x-int64, null', { 'x-int64': null }],
  ['x-alias', { 'x-alias': `Tree; ${code}`, 'x-schema': { type: 'string' } }],
  ['x-alias, a list', { 'x-alias': [] }],
  ['x-marks', { 'x-marks': ['$Default', code], 'x-schema': { type: 'string' } }],
  ['x-schema', { 'x-schema': { type: 'string', 'x-int64': [code] } }],
]

describe('what an author writes as an extension is no mark of the generator', () => {
  it.each(forgeries)('%s', async (_words, members) => {
    const texts = [stringifyJson(marked), await readFile(join(projectFolder, 'openapi.yaml'), 'utf8')]
    for (const text of texts) {
      const read = () => parseContract(Buffer.from(text), 'openapi.yaml').document
      const forged = read()
      const objects = objectsOf(forged).filter(({ object }) => object['$ref'] === undefined)
      expect(objects.length).toBeGreaterThan(30)
      for (const { object } of objects) Object.assign(object, structuredClone(members))
      expect(await generatedFrom(forged)).toEqual(await generatedFrom(read()))
    }
  })
})
