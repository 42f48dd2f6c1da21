import fc from 'fast-check'
import { isIntegerFormat } from 'fastify-contract/json'
import { type JsonType, type Schema, type Subschema, alternativesOf } from 'fastify-contract/schema'
import type { Assertions } from '../draw/assertions.ts'
import {
  type FlatSchema,
  type SchemaSource,
  flatten,
  isAllowed,
  sent,
  namedTypesOf,
  within,
} from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { beyondFormats } from '../draw/numbers.ts'
import { RawText, asRead } from '../draw/json-value.ts'
import { isUncheckedFormat } from '../draw/texts.ts'
import { attempt } from '../ground/no-generator.ts'
import { allowed, constantOf, drawn, found, listOf, memberOf } from '../draw/values.ts'

/** A rule, and what breaks it and, as far as possible, no other. */
export interface Break<Breaking = Json> {
  /** What is broken: `body/name`. */
  place: string
  /** The keyword that forbids the values, or what else does. */
  rule: string
  /** Gives values. It throws NoGenerator, or they do, where the suite does not know how to break the rule. */
  draw: () => fc.Arbitrary<Breaking>
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
const idle: Record<string, Json> = {
  minLength: 0,
  minItems: 0,
  minProperties: 0,
  additionalProperties: true,
  uniqueItems: false,
}

function isIdle(keyword: string, value: Json): boolean {
  if (keyword === 'format') return !isIntegerFormat(value) && isUncheckedFormat(value)
  return Object.hasOwn(idle, keyword) && idle[keyword] === value
}

/** Of each type some. */
const samples = ['a', '54', '', 'null', 0n, 1n, 54n, 54.5, true, false, null, [], ['a'], [null], {}, { id: 54 }]

function isOf(type: JsonType, value: Json): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return typeof value === 'bigint'
  return typeof value === type || (type === 'number' && typeof value === 'bigint')
}

/** Lists each rule of a schema, at every place in it, with values that break it. */
export function breaksOf(schema: Subschema, place: string, source: SchemaSource): Break[] {
  return breaksAt(flatten(schema, { ...source, places: { left: maxPlaces } }), place)
}

/** The places of a schema whose rules are listed: schemas that refer to one another may have any number. */
const maxPlaces = 10_000

function breaksAt(whole: FlatSchema, place: string): Break[] {
  const { places, skippedParts } = whole.source
  if (places !== undefined && places.left-- <= 0) {
    skippedParts?.add(`the rules of a schema beyond its first ${String(maxPlaces)} places`)
    return []
  }
  const flat = sent(whole)
  // Which rule of an alternative is broken depends on which one was meant.
  const choice = ['const', 'enum', 'anyOf', 'oneOf'].find((keyword) => keyword in flat.assertions)
  if (choice !== undefined) {
    const near = [flat.assertions.const ?? [], flat.assertions.enum ?? []].flat().flatMap(inOtherCase)
    return [breakOf(flat, place, choice, () => constantOf([...samples, ...near]))]
  }
  const { items, prefixItems = [] } = flat.assertions
  const itemBreaks = [...prefixItems, items ?? []].flat().flatMap((schema, index) => {
    const breaks = breaksWithin(flat, schema, `${place}/${String(index)}`)
    return breaks.map(({ draw, ...broken }) => ({ ...broken, draw: () => withItem(flat, index, draw()) }))
  })
  const propertyBreaks = Object.entries(whole.properties).flatMap(([name, property]): [string, Break][] => {
    const at = `${place}/${name}`
    if (Object.hasOwn(flat.properties, name)) return breaksWithin(flat, property, at).map((broken) => [name, broken])
    return [[name, { place: at, rule: 'readOnly', draw: () => memberOf(flat, property) }]]
  })
  const missing = flat.required.map((name): [string, Break] => {
    return [name, { place: `${place}/${name}`, rule: 'required', draw: () => fc.constant(undefined) }]
  })
  return [
    ...ownBreaks(flat, place),
    ...itemBreaks,
    ...[...missing, ...propertyBreaks].map(([name, { draw, ...broken }]) => {
      return { ...broken, draw: () => withProperty(flat, name, draw()) }
    }),
  ]
}

/** A schema that contains itself has the same rules again. */
function breaksWithin(flat: FlatSchema, schema: Schema | boolean, place: string): Break[] {
  return attempt(place, flat.source, () => breaksAt(within(flat, schema), place)) ?? []
}

/** The breaks of the rules of a value itself. What is wrong with its items is a rule of their own. */
function ownBreaks(flat: FlatSchema, place: string): Break[] {
  // A bound of `contains` is broken with `contains`.
  const { type: _, items: _items, prefixItems: _first, minContains: _least, ...keywords } = flat.assertions
  const types = namedTypesOf(flat)
  const breaks = Object.entries(keywords)
    .filter(([keyword, value]) => !isIdle(keyword, value))
    .map(([keyword, value]) => breakOf(flat, place, keyword, () => against(flat, keyword, value)))
  const also = flat.also.flatMap(Object.keys).map((keyword) => breakOf(flat, place, keyword, () => drawn(flat)))
  const others = samples.filter((value) => !types.some((type) => isOf(type, value)))
  const isTyped = types.length > 0 && others.length > 0
  const isWhole = types.includes('integer') && !types.includes('number')
  return [
    ...breaks,
    ...also,
    ...(isTyped ? [breakOf(flat, place, 'type', () => fc.constantFrom(...others))] : []),
    ...(isWhole ? [breakOf(flat, place, 'integer', () => fractions)] : []),
  ]
}

/** Values among which some break a keyword. */
function against(flat: FlatSchema, keyword: string, value: unknown): fc.Arbitrary<Json> {
  const { items = {}, minItems = 0 } = flat.assertions
  if (keyword === 'uniqueItems') {
    return memberOf(flat, items).map((item) => listOf(item, Math.max(2, minItems)))
  }
  if (keyword === 'not') return memberOf(flat, value as Schema)
  const others = Object.fromEntries(Object.entries(flat.assertions).filter(([each]) => each !== keyword))
  if (keyword === 'pattern') return fc.oneof(drawn({ ...flat, examples: [], assertions: others }), around(flat))
  // The keywords that have an opposite have a number.
  const opposite = opposites[keyword]?.(value as number)
  return drawn({ ...flat, examples: [], assertions: { ...others, ...opposite }, choices: alternativesOf(others) })
}

/** What a server that ignores case takes for the same text. */
function inOtherCase(value: Json): Json[] {
  return typeof value === 'string' ? [value.toUpperCase(), value.toLowerCase()] : []
}

/** Texts of a pattern with something around them, which a server that searches for the pattern takes, or ignores. */
function around(flat: FlatSchema): fc.Arbitrary<Json> {
  const texts = attempt('pattern', flat.source, () => drawn({ ...flat, examples: [] })) ?? fc.constant('')
  return fc
    .tuple(texts, fc.constantFrom('$\n', '$!', '!$', 'a\n$'))
    .map(([text, form]) => form.replace('$', () => String(text)))
}

/** Breaks a rule by those candidates that a schema does not allow. */
function breakOf(flat: FlatSchema, place: string, rule: string, candidates: () => fc.Arbitrary<Json>): Break {
  const isRight = isAllowed(flat)
  return {
    place,
    rule,
    draw: () => found(candidates(), (value) => !isRight(asRead(value)), flat.source, noCounterexample),
  }
}

/** Why a rule is left out. */
export const noCounterexample = 'cannot generate a value that breaks the rule'

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
  .map((text): Json => new RawText(text))

/** Arrays of a schema with one of these values at an index. */
function withItem(flat: FlatSchema, index: number, values: fc.Arbitrary<Json>): fc.Arbitrary<Json[]> {
  const { minItems = 0 } = flat.assertions
  const length = minItems > index + 1 ? minItems : index
  const assertions = { ...flat.assertions, type: 'array' as const, minItems: length, maxItems: length }
  return fc.tuple(values, allowed({ ...flat, assertions })).map(([value, allowedList]) => {
    // What is allowed is an array.
    const list = allowedList as Json[]
    return [...list.slice(0, index), value, ...list.slice(index + 1)]
  })
}

/** Objects of a schema with one of these values of a property; JSON leaves one out that is undefined. */
function withProperty(flat: FlatSchema, name: string, values: fc.Arbitrary<Json>): fc.Arbitrary<object> {
  const { [name]: _own, ...properties } = flat.properties
  const others = allowed({ ...flat, properties, required: flat.required.filter((each) => each !== name) })
  // What is allowed is an object.
  return fc.tuple(others, values).map(([object, value]) => ({ ...(object as object), [name]: value }))
}
