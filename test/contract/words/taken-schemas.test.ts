import { expect, test } from 'vitest'
import { contractOf, failures, problemsOf, serve } from './own-contract.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }
const int64 = { type: 'integer', format: 'int64' }
const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
})
const needs = (name: string) => ({ ...object(name), required: [name] })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const kind = (name: string) => ({ properties: { kind: { const: name } } })
const aIsX = { required: ['a'], properties: { a: { const: 'x' } } }

const schemas = {
  Base: object('a'),
  Chain: { ...to('Link'), required: ['a'] },
  Link: { ...to('Base'), required: ['b'] },
  NeedsA: { required: ['a'] },
  Pet: { ...object('kind'), required: ['kind'] },
  Cat: { allOf: [to('Pet'), kind('cat')] },
  Dog: { allOf: [to('Pet'), kind('dog')] },
  Feline: { oneOf: [to('Cat'), to('Lion')] },
  Lion: { allOf: [to('Pet'), kind('lion')] },
  Named: { type: ['string', 'null'] },
}
const mapping = { cat: '#/components/schemas/Feline', lion: '#/components/schemas/Feline' }

/** Schemas that are fine, each with values that go through unchanged, as JSON text. */
const taken: [schema: object, values: string[]][] = [
  // Types in a list, and keywords of some of them.
  [{ type: ['string', 'null'], maxLength: 3, pattern: '^[a-z]*$' }, ['"abc"', 'null']],
  [{ type: ['integer', 'null'], minimum: 1, maximum: 9 }, ['3', 'null']],
  [{ ...int64, type: ['integer', 'null'], minimum: 1 }, ['9007199254740993', 'null']],
  [{ type: ['number', 'string'], minimum: 1, minLength: 2 }, ['2', '"ab"']],
  [{ type: ['object', 'null'], properties: { a: integer }, required: ['a'] }, ['{"a":1}', 'null']],
  [{ type: ['string', 'null'], format: 'date' }, ['"2026-01-01"', 'null']],
  [{ ...to('Named'), maxLength: 2 }, ['"ab"', 'null']],
  [{ anyOf: [text, integer], maxLength: 3, minimum: 2 }, ['"abc"', '5']],
  // Constants.
  [{ enum: ['a', 1, null, true, 1.5, { a: 1 }, [1]] }, ['"a"', '1', 'null', 'true', '1.5', '{"a":1}', '[1]']],
  [{ type: ['integer', 'null'], enum: [1, null] }, ['1', 'null']],
  [{ const: null }, ['null']],
  [{ type: 'string', enum: ['$ref', '1'], examples: ['$ref'] }, ['"$ref"', '"1"']],
  // Required properties.
  [{ allOf: [object('a'), object('b')], required: ['a', 'b'] }, ['{"a":"x","b":"y"}']],
  [{ ...object('a', 'b'), anyOf: [{ required: ['a'] }, { required: ['b'] }] }, ['{"a":"x"}', '{"b":"x"}']],
  [{ type: 'object', required: ['kind'], oneOf: [kind('a'), kind('b')] }, ['{"kind":"a"}', '{"kind":"b"}']],
  [{ ...object('a'), if: aIsX, then: needs('b') }, ['{"a":"x","b":"y"}', '{"a":"y"}']],
  [{ ...object('a', 'c'), dependentSchemas: { a: needs('b') } }, ['{"a":"x","b":"y"}', '{"c":"x"}', '{}']],
  [{ ...to('Chain'), properties: { b: text } }, ['{"a":"x","b":"y"}']],
  [{ allOf: [to('NeedsA'), object('a')] }, ['{"a":"x"}']],
  [{ ...object('a'), required: ['z'], additionalProperties: integer }, ['{"z":2}']],
  [{ ...object('a'), required: ['z1'], patternProperties: { '^z': integer } }, ['{"z1":2}']],
  [{ ...object('a'), required: ['z'], unevaluatedProperties: integer }, ['{"z":2}']],
  [{ allOf: [object('a')], ...object('b'), required: ['a'], unevaluatedProperties: false }, ['{"a":"x","b":"y"}']],
  [{ type: 'object', required: ['z'] }, ['{"z":2}']],
  // Discriminators.
  [{ oneOf: [to('Cat'), to('Dog')], discriminator: { propertyName: 'kind' } }, ['{"kind":"dog"}']],
  [{ oneOf: [to('Feline'), to('Dog')], discriminator: { propertyName: 'kind', mapping } }, ['{"kind":"lion"}']],
  // Names that are words, too.
  [object('$ref', 'type', 'required', 'enum', 'nullable', 'constructor'), ['{"$ref":"a","nullable":"b"}']],
  // Numbers.
  [{ ...int64, minimum: -9223372036854775808n }, ['-9223372036854775808']],
  [{ allOf: [int64], minimum: 9007199254740993n }, ['9007199254740993']],
  [{ anyOf: [int64, { type: 'number' }] }, ['9007199254740993', '1.5']],
  [{ type: 'number', minimum: 0, maximum: 1e30, multipleOf: 0.01 }, ['19.99']],
  // Values that are open.
  [{ type: 'array', items: true, uniqueItems: true }, ['[1,"a"]']],
  [{ not: text }, ['1', 'null']],
]

test('schemas that are fine are generated and served', async () => {
  const content = (schema: object) => ({
    'application/json': { schema: { type: 'object', required: ['value'], properties: { value: schema } } },
  })
  const paths = taken.map(([schema], index) => {
    const responses = { 200: { description: 'The same.', content: content(schema) }, ...failures }
    const requestBody = { required: true, content: content(schema) }
    return [`/${String(index)}`, { put: { operationId: `echo${String(index)}`, requestBody, responses } }]
  })
  const contract = contractOf(Object.fromEntries(paths) as object, { components: { schemas } })
  expect(await problemsOf(contract)).toEqual([])
  const echo = ({ body }: { body: unknown }) => ({ status: 200, body })
  const { send } = await serve(contract, Object.fromEntries(taken.map((_, index) => [`echo${String(index)}`, echo])))
  for (const [index, [schema, values]] of taken.entries()) {
    for (const value of values) {
      const body = `{"value":${value}}`
      const reply = await send({ method: 'PUT', url: `/${String(index)}`, body })
      expect(reply, JSON.stringify(Object.keys(schema))).toMatchObject({ status: 200, text: body })
    }
  }
})
