import fc from 'fast-check'
import type { JsonType, Schema } from 'fastify-contract/schema'
import {
  type FlatSchema,
  type Json,
  type SchemaSource,
  flatten,
  inRequests,
  isAllowed,
  typesOf,
  within,
} from './flat-schema.ts'
import { integerOf, numberOf } from './numbers.ts'
import { textOf } from './texts.ts'
import { Undrawable, attempt } from './undrawable.ts'
import { merged } from './merge-schemas.ts'

/** Values that a schema allows in a request, its edges among them. @throws Undrawable */
export function valueOf(schema: Schema, contract: SchemaSource): fc.Arbitrary<Json> {
  return allowed(inRequests(flatten(schema, contract)))
}

/** Values of a property or an item. @throws Undrawable */
export function memberOf(flat: FlatSchema, schema: Schema | boolean): fc.Arbitrary<Json> {
  return allowed(inRequests(within(flat, schema)))
}

/** How many values in a row may break a rule that they are not drawn by. */
const mostMisses = 2_000

/** Values that a schema allows. Drawing throws Undrawable where none is found. */
export function allowed(flat: FlatSchema): fc.Arbitrary<Json> {
  return found(drawn(flat), isAllowed(flat))
}

/** Those of some values that are right. Drawing throws Undrawable where none is found. */
export function found<Value>(some: fc.Arbitrary<Value>, isRight: (value: Value) => boolean): fc.Arbitrary<Value> {
  let misses = 0
  return some.filter((value) => {
    const isFound = isRight(value)
    misses = isFound ? 0 : misses + 1
    if (misses > mostMisses) throw new Undrawable('no value is found that keeps all rules of a schema at once')
    return isFound
  })
}

/** One value that a schema allows, the same for a seed: its example, or plain values of all properties. @throws Undrawable */
export function sample(schema: Schema, contract: SchemaSource, seed = 1): Json {
  return fc.sample(valueOf(schema, { ...contract, isPlain: true }), { seed, numRuns: 1 })[0]
}

/** Values among which some are allowed by a schema, or all. */
export function drawn(flat: FlatSchema): fc.Arbitrary<Json> {
  const examples = flat.examples.map(exact).filter(isAllowed(flat))
  if (examples.length === 0) return drawnAnew(flat)
  return flat.contract.isPlain === true
    ? fc.constant(examples[0])
    : fc.oneof({ weight: 9, arbitrary: drawnAnew(flat) }, fc.constantFrom(...examples))
}

/** Integers are bigints. */
function exact(value: Json): Json {
  if (Array.isArray(value)) return value.map(exact)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exact(member)]))
  }
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}

function drawnAnew(flat: FlatSchema): fc.Arbitrary<Json> {
  const { anyOf, oneOf, ...assertions } = flat.assertions
  const alternatives = anyOf ?? oneOf
  if (alternatives !== undefined) {
    const parts = alternatives.flatMap((part, index) => {
      const one = () => drawn(inRequests(merged({ ...flat, assertions }, within(flat, part))))
      return attempt(`alternative ${String(index)}`, flat.contract, one) ?? []
    })
    if (parts.length === 0) throw new Undrawable('no alternative of a schema has known values')
    return fc.oneof(...parts)
  }
  const constants = 'const' in assertions ? [assertions.const] : assertions.enum
  if (constants !== undefined) return fc.constantFrom(...constants.map(exact))
  const types = typesOf(flat)
  const anyType: JsonType[] = ['string', 'integer', 'boolean', 'null']
  return fc.oneof(...(types.length === 0 ? anyType : types).map((type) => byType[type](flat)))
}

const byType: Record<JsonType, (flat: FlatSchema) => fc.Arbitrary<Json>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: integerOf,
  number: numberOf,
  string: textOf,
  array: arrayOf,
  object: objectOf,
}

function arrayOf(flat: FlatSchema): fc.Arbitrary<Json[]> {
  const { contract } = flat
  const { items = { type: 'string' }, minItems = 0, maxItems = Infinity, uniqueItems } = flat.assertions
  const item = minItems > 0 ? memberOf(flat, items) : attempt('items', flat.contract, () => memberOf(flat, items))
  if (item === undefined) return fc.constant([])
  const least = contract.isPlain === true ? Math.min(maxItems, Math.max(1, minItems)) : minItems
  const lengths = { minLength: least, maxLength: Math.min(maxItems, contract.isPlain === true ? least : least + 4) }
  if (lengths.minLength > lengths.maxLength) throw new Undrawable('a list has no possible length')
  return uniqueItems === true
    ? fc.uniqueArray(item, { ...lengths, selector: (each) => fc.stringify(each) })
    : fc.array(item, lengths)
}

/** How deep objects have properties that they need not have. */
const deepest = 5

function objectOf(flat: FlatSchema): fc.Arbitrary<object> {
  const { properties, required, assertions, contract, trail } = flat
  const members = Object.entries(properties).flatMap(([name, schema]): [string, fc.Arbitrary<Json>][] => {
    if (required.includes(name)) return [[name, memberOf(flat, schema)]]
    const member =
      trail.length > deepest ? undefined : attempt(`property ${name}`, contract, () => memberOf(flat, schema))
    return member === undefined ? [] : [[name, member]]
  })
  const requiredKeys =
    contract.isPlain === true
      ? members.map(([name]) => name)
      : required.filter((name) => Object.hasOwn(properties, name))
  const known = fc.record(Object.fromEntries(members), { requiredKeys })
  const { additionalProperties: others = true } = assertions
  if (others === false) return known
  // What is required and not described has any value.
  const undescribed = required.filter((name) => !Object.hasOwn(properties, name))
  const names = otherNames.filter((name) => !Object.hasOwn(properties, name))
  const values = others === true ? anyJson : memberOf(flat, others)
  const unknown = fc.dictionary(names, values, { maxKeys: 3 })
  const needed = fc.record(Object.fromEntries(undescribed.map((name) => [name, values])))
  if (contract.isPlain === true) return fc.tuple(known, needed).map(([a, b]): object => ({ ...a, ...b }))
  const any = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unknown })
  return fc.tuple(known, any, needed).map(([a, b, c]): object => ({ ...a, ...b, ...c }))
}

/** Names of properties that a contract hardly has, among them those to which JavaScript gives a meaning. */
const otherNames = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'ID', 'Name', 'name ', 'height'),
  fc.string({ maxLength: 8 }),
)

const anyJson = fc.oneof(
  fc.constantFrom('1e999', '123456789012345678901234567890').map((text): Json => JSON.rawJSON(text)),
  fc.constantFrom<Json[]>([[[{ a: [] }]]], { name: 'inner', id: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
)
