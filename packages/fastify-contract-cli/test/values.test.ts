import fc from 'fast-check'
import { parseJsonWithBigInts } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { expect, test } from 'vitest'
import { conform } from '../src/mock/conform.ts'
import { breaksOf } from '../src/suite/break/breaks.ts'
import { readContract } from '../src/suite/ground/contract.ts'
import { NoGenerator } from '../src/suite/ground/no-generator.ts'
import { spelled } from '../src/suite/write/spellings.ts'
import { plainValue } from '../src/suite/draw/plain-value.ts'
import { valuesOf } from '../src/suite/draw/values.ts'
import { unsatisfiable } from './keyword-cases.ts'

const count: Schema = { type: 'integer', format: 'int32' }
const flag: Schema = { type: 'boolean' }
const tree = { type: 'object', required: ['flag'], properties: { flag, trees: { type: 'array', items: {} } } }
tree.properties.trees.items = { $ref: '#/components/schemas/Tree' }
const contract = readContract({ openapi: '3.1.0', components: { schemas: { Count: count, Tree: tree } } })
const kinds = ['loan', 'sale'].map((kind) => ({ properties: { kind: { const: kind }, count }, required: ['kind'] }))

/** What a contract may say, beyond what this project's own contract does. */
const schemas: Schema[] = [
  { type: 'number', minimum: 0, maximum: 1000 },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 1_000_000 },
  { ...count, multipleOf: 5 },
  { type: 'string', format: 'date', examples: ['2026-02-28'] },
  { type: 'string', pattern: '^[A-Z]{3}$' },
  { type: 'string', enum: ['red', 'green'] },
  { type: ['string', 'null'], maxLength: 3 },
  { const: 'book' },
  { anyOf: [count, { type: 'string', maxLength: 3 }] },
  { type: 'object', oneOf: kinds },
  { type: 'array', items: count, minItems: 1, maxItems: 3, uniqueItems: true },
  { type: 'object', properties: { flag }, additionalProperties: false },
  { type: 'object', additionalProperties: count, minProperties: 1, maxProperties: 2 },
  { type: 'object', minProperties: 1, properties: Object.fromEntries(Array.from('abcdefgh', (name) => [name, count])) },
  { type: 'object', allOf: [{ properties: { flag } }, { required: ['flag'] }] },
  { type: 'object', properties: { flag, text: { type: 'string', readOnly: true } } },
  { type: 'string', not: { enum: ['none', 'any'] } },
  { ...count, if: { minimum: 10 }, then: { multipleOf: 2 }, else: { maximum: 3 } },
  { allOf: [{ ...count, maximum: 9 }, { type: 'number', maximum: 5, multipleOf: 2 }, { multipleOf: 3 }] },
  { $ref: '#/components/schemas/Count', minimum: 3 },
  { $ref: '#/components/schemas/Tree' },
]

test.each(schemas)('the values of %j are drawn, and each of its rules is broken', (schema) => {
  const valid = fc.sample(valuesOf(schema, contract), { seed: 1, numRuns: 50 })
  expect(valid.flatMap((value) => contract.problemsOf(value, schema))).toEqual([])
  const breaks = breaksOf(schema, 'body', contract)
  const keywords = Object.keys(schema).filter(
    (keyword) => !['properties', 'items', 'allOf', '$ref', 'type', 'examples'].includes(keyword),
  )
  expect(breaks.map(({ rule }) => rule)).toEqual(expect.arrayContaining(keywords))
  for (const { rule, place, draw } of breaks.filter((each) => each.rule !== 'readOnly')) {
    for (const value of fc.sample(draw(), { seed: 1, numRuns: 20 })) {
      // What is undefined is left out.
      const sent: unknown = rule === 'required' ? JSON.parse(JSON.stringify(value)) : value
      expect(contract.problemsOf(sent, schema), `${place}: ${rule}`).not.toEqual([])
    }
  }
})

/** A schema without a rule at a place. */
function without(rule: string, [name, ...inner]: string[], schema: Schema): Schema {
  if (name === undefined) {
    const implied = rule === 'integer' ? ['type', 'format', 'multipleOf'] : rule === 'type' ? [rule, 'format'] : [rule]
    return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !implied.includes(keyword)))
  }
  const { properties = {}, required = [], items } = schema
  if (rule === 'required' && inner.length === 0)
    return { ...schema, required: required.filter((each) => each !== name) }
  const within = (part: unknown) => without(rule, inner, part as Schema)
  return name === '0'
    ? { ...schema, items: within(items) }
    : { ...schema, properties: { ...properties, [name]: within(properties[name]) } }
}

const price: Schema = { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 1_000_000 }
const code: Schema = { type: 'string', pattern: '^[a-c]+$', minLength: 2, maxLength: 5 }

test.each<[schema: Schema, implied?: string]>([
  [price],
  [{ type: 'number', multipleOf: 1e-7, exclusiveMinimum: -180, maximum: 180 }],
  [{ type: 'number', multipleOf: 0.25, minimum: 0 }],
  [{ ...count, minimum: 10, maximum: 1000, multipleOf: 5 }, 'format'],
  [{ type: 'integer', format: 'int64', minimum: 1, exclusiveMaximum: 100 }, 'format'],
  [code],
  [{ type: 'string', enum: ['red', 'green'] }, 'type'],
  [
    { type: 'object', required: ['a'], properties: { a: flag }, oneOf: [{ required: ['b'] }, { required: ['c'] }] },
    'type',
  ],
  [{ type: 'array', items: price, minItems: 2, maxItems: 3, uniqueItems: true }],
  [{ type: 'object', required: ['code'], properties: { code, price, flag }, minProperties: 2, maxProperties: 2 }],
])('what breaks a rule of %j breaks no other, however small it becomes', (schema, implied) => {
  for (const { place, rule, draw } of breaksOf(schema, 'body', contract).filter((each) => each.rule !== implied)) {
    const rest = without(rule, place.split('/').slice(1), schema)
    const small = fc.check(fc.property(draw(), () => false)).counterexample ?? []
    for (const value of [...small, ...fc.sample(draw(), { seed: 1, numRuns: 50 })]) {
      const text = spelled(value, 0)
      // A fraction that no double holds is one in the text alone.
      if (rule !== 'integer') expect(contract.problemsOf(parseJsonWithBigInts(text), schema), text).not.toEqual([])
      expect(contract.problemsOf(parseJsonWithBigInts(text), rest), `${place} ${rule}: ${text}`).toEqual([])
    }
  }
})

test.each<[Schema, smallest: number | bigint]>([
  [{ ...price, minimum: 0.01 }, 0.011],
  [{ ...count, minimum: 10, multipleOf: 5 }, 11n],
  [{ ...count, minimum: 11, maximum: 15, multipleOf: 5 }, 14n],
])('what breaks multipleOf of %j becomes as small as it can', (schema, smallest) => {
  const draw = breaksOf(schema, 'body', contract).find(({ rule }) => rule === 'multipleOf')!.draw
  for (let seed = 1; seed <= 10; seed++)
    expect(
      fc.check(
        fc.property(draw(), () => false),
        { seed },
      ).counterexample,
    ).toEqual([smallest])
})

const own = { $ref: '#/components/schemas/Own' }

test.each<[Schema]>([
  [{ type: 'object', additionalProperties: own }],
  [{ type: 'array', items: own }],
  [{ type: 'object', additionalProperties: { type: 'array', items: own } }],
  [{ allOf: [{ type: 'object' }, { additionalProperties: own }] }],
  [{ type: 'object', properties: { flag }, additionalProperties: { anyOf: [own, { type: 'null' }] } }],
  [{ oneOf: [{ type: 'string' }, { type: 'object', minProperties: 1, additionalProperties: own }] }],
])('values of %j, which contains itself, are drawn', (schema) => {
  const within = readContract({ openapi: '3.1.0', components: { schemas: { Own: schema } } })
  const values = fc.sample(valuesOf(own, within), { seed: 1, numRuns: 50 })
  for (const value of [...values, plainValue(own, within)]) expect(within.problemsOf(value, own)).toEqual([])
  expect(values.map((value) => spelled(value, 0)).some((text) => /[[{].*[[{]/.test(text))).toBe(true)
})

test.each(unsatisfiable)(
  'no value is drawn where $keyword leaves nothing, and what may have it is drawn without',
  ({ schema, isFoundByTrial = false }) => {
    expect(() => fc.sample(valuesOf(schema as Schema, contract), 1)).toThrow(NoGenerator)
    if (isFoundByTrial) return
    const around: Schema = {
      type: 'object',
      properties: { flag, value: schema as Schema },
      additionalProperties: false,
    }
    for (const value of fc.sample(valuesOf(around, contract), { seed: 1, numRuns: 5 }))
      expect(value).not.toHaveProperty('value')
  },
)

test('no long integer breaks the rule of other properties that may be numbers', () => {
  const schema: Schema = { type: 'object', additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }] } }
  const broken = breaksOf(schema, 'body', contract).find(({ rule }) => rule === 'additionalProperties')!
  for (const value of fc.sample(broken.draw(), { seed: 1, numRuns: 300 })) {
    const read = parseJsonWithBigInts(spelled(value, 0))
    expect(contract.problemsOf(read, schema), spelled(value, 0)).not.toEqual([])
  }
})

test.each<[Schema]>([
  [{ type: 'array', items: count, example: [7, 8] }],
  [{ type: 'array', items: count, default: [7, 8] }],
  [{ type: 'array', items: count, examples: [[7, 8]] }],
  [{ type: ['array', 'null'], items: count, example: null }],
])('the plain value of %j is its example', (schema) => {
  expect(plainValue(schema, contract)).toEqual(schema.example === null ? null : [7n, 8n])
})

test('a plain value lacks only the part that has none', () => {
  const none: Schema = { allOf: [{ pattern: '^a' }, { pattern: '^b' }], type: 'string' }
  const schema: Schema = { type: 'object', properties: { flag, none, either: { anyOf: [none, count] } } }
  expect(plainValue(schema, contract)).toEqual({ flag: true, either: 1n })
})

test('a decimal is made of digits, and no text is refused for it', () => {
  const decimal: Schema = { type: 'string', format: 'decimal' }
  const texts = fc.sample(valuesOf(decimal, contract), { seed: 1, numRuns: 20 })
  for (const text of [plainValue(decimal, contract), ...texts]) expect(text).toMatch(/^-?[0-9]+(?:\.[0-9]+)?$/)
  expect(breaksOf(decimal, 'body', contract).map(({ rule }) => rule)).not.toContain('format')
})

test('the mock keeps the properties that a condition declares', () => {
  const kind: Schema = { type: 'string' }
  const then: Schema = { properties: { count }, required: ['count'] }
  const schema: Schema = { type: 'object', properties: { kind }, if: { properties: { kind: { const: 'loan' } } }, then }
  expect(conform({ kind: 'loan', count: 5, other: 1 }, schema, contract)).toEqual({ kind: 'loan', count: 5 })
  expect(conform({ kind: 'sale', count: 5 }, schema, contract)).toEqual({ kind: 'sale' })
})

test('lists are drawn at both ends of their range, however deep they are', () => {
  const list = (maxItems: number): Schema => ({
    type: 'array',
    maxItems,
    items: { type: 'object', properties: { flag } },
  })
  const properties = { few: list(4), many: list(60) }
  const inner = { type: 'object', required: ['few', 'many'], properties } as const
  const schema: Schema = { type: 'object', required: ['inner'], properties: { inner } }
  const drawn = fc.sample(valuesOf(schema, contract), { seed: 1, numRuns: 100 }) as {
    inner: Record<string, unknown[]>
  }[]
  const lengths = (name: string) => new Set(drawn.map(({ inner: { [name]: items = [] } }) => items.length))
  expect([...lengths('few')]).toEqual(expect.arrayContaining([0, 4]))
  expect([...lengths('many')]).toEqual(expect.arrayContaining([0, 60]))
})

test.each<[Schema, string[]]>([
  // Python's `$` is before a last line feed, and a search looks anywhere.
  [{ type: 'string', pattern: '^[a-c]{2}-[0-9]$' }, ['[a-c]{2}-[0-9]', '^[a-c]{2}-[0-9](?![^\\n])']],
  [{ type: 'string', enum: ['red', 'Green'] }, ['^(?:RED|GREEN|green)$']],
])('%j is broken by what a lax server takes', (schema, lax) => {
  const drawn = breaksOf(schema, 'body', contract).flatMap(({ draw }) => fc.sample(draw(), { seed: 1, numRuns: 60 }))
  for (const pattern of lax) expect(drawn).toContainEqual(expect.stringMatching(new RegExp(pattern)))
})
