import { documentOf, sealContract } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { expect, onTestFinished, test } from 'vitest'
import { readContract as readChecked } from '../../src/check/read-contract.ts'
import { createMock } from '../../src/mock.ts'
import { type Result, readContract, test as testServer } from '../../src/suite.ts'
import { contractOf, json, noContent } from '../contracts.ts'
import { petsDocument } from './pets-contract.ts'

const text = { type: 'string' }
const key = { name: 'key', in: 'path', required: true, schema: { type: 'integer' } }
const thing = {
  type: 'object',
  required: ['key'],
  properties: { key: { type: 'integer' }, name: text, anything: { type: 'object' } },
}
const one = { 200: { description: 'One.', content: json(thing) } }
/** A contract that says little of failures, with integers of any size. */
const things = contractOf(
  {
    '/things': {
      post: {
        operationId: 'addThing',
        parameters: [{ name: 'X-Note', in: 'header', schema: text }],
        requestBody: { content: json(thing) },
        responses: { ...one, 401: { description: 'Who?' } },
      },
    },
    '/things/{key}': {
      parameters: [key],
      get: { operationId: 'getThing', responses: { ...one, 401: { description: 'Who?' } } },
      delete: { operationId: 'removeThing', responses: { 204: noContent[204], 401: { description: 'Who?' } } },
    },
    '/odd': {
      get: {
        operationId: 'beOdd',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0 } }],
        responses: { ...noContent, 400: { description: 'Odd.', content: json({ enum: ['an odd failure'] }) } },
      },
    },
  },
  { servers: [{ url: '/v1' }] },
)

test.each<[string, Record<string, unknown>, Record<string, string>]>([
  ['pets', petsDocument, { key: 'k' }],
  ['things', things, { bearer: 'Bearer t' }],
])('the suite finds nothing in the mock of a contract of %s', { timeout: 60_000 }, async (_name, document, auth) => {
  const read = await readChecked(Buffer.from(JSON.stringify(document)), 'openapi.json')
  const contract = sealContract({ document: stringifyJson(read.document) })
  const accepted = Object.fromEntries(Object.entries(auth).map(([name, value]) => [name, [value]]))
  const app = await createMock(contract, { docs: false, auth: accepted })
  onTestFinished(() => app.close())
  const results: Result[] = []
  for await (const result of testServer(readContract(documentOf(contract)), { app, auth, seed: 1 }))
    results.push(result)
  expect(results.filter(({ verdict }) => verdict === 'fault')).toEqual([])
  expect(results.filter(({ verdict }) => verdict === 'ok').length).toBeGreaterThan(20)
})
