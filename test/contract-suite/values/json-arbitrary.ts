import fc from 'fast-check'
import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'
import { stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { isValid } from '../../support/responses/check-value.ts'
import { type FlatSchema, type JsonType, flatten, typesOf } from './flat-schema.ts'
import { formatted } from './format-arbitrary.ts'
import { brokenJsonIntegers, integerBreaks, integerOf, jsonSpellings } from './integer-arbitrary.ts'
import { numberBreaks, numberOf } from './number-arbitrary.ts'
import { textBreaks, textOf, withLoneSurrogate } from './text-arbitrary.ts'

/** A JSON value, integers as bigints, and one of the ways to write it. */
export interface Written {
  value: unknown
  text: string
}

/** JSON text that breaks one rule of a schema and keeps all others. */
export interface Break {
  /** What is broken: `body/name`. */
  place: string
  /** The keyword that forbids it. */
  rule: string
  text: fc.Arbitrary<string>
}

/** Values that a schema allows in a request, written in every way that JSON has. */
export function jsonOf(schema: Schema): fc.Arbitrary<Written> {
  const flat = flatten(schema)
  const drawn = drawnOf(flat)
  const isExact = !flat.hasOthers && flat.anyOf === undefined && flat.oneOf === undefined
  return isExact ? drawn : drawn.filter(({ text }) => isValid(JSON.parse(text), schema))
}

/** Values that keep those rules of a schema that are drawn on purpose. */
function drawnOf(flat: FlatSchema): fc.Arbitrary<Written> {
  const alternatives = flat.anyOf ?? flat.oneOf
  if (alternatives !== undefined) return fc.oneof(...alternatives.map((part) => jsonOf(withAlternative(flat, part))))
  const constants = 'const' in flat ? [flat.const] : flat.enum
  if (constants !== undefined)
    return fc
      .constantFrom(...constants)
      .chain((value) => fc.constantFrom(...spellingsOf(value)).map((text) => ({ value, text })))
  const types = typesOf(flat)
  return fc.oneof(...(types.length === 0 ? anyTypes : types).map((type) => ofType(flat, type)))
}

const anyTypes: JsonType[] = ['string', 'integer', 'boolean', 'null']

/** A schema in whose place one of its alternatives is taken. */
function withAlternative({ anyOf, oneOf, properties, required, hasOthers, ...rest }: FlatSchema, part: Schema): Schema {
  void [anyOf, oneOf, hasOthers]
  const own = { ...rest, properties: Object.fromEntries(properties), required: [...required] }
  return { allOf: [own, part] }
}

function spellingsOf(value: unknown): string[] {
  if (typeof value === 'bigint' || Number.isInteger(value)) return jsonSpellings(BigInt(value as number))
  return [stringifyJson(value)]
}

function ofType(flat: FlatSchema, type: JsonType): fc.Arbitrary<Written> {
  switch (type) {
    case 'string':
      return fc.tuple(textOf(flat), fc.nat(2)).map(([value, way]) => ({ value, text: writeText(value, way) }))
    case 'integer':
      return integerOf(flat).chain((value) => fc.constantFrom(...jsonSpellings(value)).map((text) => ({ value, text })))
    case 'number':
      return numberOf(flat).map((text) => ({ value: Number(text), text }))
    case 'boolean':
      return fc.boolean().map((value) => ({ value, text: String(value) }))
    case 'null':
      return fc.constant({ value: null, text: 'null' })
    case 'array':
      return arrayOf(flat)
    case 'object':
      return objectOf(flat)
  }
}

function arrayOf({
  items = { type: 'string' },
  minItems = 0,
  maxItems,
  uniqueItems,
}: FlatSchema): fc.Arbitrary<Written> {
  const lengths = { minLength: minItems, maxLength: Math.min(maxItems ?? Infinity, minItems + 4) }
  const members =
    uniqueItems === true
      ? fc.uniqueArray(jsonOf(items), { ...lengths, selector: ({ value }) => stringifyJson(value) })
      : fc.array(jsonOf(items), lengths)
  return members.map(writeArray)
}

function writeArray(items: Written[]): Written {
  return { value: items.map(({ value }) => value), text: `[${items.map(({ text }) => text).join(',')}]` }
}

/** White space between the tokens of JSON. */
const spaces = fc.constantFrom('', '', ' ', '\n', '\t', '\r\n ')

type Member = [name: string, written: Written]

function objectOf(flat: FlatSchema): fc.Arbitrary<Written> {
  // A request that has a property of the responses alone is refused.
  const known = [...flat.properties].filter(([, schema]) => schema['readOnly'] !== true)
  const members = known.map(([name, schema]) => {
    const member = jsonOf(schema).map((written): Member[] => [[name, written]])
    return flat.required.has(name) ? member : fc.oneof(member, fc.constant([]))
  })
  const all = (flat.additionalProperties ?? true) === true ? [...members, unknownMembers(flat)] : members
  return fc
    .tuple(...all)
    .chain((drawn) => {
      const shuffled = drawn.flat()
      const { length } = shuffled
      return fc.tuple(fc.shuffledSubarray(shuffled, { minLength: length, maxLength: length }), spaces)
    })
    .map(([shuffled, space]) => ({
      value: Object.fromEntries(
        shuffled.filter(([name]) => flat.properties.has(name)).map(([name, { value }]) => [name, value]),
      ),
      text: writeObject(shuffled, space),
    }))
}

/** Properties that the schema does not describe, among them names that JavaScript gives a meaning. */
function unknownMembers(flat: FlatSchema): fc.Arbitrary<Member[]> {
  const names = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'ID', 'Name', 'name ', 'height'),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  )
  const value = fc.oneof(
    fc.constantFrom('1e999', '123456789012345678901234567890', '[[[{"a":[]}]]]', '{"name":"inner","id":1}'),
    fc.json({ maxDepth: 2 }),
  )
  const member = fc.tuple(
    names.filter((name) => !flat.properties.has(name)),
    value.map((text): Written => ({ value: undefined, text })),
  )
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant<Member[]>([]) },
    { weight: 1, arbitrary: fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 3 }) },
  )
}

function writeObject(members: Member[], space: string): string {
  const written = members.map(([name, { text }]) => `${JSON.stringify(name)}${space}:${space}${text}`)
  return `{${space}${written.join(`${space},${space}`)}${space}}`
}

/** A string as it is, with every character escaped, or with those escaped that are not ASCII. */
function writeText(text: string, way: number): string {
  if (way === 0) return JSON.stringify(text)
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  if (way === 1) return `"${text.split('').map(escaped).join('')}"`
  return JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, escaped)
}

const values: Record<JsonType, string[]> = {
  string: ['"a"', '"54"', '""', '"null"'],
  integer: ['1', '0', '54'],
  number: ['54.5'],
  boolean: ['true', 'false'],
  null: ['null'],
  array: ['[]', '["a"]', '[54]', '[null]'],
  object: ['{}', '{"name":"a"}', '{"id":54}'],
}

/** Rules that Ajv, which reads each number as a double and knows open objects only, does not check. */
export const beyondAjv = ['surrogates', 'readOnly']

/** Values that break one rule of a schema, at every place in it. */
export function jsonBreaks(schema: Schema, place: string): Break[] {
  const flat = flatten(schema)
  const isWrong = (text: string) => !isValid(JSON.parse(text), schema)
  const breaks: Break[] = []
  const others = (Object.keys(values) as JsonType[])
    .filter((type) => !typesOf(flat).includes(type) && !(type === 'number' && typesOf(flat).includes('integer')))
    .flatMap((type) => values[type])
    .filter(isWrong)
  if (others.length > 0) breaks.push({ place, rule: 'type', text: fc.constantFrom(...others) })
  // Which rule an alternative, or one of several types, breaks is a matter of which of them was meant.
  if (flat.anyOf !== undefined || flat.oneOf !== undefined || typesOf(flat).length !== 1) return breaks
  return [
    ...breaks,
    ...typeBreaks(flat, place).map(({ text, ...rest }) => ({
      ...rest,
      text: flat.hasOthers && !beyondAjv.includes(rest.rule) ? text.filter(isWrong) : text,
    })),
  ]
}

function typeBreaks(flat: FlatSchema, place: string): Break[] {
  switch (flat.type) {
    case 'string':
      return Object.entries({ ...textBreaks(flat), ...surrogatesIn(flat) }).map(([rule, text]) => ({
        place,
        rule,
        text: text.map((value) => JSON.stringify(value)),
      }))
    case 'integer':
      return [
        { place, rule: 'integer', text: brokenJsonIntegers },
        ...Object.entries(integerBreaks(flat)).map(([rule, integer]) => ({ place, rule, text: integer.map(String) })),
      ]
    case 'number':
      return Object.entries(numberBreaks(flat)).map(([rule, text]) => ({ place, rule, text }))
    case 'array':
      return arrayBreaks(flat, place)
    case 'object':
      return objectBreaks(flat, place)
    case 'boolean':
    case 'null':
    case undefined:
      return []
  }
  // A list of types has no breaks of its own.
  return []
}

/** Only a text of any letters can have a lone surrogate in it and break no other rule. */
function surrogatesIn(flat: FlatSchema): Record<string, fc.Arbitrary<string>> {
  return flat.enum === undefined && formatted(flat.format, flat.examples) === undefined
    ? { surrogates: withLoneSurrogate(flat) }
    : {}
}

function arrayBreaks(flat: FlatSchema, place: string): Break[] {
  const { items = {}, minItems = 0, maxItems, uniqueItems } = flat
  const ofLength = (length: number) =>
    arrayOf({ ...flat, uniqueItems: false, minItems: length, maxItems: length }).map(({ text }) => text)
  return [
    ...(minItems > 0 ? [{ place, rule: 'minItems', text: ofLength(minItems - 1) }] : []),
    ...(maxItems === undefined ? [] : [{ place, rule: 'maxItems', text: ofLength(maxItems + 1) }]),
    ...(uniqueItems === true && (maxItems ?? 2) >= 2
      ? [
          {
            place,
            rule: 'uniqueItems',
            text: jsonOf(items).map(
              (item) => writeArray(Array.from({ length: Math.max(2, minItems) }, () => item)).text,
            ),
          },
        ]
      : []),
    ...jsonBreaks(items, `${place}/0`).map(({ rule, place: inner, text }) => ({
      place: inner,
      rule,
      text: fc
        .tuple(text, arrayOf({ ...flat, minItems: Math.max(0, minItems - 1), maxItems: Math.max(0, minItems - 1) }))
        .map(([first, { text: rest }]) => (rest === '[]' ? `[${first}]` : `[${first},${rest.slice(1)}`)),
    })),
  ]
}

function objectBreaks(flat: FlatSchema, place: string): Break[] {
  const others = (left: string) => ({
    ...flat,
    properties: new Map([...flat.properties].filter(([name]) => name !== left)),
  })
  const isWritable = (name: string) => flat.properties.get(name)?.['readOnly'] !== true
  const missing = [...flat.required].filter(isWritable).map((name) => ({
    place: `${place}/${name}`,
    rule: 'required',
    text: objectOf(others(name))
      .filter(({ text }) => !Object.hasOwn(JSON.parse(text) as object, name))
      .map(({ text }) => text),
  }))
  const readOnly = [...flat.properties]
    .filter(([, schema]) => schema['readOnly'] === true)
    .map(([name, schema]) => ({
      place: `${place}/${name}`,
      rule: 'readOnly',
      text: fc
        .tuple(objectOf(others(name)), jsonOf(schema))
        .map(([rest, { text }]) => withMember(rest.text, name, text)),
    }))
  const writable = [...flat.properties].filter(([, schema]) => schema['readOnly'] !== true)
  const broken = writable.flatMap(([name, schema]) =>
    jsonBreaks(schema, `${place}/${name}`).map(({ place: inner, rule, text }) => ({
      place: inner,
      rule,
      text: fc
        .tuple(objectOf({ ...others(name), additionalProperties: false }), text)
        .map(([rest, value]) => withMember(rest.text, name, value)),
    })),
  )
  const closed =
    flat.additionalProperties === false
      ? [
          {
            place,
            rule: 'additionalProperties',
            text: objectOf(flat).map(({ text }) => withMember(text, 'unknown', 'null')),
          },
        ]
      : []
  return [...missing, ...readOnly, ...broken, ...closed]
}

function withMember(object: string, name: string, value: string): string {
  const inside = object.slice(1, -1).trim()
  return `{${JSON.stringify(name)}:${value}${inside === '' ? '' : `,${inside}`}}`
}
