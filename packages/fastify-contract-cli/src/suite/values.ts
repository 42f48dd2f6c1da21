import fc from 'fast-check'
import type { JsonType, Schema } from 'fastify-contract/schema'
import { problemsOf } from './check-response.ts'

/** A JSON value: an integer is a bigint, and a number that no double holds is made by `JSON.rawJSON`. */
export type Json = unknown

/** The keywords that assert something of a value and for which values are drawn on purpose. */
interface Assertions {
  type?: JsonType | JsonType[]
  format?: string
  enum?: Json[]
  const?: Json
  minimum?: number | bigint
  maximum?: number | bigint
  exclusiveMinimum?: number | bigint
  exclusiveMaximum?: number | bigint
  multipleOf?: number | bigint
  minLength?: number
  maxLength?: number
  pattern?: string
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

/** A schema whose `allOf` is merged. */
interface FlatSchema {
  assertions: Assertions
  properties: Record<string, Schema>
  required: string[]
  examples: Json[]
}

const annotations = (
  'title description default deprecated readOnly writeOnly discriminator externalDocs ' +
  '$comment x-enum-varnames x-enum-descriptions'
).split(' ')

/** Merges the parts of a schema. @throws Error when two of them disagree about a keyword */
export function flatten(schema: Schema): FlatSchema {
  const { allOf, properties, required, example, examples, ...others } = schema
  const flat: FlatSchema = {
    // `generate` has checked the values of all keywords.
    assertions: Object.fromEntries(Object.entries(others).filter(([keyword]) => !annotations.includes(keyword))),
    properties: (properties ?? {}) as FlatSchema['properties'],
    required: (required ?? []) as string[],
    examples: [...((examples ?? []) as Json[]), ...(example === undefined ? [] : [example])],
  }
  return ((allOf ?? []) as Schema[]).map(flatten).reduce(merged, flat)
}

function merged(a: FlatSchema, b: FlatSchema): FlatSchema {
  const assertions: Record<string, unknown> = { ...a.assertions, ...b.assertions }
  for (const [keyword, value] of Object.entries(a.assertions)) {
    if (assertions[keyword] !== value) throw new Error(`two parts of a schema disagree about ${keyword}`)
  }
  return {
    assertions,
    properties: { ...a.properties, ...b.properties },
    required: [...a.required, ...b.required],
    examples: [...a.examples, ...b.examples],
  }
}

/** The types that a schema names. */
export function typesOf({ assertions: { type = [] }, properties }: FlatSchema): JsonType[] {
  const types = [type].flat()
  return types.length === 0 && Object.keys(properties).length > 0 ? ['object'] : types
}

/** A request has no `readOnly` properties, whatever is required of a response. */
function inRequests({ properties, required, ...flat }: FlatSchema): FlatSchema {
  const isReadOnly = (name: string) => properties[name]?.['readOnly'] === true
  return {
    ...flat,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isReadOnly(name))),
    required: required.filter((name) => !isReadOnly(name)),
  }
}

/** Finds out whether a value keeps the rules of a schema, but for those of its items and properties. */
function isAllowed(flat: FlatSchema): (value: Json) => boolean {
  const { items: _items, ...assertions } = flat.assertions
  const properties = Object.fromEntries(Object.keys(flat.properties).map((name) => [name, true]))
  const schema = { ...assertions, required: flat.required, properties }
  const { min, max } = rangeOf(flat)
  return (value) => {
    // Ajv reads integers as doubles.
    if (typeof value === 'bigint' && typesOf(flat).includes('integer') && (value < min || value > max)) return false
    return problemsOf(value, schema).length === 0
  }
}

/** Values that a schema allows in a request, its edges among them. */
export function valueOf(schema: Schema): fc.Arbitrary<Json> {
  return allowed(inRequests(flatten(schema)))
}

function allowed(flat: FlatSchema): fc.Arbitrary<Json> {
  return drawn(flat).filter(isAllowed(flat))
}

/** Values among which some are allowed by a schema, or all. */
function drawn(flat: FlatSchema): fc.Arbitrary<Json> {
  const { anyOf, oneOf, ...assertions } = flat.assertions
  const alternatives = anyOf ?? oneOf
  if (alternatives !== undefined) {
    const parts = alternatives.map((part) => merged({ ...flat, assertions }, flatten(part)))
    return fc.oneof(...parts.map((part) => drawn(inRequests(part))))
  }
  const constants = 'const' in assertions ? [assertions.const] : assertions.enum
  // Integers are bigints.
  const exact = (value: Json) => (Number.isInteger(value) ? BigInt(value as number) : value)
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
  array: ({ assertions: { items = { type: 'string' }, minItems = 0, maxItems = Infinity, uniqueItems } }) => {
    const lengths = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) }
    return uniqueItems === true
      ? fc.uniqueArray(valueOf(items), { ...lengths, selector: (item) => fc.stringify(item) })
      : fc.array(valueOf(items), lengths)
  },
  object: ({ properties, required, assertions }) => {
    const members = Object.entries(properties).map(([name, schema]) => [name, valueOf(schema)] as const)
    const known = fc.record(Object.fromEntries(members), {
      requiredKeys: required.filter((name) => Object.hasOwn(properties, name)),
    })
    const { additionalProperties: others = true } = assertions
    if (others === false) return known
    const names = otherNames.filter((name) => !Object.hasOwn(properties, name))
    const unknown = fc.dictionary(names, others === true ? anyJson : valueOf(others), { maxKeys: 3 })
    const any = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unknown })
    return fc.tuple(known, any).map(([a, b]) => ({ ...a, ...b }))
  },
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

/** Where integers go wrong in software: the ends of 8, 16, 32, 53 and 64 bits, and their neighbours. */
const awkwardIntegers = [0n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n]
  .flatMap((bits) => [-2n, -1n, 0n, 1n, 2n].map((distance) => 2n ** bits + distance))
  .flatMap((integer) => [integer, -integer])

/** No format of a contract: that of integers that are too large for each of them. */
const beyondFormats = 'beyond'
const bitsOf: Record<string, bigint> = { int32: 31n, int64: 63n, [beyondFormats]: 100n }

/** The smallest and the largest integer of a schema. */
function rangeOf({ assertions }: FlatSchema): { min: bigint; max: bigint } {
  const bits = bitsOf[assertions.format ?? ''] ?? 63n
  const [lowest, highest] = [-(2n ** bits), 2n ** bits - 1n]
  const { minimum = lowest, maximum = highest, exclusiveMinimum: above, exclusiveMaximum: below } = assertions
  const integer = (bound: number | bigint) => BigInt(typeof bound === 'number' ? Math.trunc(bound) : bound)
  const lower = [lowest, integer(minimum), above === undefined ? lowest : integer(above) + 1n]
  const upper = [highest, integer(maximum), below === undefined ? highest : integer(below) - 1n]
  return { min: lower.reduce((a, b) => (a > b ? a : b)), max: upper.reduce((a, b) => (a < b ? a : b)) }
}

function integerOf(flat: FlatSchema): fc.Arbitrary<bigint> {
  const { min, max } = rangeOf(flat)
  const factor = BigInt(flat.assertions.multipleOf ?? 1)
  const isFitting = (integer: bigint) => integer >= min && integer <= max && integer % factor === 0n
  const others = [min + 1n, max - 1n, ...awkwardIntegers].filter(isFitting)
  return fc.oneof(
    ...[[min, max].filter(isFitting), others].filter((some) => some.length > 0).map((some) => fc.constantFrom(...some)),
    fc.bigInt({ min: min / factor, max: max / factor }).map((count) => count * factor),
  )
}

function numberOf({ assertions }: FlatSchema): fc.Arbitrary<number> {
  const largest = assertions.format === 'float' ? 3.4028234663852886e38 : Number.MAX_VALUE
  const min = Math.max(-largest, Number(assertions.minimum ?? assertions.exclusiveMinimum ?? -largest))
  const max = Math.min(largest, Number(assertions.maximum ?? assertions.exclusiveMaximum ?? largest))
  const factor = Number(assertions.multipleOf ?? 0)
  if (factor > 0) {
    const counts = { min: Math.ceil(Math.max(min / factor, -1e6)), max: Math.floor(Math.min(max / factor, 1e6)) }
    // A product of doubles that is no multiple as a decimal, such as 3 * 0.1, is rounded to one that is.
    return fc.integer(counts).map((count) => Number((count * factor).toPrecision(12)))
  }
  const edges = [min, max, 0, -0.5, 0.1, 1, 54.5, 1e21, 5e-324]
  return fc.oneof(fc.constantFrom(...edges), fc.double({ min, max, noNaN: true }))
}

const moment = fc
  .date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())

const urls = fc.constantFrom('https://plants.example/', 'http://a.example:8080/b?c=d#e', 'https://[::1]/%20')

/** Texts of formats. fast-check takes seconds to make its own URLs. */
const textFormats: Record<string, () => fc.Arbitrary<string>> = {
  date: () => moment.map((text) => text.slice(0, 10)),
  'date-time': () => moment,
  time: () => moment.map((text) => text.slice(11)),
  duration: () => fc.constantFrom('P1D', 'PT1H30M', 'P1Y2M3DT4H5M6S', 'P2W'),
  uuid: () => fc.uuid(),
  email: () => fc.stringMatching(/^[a-z0-9]{1,12}@[a-z]{1,10}\.(?:org|example)$/),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uri: () => urls,
  url: () => urls,
  'uri-reference': () => fc.webPath(),
  byte: () => fc.base64String(),
}

/** Every text is of these formats. */
const freeFormats = ['password', 'binary', beyondFormats]

/** Characters that software is known to change, cut or refuse. */
const awkwardUnits = Array.from(
  'aZ09 "\\/\'<&%+;:,{}[]' +
    '\0\x01\b\t\n\v\f\r\x1b\x1f\x7f\x80\x85\x9f\xa0\xad' +
    // Letters that combine, change case into more than one letter, or have equals under normalisation.
    '\u0301\u0327\u00e9\u00df\u0130\u01c5\u03c2\u1e9e\ufb01\u212b\uff21\u1100\u1161' +
    // From right to left, without width, separators, marks.
    '\u05d0\u0627\ufdfd\u200e\u202e\u2066\u2069\u180e\u200b\u200d\u2028\u2029\u3000\ufe0f\ufeff\ufffc\ufffd' +
    // The neighbours of the surrogates, private use, noncharacters, unassigned, and what is beyond the first plane.
    '\ud7ff\ue000\ufdd0\ufdef\ufffe\uffff\u0378\u{10000}\u{1f331}\u{1f3fd}\u{1fffe}\u{e0001}\u{f0000}\u{10ffff}',
)

// The ready unit of all code points takes fast-check seconds to make.
const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))
const anyUnit = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...awkwardUnits) },
  { weight: 1, arbitrary: codePoint.filter((unit) => unit.isWellFormed()) },
)

/** Longer than any text that a contract without `maxLength` should be believed to take. */
const longestText = 1_000

/** @throws Error when nothing is known of the format */
function textOf({ assertions, examples }: FlatSchema): fc.Arbitrary<string> {
  const { minLength: min = 0, maxLength: max = longestText, pattern = '', format = 'binary' } = assertions
  if (!freeFormats.includes(format)) {
    if (textFormats[format] !== undefined) return textFormats[format]()
    // `generate` has checked that examples are of the format.
    if (examples.length > 0) return fc.constantFrom(...(examples as string[]))
    throw new Error(`nothing is known of the format ${format}; give its schema examples, or teach values.ts`)
  }
  const expression = new RegExp(pattern, 'u')
  // Any pattern but that of one class of characters draws its own texts.
  if (!awkwardUnits.some((unit) => expression.test(unit))) return fc.stringMatching(expression)
  const unit = anyUnit.filter((each) => expression.test(each))
  const ofLength = (minLength: number, maxLength: number) => fc.string({ unit, minLength, maxLength, size: 'max' })
  return fc.oneof(
    { weight: 4, arbitrary: ofLength(min, Math.min(max, min + 12)) },
    { weight: 2, arbitrary: ofLength(min, min) },
    { weight: 2, arbitrary: ofLength(max, max) },
    { weight: 1, arbitrary: ofLength(min, max) },
  )
}

/** A rule of a schema, and values that break it and, as far as possible, no other. */
export interface Break {
  /** What is broken: `body/name`. */
  place: string
  /** The keyword that forbids the values, or what else does. */
  rule: string
  /** Undefined where this file does not know how to break the rule. */
  values: fc.Arbitrary<Json> | undefined
}

/** What is put in place of a keyword, so that what is drawn breaks it from the nearest value on. */
const opposites: Record<string, (bound: number) => Assertions> = {
  // Narrower bounds forbid what the format does.
  format: () => ({ format: beyondFormats, minimum: -(2n ** 99n), maximum: 2n ** 99n }),
  minimum: (bound) => ({ format: beyondFormats, exclusiveMaximum: bound }),
  maximum: (bound) => ({ format: beyondFormats, exclusiveMinimum: bound }),
  exclusiveMinimum: (bound) => ({ format: beyondFormats, maximum: bound }),
  exclusiveMaximum: (bound) => ({ format: beyondFormats, minimum: bound }),
  minLength: (length) => ({ maxLength: length - 1 }),
  maxLength: (length) => ({ minLength: length + 1, maxLength: length + 20 }),
  minItems: (length) => ({ maxItems: length - 1 }),
  maxItems: (length) => ({ minItems: length + 1 }),
}

/** What forbids nothing. */
const idle: [keyword: string, value: Json][] = [
  ...['minLength', 'minItems', 'minProperties'].map((keyword): [string, Json] => [keyword, 0]),
  ...[...freeFormats, 'float', 'double'].map((format): [string, Json] => ['format', format]),
  ['additionalProperties', true],
  ['uniqueItems', false],
]

/** Of each type some. */
const samples = ['a', '54', '', 'null', 0n, 1n, 54n, 54.5, true, false, null, [], ['a'], [null], {}, { id: 54 }]

/** Lists each rule of a schema, at every place in it, with values that break it. */
export function breaksOf(schema: Schema, place: string): Break[] {
  const { properties: all, ...rest } = flatten(schema)
  const flat = inRequests({ properties: all, ...rest })
  const types = typesOf(flat)
  const isRight = isAllowed(flat)
  const rule = (name: string, candidates: fc.Arbitrary<Json>): Break => {
    // To look for a wrong one would not end where there is none.
    const isKnown = !fc.sample(candidates, { seed: 1, numRuns: 200 }).every(isRight)
    return { place, rule: name, values: isKnown ? candidates.filter((value) => !isRight(value)) : undefined }
  }
  const choice = ['const', 'enum', 'anyOf', 'oneOf'].find((keyword) => keyword in flat.assertions)
  // Which rule of an alternative is broken depends on which one was meant.
  if (choice !== undefined) return [rule(choice, fc.constantFrom<Json[]>(...samples))]
  // What is wrong with items is a rule of their own.
  const { type: _type, items, ...keywords } = flat.assertions
  const breaks = Object.entries(keywords)
    .filter(([keyword, value]) => !idle.some(([name, of]) => name === keyword && of === value))
    .map(([keyword, value]) => {
      const length = Math.max(2, keywords.minItems ?? 0)
      const repeated = (item: Json) => Array<Json>(length).fill(item)
      if (keyword === 'uniqueItems') return rule(keyword, valueOf(items ?? {}).map(repeated))
      const others = Object.fromEntries(Object.entries(flat.assertions).filter(([each]) => each !== keyword))
      // The keywords that have an opposite have a number.
      const opposite = opposites[keyword]?.(value as number)
      return rule(keyword, drawn({ ...flat, assertions: { ...others, ...opposite } }))
    })
  if (types.length > 0) breaks.push(rule('type', fc.constantFrom<Json[]>(...samples)))
  if (types.includes('integer')) breaks.push(rule('integer', fractions))
  const ofItems = items === undefined ? [] : breaksOf(items, `${place}/0`)
  const ofProperties = Object.entries(all).flatMap(([name, property]): [string, Break][] => {
    const at = `${place}/${name}`
    if (!(name in flat.properties)) return [[name, { place: at, rule: 'readOnly', values: valueOf(property) }]]
    return breaksOf(property, at).map((broken) => [name, broken])
  })
  const missing = flat.required.map((name): [string, Break] => {
    return [name, { place: `${place}/${name}`, rule: 'required', values: fc.constant(undefined) }]
  })
  return [
    ...breaks,
    ...ofItems.map((broken) => ({ ...broken, values: broken.values && withItem(flat, broken.values) })),
    ...[...missing, ...ofProperties].map(([name, broken]) => ({
      ...broken,
      values: broken.values && withProperty(flat, name, broken.values),
    })),
  ]
}

/** JSON numbers that are not integers, or beyond 2^53 with a point or an exponent. */
const fractions = fc
  .constantFrom(
    '-0.5',
    '1e-1',
    '5e-324',
    '1e400',
    '54.00000000000000000001',
    '9007199254740993.0',
    '9.007199254740993e15',
  )
  .map((text): Json => JSON.rawJSON(text))

/** Arrays of a schema with one of these values before the others. */
function withItem(flat: FlatSchema, values: fc.Arbitrary<Json>): fc.Arbitrary<Json[]> {
  const length = Math.max(0, (flat.assertions.minItems ?? 0) - 1)
  const others = allowed({ ...flat, assertions: { ...flat.assertions, minItems: length, maxItems: length } })
  // What is allowed is an array.
  return fc.tuple(values, others).map(([first, rest]) => [first, ...(rest as Json[])])
}

/** Objects of a schema with one of these values of a property; JSON leaves one out that is undefined. */
function withProperty(flat: FlatSchema, name: string, values: fc.Arbitrary<Json>): fc.Arbitrary<object> {
  const { [name]: _own, ...properties } = flat.properties
  const others = allowed({ ...flat, properties, required: flat.required.filter((each) => each !== name) })
  // What is allowed is an object.
  return fc.tuple(others, values).map(([object, value]) => ({ ...(object as object), [name]: value }))
}
