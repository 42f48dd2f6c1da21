import fc from 'fast-check'
import { isIntegerFormat } from 'fastify-contract/json'
import type { JsonType, KeywordName, Schema, Subschema } from 'fastify-contract/schema'
import { alternativesOf, choiceNames, groups, isKeyword } from 'fastify-contract/schema'
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
import { besideMultiple, beyondFormats } from '../draw/numbers.ts'
import { RawText, asRead } from '../draw/json-value.ts'
import { isUncheckedFormat } from '../draw/texts.ts'
import { isList, isNumber } from '../ground/members.ts'
import { attempt } from '../ground/no-generator.ts'
import { type Part, jsonBody } from '../write/part.ts'
import { shapeOf, writtenValues } from '../write/part-values.ts'
import { textOf } from '../write/spellings.ts'
import { canBeWritten, isScalar } from '../write/written-value.ts'
import { allowed, assertListed, constantOf, drawn, found, known, listOf, memberOf } from '../draw/values.ts'

/** A rule, and what breaks it and, as far as possible, no other. */
export interface Break {
  /** What is broken: `body/name`. */
  place: string
  /** The keyword that forbids the values, or what else does. */
  rule: string
  /** Gives values. It throws NoGenerator, or they do, where the suite does not know how to break the rule. */
  draw: () => fc.Arbitrary<Json>
}

/** What is put in place of a keyword, so that what is drawn breaks it from the nearest value on. */
const opposites: { readonly [Name in KeywordName]?: (assertions: Schema) => Schema } = {
  format: () => ({ format: beyondFormats }),
  minimum: ({ minimum = 0 }) => ({ exclusiveMaximum: minimum }),
  maximum: ({ maximum = 0 }) => ({ exclusiveMinimum: maximum }),
  exclusiveMinimum: ({ exclusiveMinimum = 0 }) => ({ maximum: exclusiveMinimum }),
  exclusiveMaximum: ({ exclusiveMaximum = 0 }) => ({ minimum: exclusiveMaximum }),
  minLength: ({ minLength = 0 }) => ({ maxLength: minLength - 1 }),
  maxLength: ({ maxLength = 0 }) => ({ minLength: maxLength + 1, maxLength: maxLength + 20 }),
  minItems: ({ minItems = 0 }) => ({ maxItems: minItems - 1 }),
  maxItems: ({ maxItems = 0 }) => ({ minItems: maxItems + 1 }),
  minProperties: ({ minProperties = 0 }) => ({ maxProperties: minProperties - 1 }),
}

/** What forbids nothing. */
const idle: { readonly [Name in KeywordName]?: Json } = {
  minLength: 0,
  minItems: 0,
  minProperties: 0,
  additionalProperties: true,
  uniqueItems: false,
}

function isIdle(keyword: string, value: Json): boolean {
  if (keyword === 'format') return !isIntegerFormat(value) && isUncheckedFormat(value)
  return isKeyword(keyword) && keyword in idle && idle[keyword] === value
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

/**
 * Lists each rule of a schema, at every place in it, with values that break it. Those of texts break it in whatever way they
 * are read. The length of a list of texts, and the members of an object in a style, are not broken.
 */
export function breaksOf(schema: Subschema, place: string, source: SchemaSource, part = jsonBody): Break[] {
  return breaksAt(flatten(schema, { ...source, places: { left: maxPlaces } }), place, part)
}

/** The places of a schema whose rules are listed: schemas that refer to one another may have any number. */
const maxPlaces = 10_000

function breaksAt(whole: FlatSchema, place: string, part: Part): Break[] {
  const { places, skippedParts } = whole.source
  if (places !== undefined && places.left-- <= 0) {
    skippedParts?.add(`the rules of a schema beyond its first ${String(maxPlaces)} places`)
    return []
  }
  const flat = sent(whole)
  const shape = shapeOf(flat, part)
  // Which rule of an alternative is broken depends on which one was meant.
  const choice = ['const', 'enum', ...choiceNames].find((keyword) => keyword in flat.assertions)
  const own = shape === 'json' || shape === 'text' ? ownBreaks(flat, place, part, choice) : []
  const isJson = shape === 'json'
  const isSplit = (shape === 'list' || shape === 'deep') && namedTypesOf(flat).length === 1
  if (!(isJson ? choice === undefined : isSplit)) return own
  const inner = isJson ? jsonBody : shape === 'list' ? { ...part, as: 'item' as const } : part
  const { items, prefixItems = [], minItems = 0 } = flat.assertions
  const lists = { ...flat, assertions: omit(flat.assertions, (keyword) => keyword === 'prefixItems') }
  const itemBreaks = [...prefixItems, items ?? []].flat().flatMap((schema, index) => {
    // Wherever a server splits a text, each item is broken.
    const withIt = (values: fc.Arbitrary<Json>) =>
      isJson ? withItem(flat, index, values) : listsOf(values, Math.max(index + 1, minItems))
    const breaks = breaksWithin(flat, schema, `${place}/${String(index)}`, inner)
    return breaks.map(({ draw, ...broken }) => ({ ...broken, draw: () => keeping(lists, withIt(draw())) }))
  })
  const members = Object.entries(isJson ? whole.properties : flat.properties)
  const memberBreaks = members.flatMap(([name, property]): MemberBreak[] => {
    const at = `${place}/${name}`
    const around = { name, keptOf: withPlaceFor }
    if (!Object.hasOwn(flat.properties, name)) {
      return [{ ...around, place: at, rule: 'readOnly', draw: () => memberOf(flat, property) }]
    }
    return breaksWithin(flat, property, at, inner).map((broken) => ({ ...broken, ...around }))
  })
  const missing = flat.required.map((name): MemberBreak => {
    const broken = { place: `${place}/${name}`, rule: 'required', draw: () => fc.constant(undefined) }
    return { ...broken, name, keptOf: without }
  })
  return [
    ...own,
    ...itemBreaks,
    ...[...missing, ...memberBreaks].map(({ name, keptOf, draw, ...broken }): Break => {
      const objects = () => {
        const kept = keptOf(flat, name)
        const around = isJson ? allowed(kept) : writtenValues(kept, part)
        const values = fc.tuple(around, draw()).map(([object, value]) => withMember(object, name, value))
        return keeping(kept, values)
      }
      return { ...broken, draw: objects }
    }),
  ]
}

/** What breaks a rule of a member, or its presence. */
interface MemberBreak extends Break {
  name: string
  /** Gives the schema of the object around it. */
  keptOf: (flat: FlatSchema, name: string) => FlatSchema
}

/** Those of some values that keep the rules of a schema, but for those of its parts; all of them where none does. */
function keeping(flat: FlatSchema, values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const isKept = isAllowed(flat)
  const draw = () => known(found(values, (value) => isKept(asRead(value)), flat.source))
  return attempt('', {}, draw) ?? values
}

/** A schema that contains itself has the same rules again. */
function breaksWithin(flat: FlatSchema, schema: Subschema, place: string, part: Part): Break[] {
  return attempt(place, flat.source, () => breaksAt(within(flat, schema), place, part)) ?? []
}

/** Texts of no type but that of texts. */
const textSamples = ['a', 'NaN', '-', '1,5x']

/** No path is without a text, and what makes a text fit for a header or a cookie is not in its pattern alone. */
const unbroken: Partial<Record<Part['path'][0], string>> = { path: 'minLength', header: 'pattern', cookie: 'pattern' }

/** The breaks of the rules of a value itself. What is wrong with its items is a rule of their own. */
function ownBreaks(flat: FlatSchema, place: string, part: Part, choice: string | undefined): Break[] {
  const { assertions, source } = flat
  const isText = shapeOf(flat, part) === 'text'
  const readings = (value: Json) => (isText ? readingsOf(textOf(value)) : [asNumber(value)])
  const brokenIn = (whole: FlatSchema) => {
    const isRight = isAllowed(whole)
    return (value: Json) => {
      if (!isText) return !isRight(asRead(value))
      return isScalar(value) && canBeWritten(value, part) && !readings(value).some(isRight)
    }
  }
  const breakOf = (
    rule: string,
    draw: (rest: FlatSchema) => fc.Arbitrary<Json>,
    layers = layersOf(flat, [rule]),
  ): Break => {
    const drawIn = ({ whole, rest }: Layer) => {
      const [isBroken, isKept] = [brokenIn(whole), isAllowed(rest)]
      const isAlone = (value: Json) => isBroken(value) && readings(value).some(isKept)
      return known(found(draw(rest), isAlone, source, noCounterexample))
    }
    const nearest = () =>
      layers
        .slice(0, -1)
        .values()
        .map((layer) => attempt('', {}, () => drawIn(layer)))
        .find((values) => values !== undefined)
    return { place, rule, draw: () => nearest() ?? drawIn(layers.at(-1)!) }
  }
  const types = [assertions.type ?? []].flat()
  const typed = { ...flat, also: [], assertions: omit(assertions, (keyword) => keyword !== 'type') }
  const others = isText
    ? textSamples.filter(brokenIn(typed))
    : // A text that is no JSON is another one.
      samples.filter((value) => part.as === 'json' && types.length > 0 && !types.some((type) => isOf(type, value)))
  const isOther = others.length > 0
  const typeBreaks = isOther ? [breakOf('type', () => constantOf(others), layersOf(flat, ['type', 'format']))] : []
  if (choice !== undefined) {
    const near = [assertions.const ?? [], assertions.enum ?? []].flat().flatMap(inOtherCase)
    return [
      breakOf(choice, (rest) => fc.oneof(constantOf([...samples, ...near]), against(flat, choice, rest))),
      ...typeBreaks,
    ]
  }
  // A bound of `contains` is broken with `contains`.
  const { type: _, items: _items, prefixItems: _first, minContains: _least, ...keywords } = assertions
  const breaks = Object.entries(keywords)
    .filter(([keyword, value]) => !isIdle(keyword, value))
    .map(([keyword]) => breakOf(keyword, (rest) => against(flat, keyword, rest)))
  const also = flat.also.flatMap((part) => {
    const layer = { whole: flat, rest: { ...flat, examples: [], also: flat.also.filter((each) => each !== part) } }
    return Object.keys(part).map((keyword) => breakOf(keyword, drawn, [layer]))
  })
  const isWhole = !isText && types.includes('integer') && !types.includes('number')
  // A factor that is an integer has no other multiples.
  const fractional = layersOf(flat, ['type', 'format', 'multipleOf'])
  const wholeBreaks = isWhole ? [breakOf('integer', fractionsOf, fractional)] : []
  const all = [...breaks, ...also, ...typeBreaks, ...wholeBreaks]
  return isText && part.as !== 'item' ? all.filter(({ rule }) => rule !== unbroken[part.path[0]]) : all
}

/** What is broken, and what is kept of it. */
interface Layer {
  whole: FlatSchema
  rest: FlatSchema
}

/**
 * What is kept while a rule is broken, as far as values exist that do: all the rest of a schema, then what no format
 * implies, then the type alone.
 *
 * @param keywords the rule, and what it implies
 */
function layersOf(flat: FlatSchema, keywords: readonly string[]): Layer[] {
  const group = groups.find((names) => names.some((name) => keywords.includes(name))) ?? []
  const kept = ['type', 'items', 'prefixItems', ...keywords, ...group]
  const assertions = omit(flat.assertions, (keyword) => !kept.includes(keyword))
  return [flat, { ...flat, also: [], required: [], assertions }].flatMap((whole) => {
    return [keywords, [...keywords, 'type', 'format']].map((names): Layer => {
      const rest = omit(whole.assertions, (keyword) => names.includes(keyword))
      return { whole, rest: { ...whole, examples: [], assertions: rest } }
    })
  })
}

function omit(assertions: Schema, isOmitted: (keyword: string) => boolean): Schema {
  return Object.fromEntries(Object.entries(assertions).filter(([keyword]) => !isOmitted(keyword)))
}

/** What a server may read a text as. */
function readingsOf(text: string): Json[] {
  const isNumber = text.trim() !== '' && Number.isFinite(Number(text))
  return [
    text,
    ...(/^-?\d+$/.test(text) ? [BigInt(text)] : isNumber ? [Number(text)] : []),
    ...(/^(?:true|false|0|1)$/.test(text) ? [text === 'true' || text === '1'] : []),
    ...(text === '' || text === 'null' ? [null] : []),
  ]
}

/** Values among which some break a keyword of a schema, and keep a rest of it. */
function against(flat: FlatSchema, keyword: string, rest: FlatSchema): fc.Arbitrary<Json> {
  const { items = {}, minItems = 0, multipleOf = 1, not = true } = flat.assertions
  if (keyword === 'uniqueItems') {
    return memberOf(flat, items).map((item) => listOf(item, Math.max(2, minItems)))
  }
  if (keyword === 'not') return memberOf(flat, not)
  if (keyword === 'multipleOf') {
    // Of other numbers some are multiples, at which a search for a smaller one would end.
    const multiples = drawnAs(flat, { ...rest, assertions: { ...rest.assertions, multipleOf } })
    return fc
      .tuple(multiples, fc.constantFrom<(1n | -1n)[]>(1n, -1n))
      .map(([value, direction]) => (isNumber(value) ? besideMultiple(value, multipleOf, direction) : value))
  }
  const opposite = isKeyword(keyword) ? opposites[keyword]?.(flat.assertions) : undefined
  const values = drawnAs(flat, { ...rest, assertions: { ...rest.assertions, ...opposite } })
  return keyword === 'pattern' ? fc.oneof(values, around(flat)) : values
}

/** Values of a rest of a schema. They have its types; where that does not name them, also integers beyond each format. */
function drawnAs({ assertions: { type } }: FlatSchema, rest: FlatSchema): fc.Arbitrary<Json> {
  const open = 'type' in rest.assertions ? {} : { format: beyondFormats, ...(type === undefined ? {} : { type }) }
  const assertions = { ...open, ...rest.assertions }
  return drawn({ ...rest, assertions, choices: alternativesOf(assertions) })
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

/** Why a rule is left out. */
export const noCounterexample = 'no such value is known'

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

/** Some of the numbers of a rest of a schema, and others. */
function fractionsOf(rest: FlatSchema): fc.Arbitrary<Json> {
  const own = attempt('', {}, () => drawn({ ...rest, assertions: { ...rest.assertions, type: 'number' } }))
  return fc.oneof(fractions, ...(own === undefined ? [] : [own]))
}

/** A value as the number that its text is next to. */
function asNumber(value: Json): Json {
  return value instanceof RawText ? Number(value.text) : asRead(value)
}

/** Arrays of a schema with one of these values at an index. */
function withItem(flat: FlatSchema, index: number, values: fc.Arbitrary<Json>): fc.Arbitrary<Json[]> {
  const { minItems = 0 } = flat.assertions
  const length = minItems > index + 1 ? minItems : index
  const assertions = { ...flat.assertions, type: 'array' as const, minItems: length, maxItems: length }
  return fc.tuple(values, allowed({ ...flat, assertions })).map(([value, allowedList]) => {
    const list = isList(allowedList) ? allowedList : []
    return [...list.slice(0, index), value, ...list.slice(index + 1)]
  })
}

/** Lists of some items. @throws NoGenerator */
function listsOf(items: fc.Arbitrary<Json>, length: number): fc.Arbitrary<Json[]> {
  assertListed(length)
  return fc.array(items, { minLength: length, maxLength: length })
}

function without(flat: FlatSchema, name: string): FlatSchema {
  const { [name]: _own, ...properties } = flat.properties
  return { ...flat, properties, required: flat.required.filter((each) => each !== name) }
}

/** A schema whose objects have a text in place of a member. */
function withPlaceFor(flat: FlatSchema, name: string): FlatSchema {
  const required = [...new Set([...flat.required, name])]
  return { ...flat, examples: [], properties: { ...flat.properties, [name]: { const: 'a' } }, required }
}

/** An object with another value of a member, or without it. */
function withMember(object: Json, name: string, value: Json): object {
  const members = Object.entries({ ...(object ?? {}), [name]: value })
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}
