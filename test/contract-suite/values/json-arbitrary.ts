import fc from 'fast-check'
import type { Schema } from '../../../src/schema/schema-parts.ts'
import { type FlatSchema, flatten } from './flat-schema.ts'
import { brokenJsonIntegers, integerBreaks, integerOf, jsonSpellings } from './integer-arbitrary.ts'
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

/** Values that a schema allows, written in every way that JSON has. */
export function jsonOf(schema: Schema): fc.Arbitrary<Written> {
  const flat = flatten(schema)
  switch (flat.type) {
    case 'string':
      return fc.tuple(textOf(flat), fc.nat(2)).map(([value, way]) => ({ value, text: writeText(value, way) }))
    case 'integer':
      return integerOf(flat).chain((value) => fc.constantFrom(...jsonSpellings(value)).map((text) => ({ value, text })))
    case 'boolean':
      return fc.boolean().map((value) => ({ value, text: String(value) }))
    case 'array':
      return fc.array(jsonOf(flat.items ?? { type: 'string' }), { maxLength: 4 }).map((items) => ({
        value: items.map(({ value }) => value),
        text: `[${items.map(({ text }) => text).join(',')}]`,
      }))
    case 'object':
      return objectOf(flat)
    case 'number':
      throw new Error('the contract has no fractions yet; teach json-arbitrary.ts')
  }
}

/** White space between the tokens of JSON. */
const spaces = fc.constantFrom('', '', ' ', '\n', '\t', '\r\n ')

type Member = [name: string, written: Written]

function objectOf(flat: FlatSchema): fc.Arbitrary<Written> {
  const members = [...flat.properties].map(([name, schema]) => {
    const member = jsonOf(schema).map((written): Member[] => [[name, written]])
    return flat.required.has(name) ? member : fc.oneof(member, fc.constant([]))
  })
  const all = flat.additionalProperties === false ? members : [...members, unknownMembers(flat)]
  return fc
    .tuple(...all)
    .chain((drawn) => {
      const known = drawn.flat()
      return fc.tuple(fc.shuffledSubarray(known, { minLength: known.length, maxLength: known.length }), spaces)
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
  return `{${space}${members.map(([name, { text }]) => `${JSON.stringify(name)}${space}:${space}${text}`).join(`${space},${space}`)}${space}}`
}

/** A string as it is, with every character escaped, or with those escaped that are not ASCII. */
function writeText(text: string, way: number): string {
  if (way === 0) return JSON.stringify(text)
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  if (way === 1) return `"${text.split('').map(escaped).join('')}"`
  return JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, escaped)
}

const otherTypes: Record<FlatSchema['type'] | 'null', string[]> = {
  string: ['"a"', '"54"', '""', '"null"'],
  integer: ['1', '0', '54'],
  number: ['54.5'],
  boolean: ['true', 'false'],
  null: ['null'],
  array: ['[]', '["a"]', '[54]', '[null]'],
  object: ['{}', '{"name":"a"}', '{"id":54}'],
}

/** Values that break one rule of a schema, at every place in it. */
export function jsonBreaks(schema: Schema, place: string): Break[] {
  const flat = flatten(schema)
  const types = Object.entries(otherTypes).filter(
    ([type]) => type !== flat.type && !(type === 'number' && flat.type === 'integer'),
  )
  const breaks: Break[] = [{ place, rule: 'type', text: fc.constantFrom(...types.flatMap(([, texts]) => texts)) }]
  if (flat.type === 'string') {
    for (const [rule, text] of Object.entries({ ...textBreaks(flat), surrogates: withLoneSurrogate(flat) }))
      breaks.push({ place, rule, text: text.map((value) => JSON.stringify(value)) })
  }
  if (flat.type === 'integer') {
    breaks.push({ place, rule: 'integer', text: brokenJsonIntegers })
    for (const [rule, integer] of Object.entries(integerBreaks(flat)))
      breaks.push({ place, rule, text: integer.map(String) })
  }
  if (flat.type === 'object') breaks.push(...objectBreaks(flat, place))
  return breaks
}

function objectBreaks(flat: FlatSchema, place: string): Break[] {
  const others = (left: string) => ({
    ...flat,
    properties: new Map([...flat.properties].filter(([name]) => name !== left)),
  })
  const missing = [...flat.required].map((name) => ({
    place: `${place}/${name}`,
    rule: 'required',
    text: objectOf(others(name))
      .filter(({ text }) => !Object.hasOwn(JSON.parse(text) as object, name))
      .map(({ text }) => text),
  }))
  const broken = [...flat.properties].flatMap(([name, schema]) =>
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
  return [...missing, ...broken, ...closed]
}

function withMember(object: string, name: string, value: string): string {
  const inside = object.slice(1, -1).trim()
  return `{${JSON.stringify(name)}:${value}${inside === '' ? '' : `,${inside}`}}`
}
