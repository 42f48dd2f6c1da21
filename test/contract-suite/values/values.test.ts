import { validateHeaderValue } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'
import type { ContractOperation } from '../../../packages/fastify-contract/src/document/document.ts'
import { isValid } from '../../support/responses/check-value.ts'
import type { ContractRequest } from '../contract-client.ts'
import { requestExamples } from '../parts/examples.ts'
import { requestBreaks, requestOf } from '../requests/request-arbitrary.ts'
import { beyondAjv, jsonBreaks, jsonOf } from './json-arbitrary.ts'

/** Schemas that a contract may have, each with the rules that the suite must know how to break. */
const schemas: [schema: Schema, rules: string[]][] = [
  [{ type: 'number', minimum: 0, maximum: 1000 }, ['type', 'minimum', 'maximum']],
  [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, format: 'float' }, ['type', 'exclusiveMinimum']],
  [{ type: 'number', multipleOf: 0.01, minimum: 0, maximum: 100 }, ['type', 'multipleOf']],
  [{ type: 'integer', format: 'int32', multipleOf: 5 }, ['type', 'integer', 'minimum', 'maximum']],
  ...['date', 'date-time', 'time', 'duration', 'uuid', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'byte'].map(
    (format): [Schema, string[]] => [{ type: 'string', format }, ['type', 'format']],
  ),
  [{ type: 'string', enum: ['red', 'green'] }, ['type', 'enum']],
  [{ type: ['string', 'null'], maxLength: 3 }, ['type']],
  [{ const: 'book' }, ['type']],
  [
    { type: 'array', items: { type: 'integer', format: 'int32' }, minItems: 1, maxItems: 3, uniqueItems: true },
    ['type', 'minItems', 'maxItems', 'uniqueItems', 'integer'],
  ],
  [{ type: 'object', properties: { a: { type: 'string', readOnly: true }, b: { type: 'number' } } }, ['type']],
  [{ type: 'object', additionalProperties: { type: 'integer', format: 'int32' } }, ['type']],
  [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'], minProperties: 2 }, ['type', 'required']],
  [
    {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'string' }, r: { type: 'boolean', readOnly: true } },
      additionalProperties: { type: 'integer', format: 'int32' },
      minProperties: 1,
    },
    ['type', 'required', 'surrogates', 'readOnly'],
  ],
  [
    {
      anyOf: [
        { type: 'integer', format: 'int32' },
        { type: 'string', format: 'date' },
      ],
    },
    ['type'],
  ],
  [
    {
      type: 'object',
      required: ['kind'],
      oneOf: [
        { properties: { kind: { const: 'loan' }, days: { type: 'integer', minimum: 1 } }, required: ['days'] },
        { properties: { kind: { const: 'sale' }, price: { type: 'number', minimum: 0 } }, required: ['price'] },
      ],
    },
    ['type'],
  ],
  [{ allOf: [{ type: 'object', properties: { a: { type: 'boolean' } } }, { required: ['a'] }] }, ['type', 'required']],
]

test.each(schemas)('values of %j are drawn and broken', (schema, rules) => {
  fc.assert(
    fc.property(jsonOf(schema), ({ text }) => {
      expect(isValid(JSON.parse(text), schema), text).toBe(true)
    }),
    { numRuns: 30, seed: 1 },
  )
  const breaks = jsonBreaks(schema, 'body')
  expect(breaks.map(({ rule }) => rule)).toEqual(expect.arrayContaining(rules))
  for (const { rule, place, text } of breaks) {
    fc.assert(
      fc.property(text, (broken) => {
        const isBroken = beyondAjv.includes(rule) || !isValid(JSON.parse(broken), schema)
        expect(isBroken, `${place} ${rule}: ${broken}`).toBe(true)
      }),
      { numRuns: 10, seed: 1 },
    )
  }
})

test('texts of a header can be sent, and mean what they say', () => {
  const texts = [
    { type: 'string' },
    { type: 'string', minLength: 1, maxLength: 300 },
    { type: 'string', pattern: '^[^x]*$' },
    { type: 'string', format: 'date' },
    { type: 'string', enum: ['a', 'b'] },
    { type: 'integer', minimum: 0, maximum: 9 },
    { type: 'array', items: { type: 'string' }, minItems: 2 },
  ]
  for (const schema of texts) {
    const parameters = [{ name: 'x-text', in: 'header', required: true, schema }]
    // The parts of an operation that requests are drawn from.
    const operation = { method: 'get', path: '/', parameters, object: {} } as unknown as ContractOperation
    const isSent = ({ headers = {} }: ContractRequest) => {
      for (const value of Object.values(headers).filter((each) => each !== undefined)) {
        expect(() => {
          validateHeaderValue('x-text', value)
        }).not.toThrow()
        expect(value).toBe(value.trim())
      }
    }
    fc.assert(
      fc.property(requestOf(operation), ({ request, meant }) => {
        isSent(request)
        const value = meant.parameters['x-text']
        if (Array.isArray(value)) expect(request.headers?.['x-text']?.split(',')).toEqual(value)
      }),
    )
    for (const { request } of requestBreaks(operation)) fc.assert(fc.property(request, isSent))
  }
})

test('examples of parameters are sent where the parameters stand', () => {
  const at = (name: string, place: string, example: unknown) => ({
    name,
    in: place,
    required: true,
    schema: {},
    example,
  })
  const parameters = [
    at('id', 'path', 'a/b'),
    at('tag', 'query', ['a b', 'c']),
    { ...at('ids', 'query', [1, 2n ** 60n]), explode: false },
    at('X-Mark', 'header', 'a b'),
    at('X-List', 'header', ['a', 'b']),
  ]
  const operation = { method: 'get', path: '/things/{id}', parameters, object: {} } as unknown as ContractOperation
  const request = {
    method: 'GET',
    url: '/things/a%2Fb?tag=a%20b&tag=c&ids=1,1152921504606846976',
    headers: { 'X-Mark': 'a b', 'X-List': 'a,b' },
  }
  expect(requestExamples(operation)).toEqual([['(unnamed)', request, undefined]])
})
