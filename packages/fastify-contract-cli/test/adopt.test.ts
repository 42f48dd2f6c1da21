import { lookUp, parseJsonWithBigInts, stringifyJson } from 'fastify-contract/json'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readCheckedContract } from '../src/model/read-contract.ts'
import { dataOf, serve } from './contracts.ts'
import { type Parts, contractOfParts, like } from './keyword-cases.ts'

interface Adopted extends Omit<Parts, 'document'> {
  document?: object
  openapi?: string
  schemas?: unknown[]
  warned?: string[]
  served: Record<string, unknown> | object[]
}
// The file is not checked: the tests would fail on another form.
const adopted = Object.entries(dataOf('adopted.yaml') as Record<string, Adopted[]>)
const nameOf = (index: number) => `S${String(index)}`
/** Members that are written, and not served. */
const dropped = ['nullable', 'exclusiveMaximum', 'maxLength', 'contentMediaType', 'const']

describe('adopting a contract', () => {
  it.each(adopted)('%s', async (_title, rows) => {
    for (const { openapi = '3.1.0', schemas, warned = [], served, ...parts } of rows) {
      const named = schemas && { schemas: Object.fromEntries(schemas.map((each, index) => [nameOf(index), each])) }
      const contract = contractOfParts({
        ...parts,
        document: { openapi, ...parts.document },
        components: { ...parts.components, ...named },
      })
      const read = await readCheckedContract(Buffer.from(stringifyJson(contract, 1)), 'openapi.yaml')
      const { written, warnings } = read
      // A clone has no places.
      const document = structuredClone(read.document)
      expect(written).toEqual(contract)
      const found = warnings.map((line) => line.replace(/^openapi\.yaml:\d+:\d+: warning: /, ''))
      expect(found).toEqual(warned.map((warning) => expect.stringMatching(like(warning)) as string))
      expect(document).toMatchObject({ openapi: '3.1.0' })
      const isList = Array.isArray(served)
      for (const [key, part] of Object.entries(served)) {
        const reference = isList ? `#/components/schemas/${nameOf(Number(key))}` : key
        const object: unknown = lookUp(document, reference) ?? null
        expect({ [reference]: object }).toMatchObject({ [reference]: part })
        if (!isList) continue
        const left = Object.keys(object as object)
        expect(left.filter((name) => dropped.includes(name) && !(name in (part as object)))).toEqual([])
      }
    }
  })
})

describe('a contract of OpenAPI 3.0', () => {
  const contract = parse(`
openapi: 3.0.4
info: { title: Things, version: 1.0.0 }
paths:
  '/things/{id}':
    put:
      parameters: [{ name: tag, in: query, schema: { type: string, nullable: true } }]
      requestBody: { content: &json { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { 200: { description: The thing., content: *json }, 4xx: { description: No. } }
components:
  schemas:
    Thing:
      type: object
      required: [id, kind]
      properties:
        id: { type: integer, format: int64, minimum: 0, exclusiveMinimum: true }
        kind: { type: string, enum: [a, b], nullable: true }
        part: { $ref: '#/components/schemas/Thing', nullable: true }
        size: { type: number, format: decimal, xml: { attribute: true }, example: large }
        data: { type: string, format: byte, pattern: '^(?=a)' }
        code: { type: string, pattern: '^\\w+\\s$' }
`) as object

  it('is enforced as OpenAPI 3.0 defines it, and shown unchanged', async () => {
    const send = await serve(contract, {
      'PUT /things/{id}': ({ path, body }: { path: { id: string }; body: object }) =>
        path.id === 'same' ? { status: 200, body } : { status: 200, body: { ...body, kind: 'c' } },
    })
    const put = (thing: string, url = '/things/same?tag=null') => send({ method: 'PUT', url, body: thing })
    for (const thing of [
      '{"id":9007199254740993,"kind":null}',
      '{"id":1,"kind":"a","part":null}',
      '{"id":1,"kind":"b","part":{"id":2,"kind":null},"size":1.5,"data":"YWJj","code":"a\u00a0"}',
    ]) {
      const response = await put(thing)
      expect(response).toMatchObject({ status: 200 })
      expect(parseJsonWithBigInts(response.text)).toEqual(parseJsonWithBigInts(thing))
    }
    for (const thing of [
      '{"id":0,"kind":"a"}',
      '{"id":1,"kind":"c"}',
      '{"id":1}',
      '{"id":1,"kind":"a","part":{}}',
      '{"id":1,"kind":"a","data":"*"}',
      '{"id":1,"kind":"a","code":"-"}',
    ])
      expect(await put(thing), thing).toMatchObject({ status: 400 })
    expect(await put('{"id":1,"kind":"a"}', '/things/other')).toMatchObject({ status: 500 })
    const { text: shown } = await send({ method: 'GET', url: '/openapi.json' })
    expect(JSON.parse(shown)).toEqual(contract)
  })
})
