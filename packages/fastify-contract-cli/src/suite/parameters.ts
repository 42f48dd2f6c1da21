import type { Parameter } from 'fastify-contract/document'
import { isJson } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import type fc from 'fast-check'
import { type FlatSchema, type Json, type SchemaSource, flatten, sent, typesOf, within } from './flat-schema.ts'
import { RawNumber, spelled, textOf } from './spellings.ts'
import { Undrawable } from './undrawable.ts'
import { allowed, found } from './values.ts'

/** How the value of a parameter becomes text. */
export type Shape = 'text' | 'list' | 'object' | 'json'

/** The schema of a parameter, also of one with `content`. */
export function schemaOf({ schema, content }: Parameter): Schema {
  return schema ?? Object.values(content ?? {})[0]?.schema ?? {}
}

/** @throws Undrawable when a parameter has a form that the suite does not write */
export function shapeOf(parameter: Parameter, source: SchemaSource): Shape {
  const { in: place, style = styles[place][0] ?? '', content } = parameter
  const [type] = Object.keys(content ?? {})
  if (type !== undefined) {
    if (isJson(type)) return 'json'
    throw new Undrawable(`no parameters of ${type} are known`)
  }
  const types = shapesOf(schemaOf(parameter), source)
  const isText = types.includes('string') || !(types.includes('array') || types.includes('object'))
  const shape = isText ? 'text' : types.includes('array') ? 'list' : 'object'
  const isWritten = styles[place].includes(style) && (style !== 'deepObject' || shape === 'object')
  if (!isWritten) throw new Undrawable(`no parameters of the style ${style} are known`)
  return shape
}

/** The types of a schema and of its alternatives. */
function shapesOf(schema: Schema, source: SchemaSource): string[] {
  const flat = flatten(schema, source)
  const { anyOf = [], oneOf = [] } = flat.assertions
  return [...typesOf(flat), ...[...anyOf, ...oneOf].flatMap((each) => typesOf(flatten(each, source)))]
}

/** The style of each place, by default first. */
const styles: Record<Parameter['in'], readonly string[]> = {
  path: ['simple'],
  query: ['form', 'pipeDelimited', 'spaceDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Values of a parameter that can be sent. A list or an object without members is no parameter at all. @throws Undrawable */
export function parameterValues(parameter: Parameter, source: SchemaSource): fc.Arbitrary<Json> {
  const shape = shapeOf(parameter, source)
  const schema = sendable(parameter, source)
  const values = shape === 'json' ? allowed(sent(flatten(schema, source))) : textual(flatten(schema, source))
  return found(values, (value) => canBeSent(parameter, value), source)
}

/** Values of a schema that have a text: a scalar, a list of scalars, or an object of both. @throws Undrawable */
export function textual(flat: FlatSchema): fc.Arbitrary<Json> {
  const isOpen = Object.keys(flat.properties).length === 0 && flat.assertions.additionalProperties !== false
  if (!typesOf(flat).includes('object') || isOpen) return found(allowed(sent(flat)), hasText, flat.source)
  const properties = Object.fromEntries(
    Object.entries(sent(flat).properties).filter(
      ([name, property]) => flat.required.includes(name) || !typesOf(within(flat, property)).includes('object'),
    ),
  )
  const assertions = { ...flat.assertions, additionalProperties: false }
  return found(allowed({ ...sent(flat), assertions, properties }), hasText, flat.source)
}

/** Whether a value can be written as texts without a loss. */
export function hasText(value: Json): boolean {
  if (isScalar(value)) return true
  const members = Array.isArray(value) ? value : Object.values(value ?? {})
  const isFlat = (member: Json) =>
    isScalar(member) || (Array.isArray(member) && member.length > 0 && member.every(isScalar))
  return value !== null && members.length > 0 && members.every(Array.isArray(value) ? isScalar : isFlat)
}

function isScalar(value: Json): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) || value instanceof RawNumber
}

/** No path is without a text, and not every text can be a header's or a cookie's. */
export function canBeSent(parameter: Parameter, value: Json): boolean {
  if (parameter.in === 'query') return true
  const text = simple(parameter, value, String)
  return parameter.in === 'path'
    ? text !== '' && text !== '.' && text !== '..'
    : /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text)
}

/**
 * The schema of a parameter. Where it leaves the texts of a header or a cookie open, they are of visible characters of
 * US-ASCII without a comma: others mean something else, or nothing, on their way (RFC 9110, section 5.5).
 */
export function sendable(parameter: Parameter, source: SchemaSource): Schema {
  const { in: place, content } = parameter
  const schema = schemaOf(parameter)
  if ((place !== 'header' && place !== 'cookie') || content !== undefined) return schema
  const { items, type, pattern, format, enum: texts } = flatten(schema, source).assertions
  if (items !== undefined) return { ...schema, items: sendable({ name: '', in: place, schema: items }, source) }
  if (type !== 'string' || (pattern ?? format ?? texts) !== undefined) return schema
  return { ...schema, pattern: place === 'header' ? '^[!-+.-~-]*$' : '^[!#-+.-:<-[\\]-~-]*$' }
}

type Encode = (text: string) => string

/** The text of a value in the style `simple` (OpenAPI 3.1, "Style Values"). */
export function simple({ in: place, content, explode }: Parameter, value: Json, encode: Encode): string {
  if (content !== undefined) return encode(spelled(value, 0))
  const isExploded = explode === true && place !== 'cookie'
  if (isScalar(value) || value === null || value === undefined) return encode(textOf(value))
  const texts = Array.isArray(value)
    ? value.map((item) => encode(textOf(item)))
    : Object.entries(value).map(([name, member]) =>
        [name, textOf([member].flat()[0])].map(encode).join(isExploded ? '=' : ','),
      )
  return texts.join(',')
}

/** The pairs of a query that stand for a value. */
export function queryPairs(
  { name, style = 'form', explode = style === 'form', content }: Parameter,
  value: Json,
  encode: Encode,
): string[] {
  const pair = (key: string, text: string) => `${encodeURIComponent(key)}=${text}`
  if (content !== undefined || isScalar(value) || value === null || typeof value !== 'object') {
    return [pair(name, content === undefined ? encode(textOf(value)) : encode(spelled(value, 0)))]
  }
  const texts = (member: Json) => [member].flat().map((item) => encode(textOf(item)))
  if (Array.isArray(value)) {
    return explode
      ? texts(value).map((text) => pair(name, text))
      : [pair(name, texts(value).join(separators[style] ?? ','))]
  }
  const members = Object.entries(value)
  if (style === 'deepObject') {
    return members.flatMap(([key, member]) => texts(member).map((text) => pair(`${name}[${key}]`, text)))
  }
  return explode
    ? members.flatMap(([key, member]) => texts(member).map((text) => pair(key, text)))
    : [pair(name, simple({ name, in: 'query' }, value, encode))]
}

const separators: Record<string, string> = { pipeDelimited: '%7C', spaceDelimited: '%20' }
