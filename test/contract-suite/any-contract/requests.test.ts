import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ContractOperation } from '../../../packages/fastify-contract/src/document/document.ts'
import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'
import { problemsOf } from '../../support/responses/check-response.ts'
import { requestBreaksOf } from './broken-requests.ts'
import { requestExamplesOf, requestsOf } from './requests.ts'
import { breaksOf, valueOf } from './values.ts'

const count = { type: 'integer', format: 'int32' }
const flag = { type: 'boolean' }
const kinds = ['loan', 'sale'].map((kind) => ({ properties: { kind: { const: kind }, count }, required: ['kind'] }))

/** What a contract may say, beyond what this project's own contract does. */
const schemas: Schema[] = [
  { type: 'number', minimum: 0, maximum: 1000 },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 100 },
  { ...count, multipleOf: 5 },
  ...['date', 'date-time', 'time', 'duration', 'uuid', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'byte'].map(
    (format) => ({ type: 'string', format }),
  ),
  { type: 'string', pattern: '^[A-Z]{3}$' },
  { type: 'string', enum: ['red', 'green'] },
  { type: ['string', 'null'], maxLength: 3 },
  { const: 'book' },
  { anyOf: [count, { type: 'string', format: 'date' }] },
  { type: 'object', oneOf: kinds },
  { type: 'array', items: count, minItems: 1, maxItems: 3, uniqueItems: true },
  { type: 'object', properties: { flag }, additionalProperties: false },
  { type: 'object', additionalProperties: count, minProperties: 1, maxProperties: 2 },
  { type: 'object', allOf: [{ properties: { flag } }, { required: ['flag'] }] },
  { type: 'object', properties: { flag, text: { type: 'string', readOnly: true } } },
]

test.each(schemas)('values of %j are drawn, and each of its rules is broken', (schema) => {
  const valid = fc.sample(valueOf(schema), { seed: 1, numRuns: 50 })
  expect(valid.flatMap((value) => problemsOf(value, schema))).toEqual([])
  const breaks = breaksOf(schema, 'body')
  const keywords = Object.keys(schema).filter((keyword) => !['properties', 'items', 'allOf', 'type'].includes(keyword))
  expect(breaks.map(({ rule }) => rule)).toEqual(expect.arrayContaining(keywords))
  for (const { rule, place, values } of breaks.filter((each) => each.rule !== 'readOnly')) {
    expect(values, `${place}: ${rule}`).toBeDefined()
    for (const value of fc.sample(values!, { seed: 1, numRuns: 20 })) {
      // What is undefined is left out.
      const sent: unknown = rule === 'required' ? JSON.parse(JSON.stringify(value)) : value
      expect(problemsOf(sent, schema), `${place}: ${rule}`).not.toEqual([])
    }
  }
})

test('parameters stand where the contract says', () => {
  const text = { type: 'string', maxLength: 9 }
  const list = { type: 'array', items: text }
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: text, example: 'a/b' },
    { name: 'tag', in: 'query', required: true, schema: list, example: ['a b', 'c'] },
    { name: 'ids', in: 'query', required: true, schema: list, explode: false, example: [1, 2n ** 60n] },
    { name: 'X-Mark', in: 'header', required: true, schema: text, example: 'a b' },
    { name: 'X-List', in: 'header', required: true, schema: list, example: ['a', 'b'] },
  ]
  // The parts of an operation that requests are made from.
  const operation = { method: 'get', path: '/things/{id}', parameters, object: {} } as unknown as ContractOperation
  expect(requestExamplesOf(operation).map(({ request }) => request)).toEqual([
    {
      method: 'GET',
      url: '/things/a%2Fb?tag=a%20b&tag=c&ids=1,1152921504606846976',
      headers: { 'X-Mark': 'a b', 'X-List': 'a,b' },
    },
  ])
  const broken = requestBreaksOf(operation).map(([, , requests]) => requests!)
  for (const { headers = {} } of [requestsOf(operation), ...broken].flatMap((requests) => fc.sample(requests, 20))) {
    for (const value of Object.values(headers)) expect(value).toMatch(/^[!-~]*$/)
  }
})
