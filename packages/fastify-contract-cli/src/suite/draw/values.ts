import fc from 'fast-check'
import { mapMembers } from 'fastify-contract/json'
import { type JsonType, type Subschema, isSchema } from 'fastify-contract/schema'
import {
  type FlatSchema,
  type SchemaSource,
  flatten,
  isAllowed,
  isDeep,
  isOuter,
  merged,
  namedTypesOf,
  nullLast,
  sent,
  within,
} from './flat-schema.ts'
import type { Json } from './json-value.ts'
import { integerOf, numberOf } from './numbers.ts'
import { RawText } from './json-value.ts'
import { textsOf } from './texts.ts'
import { NoGenerator, attempt, needed } from '../ground/no-generator.ts'

/** Values that a schema allows in messages of the direction, its edges among them. @throws NoGenerator */
export function valuesOf(schema: Subschema, source: SchemaSource): fc.Arbitrary<Json> {
  return allowed(sent(flatten(schema, source)))
}

/** Values of a property or an item, of which one is found. @throws NoGenerator */
export function memberOf(flat: FlatSchema, schema: Subschema, name?: string): fc.Arbitrary<Json> {
  return known(allowed(sent(within(flat, schema, name))))
}

function neededMember(flat: FlatSchema, schema: Subschema, name: string): fc.Arbitrary<Json> {
  return needed(`${flat.place}/${name}`, () => memberOf(flat, schema, name))
}

function optionalMember(flat: FlatSchema, schema: Subschema, name: string): fc.Arbitrary<Json> | undefined {
  return attempt(`${flat.place}/${name}`, flat.source, () => memberOf(flat, schema, name))
}

/** How many values in a row may break a rule that they are not drawn by. */
const maxMisses = 1_000

/** Values that a schema allows. Drawing throws NoGenerator where none is found. */
export function allowed(flat: FlatSchema): fc.Arbitrary<Json> {
  return found(drawn(flat), isAllowed(flat), flat.source)
}

/** Those of some values that are right. Drawing throws NoGenerator where none is found. */
export function found<Value>(
  some: fc.Arbitrary<Value>,
  isRight: (value: Value) => boolean,
  { time }: Pick<SchemaSource, 'time'>,
  reason = 'no value is found that keeps all rules of a schema at once',
): fc.Arbitrary<Value> {
  let misses = 0
  return some.filter((value) => {
    time?.assertLeft()
    const isFound = isRight(value)
    misses = isFound ? 0 : misses + 1
    if (misses > maxMisses) throw new NoGenerator(reason)
    return isFound
  })
}

/** Values of which one is found. @throws NoGenerator where none is */
export function known<Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  fc.sample(values, { seed: 1, numRuns: 1 })
  return values
}

/** Values among which some are allowed by a schema, or all. @throws LeftOut */
export function drawn(flat: FlatSchema): fc.Arbitrary<Json> {
  flat.source.time?.assertLeft()
  const examples = flat.examples.map(exact).filter(isAllowed(flat))
  return examples.length === 0
    ? drawnAnew(flat)
    : fc.oneof({ weight: 9, arbitrary: drawnAnew(flat) }, constantOf(examples))
}

/** A value of a contract as values are drawn: its integers are bigints. */
export function exact(value: Json): Json {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : mapMembers(value, exact)
}

function drawnAnew(flat: FlatSchema): fc.Arbitrary<Json> {
  assertPossible(flat)
  const [alternatives, ...choices] = flat.choices
  if (alternatives !== undefined) return drawnFrom({ ...flat, choices }, alternatives)
  const constants = constantsOf(flat)
  if (constants !== undefined) return constantOf(constants)
  const types = namedTypesOf(flat)
  const anyType: JsonType[] = ['string', 'integer', 'boolean', 'null']
  return fc.oneof(...(types.length === 0 ? anyType : types).map((type) => byType[type](flat)))
}

/** The constants of a schema that keep its other rules; undefined where it has none. @throws NoGenerator if none does */
export function constantsOf(flat: FlatSchema): Json[] | undefined {
  const { assertions } = flat
  const constants = 'const' in assertions ? [assertions.const] : assertions.enum
  // Of conditions, some exclude each other.
  const possible = constants?.map(exact).filter(isAllowed(flat))
  if (possible?.length === 0) throw new NoGenerator('no constant of a schema keeps its other rules')
  return possible
}

/** @throws NoGenerator if the parts of a schema have no type in common, or it is `false`, or its counts leave nothing */
export function assertPossible(flat: FlatSchema): void {
  if (allowsNothing(flat)) throw new NoGenerator('a schema allows nothing')
}

function allowsNothing({ assertions, required }: FlatSchema): boolean {
  const { type, not, contains, minContains = 1, maxContains = Infinity, maxItems = Infinity } = assertions
  if (Array.isArray(type) && type.length === 0) return true
  if (isSchema(not) && Object.keys(not).length === 0) return true
  const isOnly = (only: JsonType) => type !== undefined && [type].flat().every((each) => each === only)
  const { minProperties = 0, maxProperties = Infinity } = assertions
  return (
    (isOnly('array') && contains !== undefined && minContains > Math.min(maxContains, maxItems)) ||
    (isOnly('object') && Math.max(minProperties, required.length) > maxProperties)
  )
}

/** Values of some alternatives, `null` last. */
function drawnFrom(flat: FlatSchema, alternatives: readonly Subschema[]): fc.Arbitrary<Json> {
  const sorted = alternatives.toSorted(nullLast((part) => isSchema(part) && part.type))
  const parts: fc.Arbitrary<Json>[] = []
  for (const [index, part] of sorted.entries()) {
    const draw = () => drawn(sent(merged(flat, within(flat, part))))
    const values = attempt(`${flat.place}, alternative ${String(index)}`, flat.source, draw)
    if (values !== undefined) parts.push(values)
  }
  if (parts.length === 0) throw new NoGenerator('no alternative of a schema has known values')
  return fc.oneof(...parts)
}

/** One of some values. Each before it is simpler. */
export function constantOf(values: readonly Json[]): fc.Arbitrary<Json> {
  return fc.noBias(fc.nat(values.length - 1)).map((index) => values[index])
}

const byType: Record<JsonType, (flat: FlatSchema) => fc.Arbitrary<Json>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: integerOf,
  number: numberOf,
  string: textsOf,
  array: (flat) => {
    assertListed(leastItems(flat))
    return listsOf(flat)
  },
  object: objectsOf,
}

/** How many items a list must have. */
export function leastItems({ assertions: { minItems = 0, contains, minContains = 1 } }: FlatSchema): number {
  return Math.max(minItems, contains === undefined ? 0 : minContains)
}

function listsOf(flat: FlatSchema): fc.Arbitrary<Json[]> {
  const { prefixItems, contains, minContains = 1, ...assertions } = flat.assertions
  if (prefixItems !== undefined) return tuplesOf(flat, prefixItems)
  const { items = { type: 'string' }, minItems = 0, maxItems = Infinity, uniqueItems } = assertions
  if (contains !== undefined && minContains > 0) {
    const lists = listsOf({ ...flat, assertions })
    const contained = memberOf(flat, { allOf: [assertions.items ?? true, contains] })
    const some = fc.array(contained, { minLength: minContains, maxLength: minContains + 1 })
    return fc.tuple(lists, some).map(([list, more]) => [...list.slice(more.length), ...more])
  }
  const item = (minItems > 0 ? neededMember : optionalMember)(flat, items, '0')
  if (item === undefined) return fc.constant([])
  const lengths = { minLength: minItems, maxLength: Math.min(maxItems, minItems + (isOuter(flat) ? 4 : 1)) }
  if (lengths.minLength > lengths.maxLength) throw new NoGenerator('a list has no possible length')
  if (uniqueItems === true) return fc.uniqueArray(item, { ...lengths, selector: (each) => fc.stringify(each) })
  // To draw each item of a long list would take seconds.
  const long = (lengthsOf: fc.Arbitrary<number>, limit: number) =>
    fc
      .tuple(fc.array(item, { minLength: 1, maxLength: limit }), lengthsOf)
      .map(([few, count]) => Array.from({ length: count }, (_, at) => few[at % few.length]))
  if (minItems > shortList) return long(fc.integer({ min: minItems, max: lengths.maxLength }), shortList)
  const lists = fc.array(item, lengths)
  if (maxItems <= lengths.maxLength || maxItems > longestEdge) return lists
  return fc.oneof({ weight: 9, arbitrary: lists }, long(fc.constant(maxItems), 2))
}

/** Lists whose first items have schemas of their own, with some of the others. */
function tuplesOf(flat: FlatSchema, prefixItems: readonly Subschema[]): fc.Arbitrary<Json[]> {
  const { prefixItems: _, ...assertions } = flat.assertions
  const { minItems = 0, maxItems = Infinity } = assertions
  // A schema may be `false`.
  const items: unknown = assertions.items
  const missing = Math.max(0, minItems - prefixItems.length)
  const first = fc.tuple(...prefixItems.map((schema, index) => neededMember(flat, schema, String(index))))
  if (items === false && missing > 0) throw new NoGenerator('a list has no possible length')
  const hasOthers = items !== false && maxItems > prefixItems.length
  const limits = { minItems: missing, maxItems: Math.min(missing + 2, maxItems - prefixItems.length) }
  const others = hasOthers ? listsOf({ ...flat, assertions: { ...assertions, ...limits } }) : fc.constant([])
  const whole = fc.tuple(first, others).map(([a, b]) => [...a, ...b])
  if (minItems >= prefixItems.length) return whole
  const shorter = fc.integer({ min: minItems, max: prefixItems.length })
  return fc.oneof(
    whole,
    fc.tuple(first, shorter).map(([list, length]) => list.slice(0, length)),
  )
}

/** The items of a list that are drawn one by one. */
const shortList = 10
/** The longest list that is drawn because `maxItems` allows it. */
const longestEdge = 100
/** The longest list or object that is drawn, whatever its schema asks for. */
const longestList = 1_000

/** A list of the same item. @throws NoGenerator */
export function listOf(item: Json, length: number): Json[] {
  assertListed(length)
  return Array<Json>(length).fill(item)
}

/** @throws NoGenerator for more items than are sent */
export function assertListed(length: number, of = `list of ${String(length)} items`): void {
  if (length > longestList) throw new NoGenerator(`no ${of} is sent`)
}

function objectsOf(flat: FlatSchema): fc.Arbitrary<object> {
  const { properties, required, assertions, source } = flat
  const members = Object.entries(properties).flatMap(([name, schema]): [string, fc.Arbitrary<Json>][] => {
    if (required.includes(name)) return [[name, neededMember(flat, schema, name)]]
    const member = isDeep(flat) ? undefined : optionalMember(flat, schema, name)
    return member === undefined ? [] : [[name, member]]
  })
  const { additionalProperties: others = true, minProperties = 0, maxProperties = Infinity } = assertions
  assertListed(minProperties, `object of ${String(minProperties)} properties`)
  // What no schema declares is dropped, and so may be anything; where one declares nothing, it is kept.
  const isDropped = Object.keys(properties).length > 0 && !('additionalProperties' in assertions)
  // What is required and not described has any value.
  const undescribed = required.filter((name) => others !== false && !Object.hasOwn(properties, name))
  const undescribedOf = (name: string) => (others === true ? anyJson(true) : neededMember(flat, others, name))
  const own = Object.fromEntries([...members, ...undescribed.map((name) => [name, undescribedOf(name)] as const)])
  const all = fc.record(own, { requiredKeys: required.filter((name) => Object.hasOwn(own, name)) })
  const optional = Object.keys(own).filter((name) => !required.includes(name))
  const room = maxProperties - (Object.keys(own).length - optional.length)
  const declared = room < optional.length ? few(all, optional, room) : all
  if (others === false || declared !== all) return declared
  const names = otherNames.filter((name) => !Object.hasOwn(properties, name))
  // Maps of themselves end with one that has no members.
  const drawOther = minProperties > Object.keys(own).length ? neededMember : optionalMember
  const otherValues = others === true ? anyJson(!isDropped) : drawOther(flat, others, '*')
  if (otherValues === undefined) return declared
  const unknown = fc.dictionary(names, otherValues, { maxKeys: 3 })
  // Whatever a server knows of these names, it must not look at what no schema declares.
  const every = oddNames
    .filter((name) => isDropped && !Object.hasOwn(properties, name))
    .map((name) => [name, 'a'] as const)
  if (isDropped && source.isClosed === true) return declared
  const some = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: unknown },
    { weight: 1, arbitrary: fc.subarray(every).map((members): object => Object.fromEntries(members)) },
  )
  return fc.tuple(declared, some).map(([a, b]): object => ({ ...b, ...a }))
}

/** Objects with at most some of their optional members. */
function few(objects: fc.Arbitrary<object>, optional: readonly string[], most: number): fc.Arbitrary<object> {
  const kept = fc.subarray([...optional], { maxLength: Math.max(0, most) })
  return fc.tuple(objects, kept).map(([object, names]): object => {
    const members = Object.entries(object).filter(([name]) => !optional.includes(name) || names.includes(name))
    return Object.fromEntries(members)
  })
}

/** Names of properties that a contract hardly has, among them those to which JavaScript gives a meaning. */
const oddNames = ['height', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'Name', 'name ']
const otherNames = fc.oneof(fc.constantFrom(...oddNames), fc.string({ maxLength: 8 }))

/** @param isKept whether the server keeps it, and so may refuse a number beyond the range of a double */
const anyJson = (isKept: boolean) =>
  fc.oneof(
    fc
      .constantFrom('123456789012345678901234567890', ...(isKept ? [] : ['1e999']))
      .map((text): Json => new RawText(text)),
    fc.constantFrom<Json[]>([[[{ a: [] }]]], { name: 'inner', id: 1 }),
    fc.jsonValue({ maxDepth: 2 }),
  )
