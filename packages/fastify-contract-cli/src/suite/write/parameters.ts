import type { Encoding, Parameter } from 'fastify-contract/document'
import { isJson, kindOf, stylesOf } from 'fastify-contract/document'
import { type Schema, isSchema } from 'fastify-contract/schema'
import fc from 'fast-check'
import { examplesOf } from '../ground/examples.ts'
import { deepTexts, hasDeepText, isScalar, withTexts } from './deep-texts.ts'
import { type FlatSchema, type SchemaSource, flatten, sent, namedTypesOf, within } from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { type Members, isObject } from '../ground/members.ts'
import { spelled, textOf } from './spellings.ts'
import { RawText } from '../draw/json-value.ts'
import { NoGenerator } from '../ground/no-generator.ts'
import { plainValue } from '../draw/plain-value.ts'
import { allowed, exact, found } from '../draw/values.ts'

/** A parameter with its value. */
export type ParameterValue = [parameter: Parameter, value: Json]

/** How the value of a parameter becomes text. */
export type Shape = 'text' | 'list' | 'object' | 'json' | 'deep' | 'form'

/** The schema of a parameter, also of one with `content`. */
export function schemaOf({ schema, content }: Parameter): Schema {
  return schema ?? Object.values(content ?? {})[0]?.schema ?? {}
}

/** @throws NoGenerator when a parameter has a form that the suite does not write */
export function textFormOf(parameter: Parameter, source: SchemaSource): Shape {
  const { in: place, style = stylesOf[place][0] ?? '', content } = parameter
  const [type] = Object.keys(content ?? {})
  if (type !== undefined) {
    if (isJson(type)) return 'json'
    if (place === 'querystring' && kindOf(type) === 'form') return 'form'
    if (place === 'querystring' && shapesOf(schemaOf(parameter), source).includes('string')) return 'text'
    throw new NoGenerator(`cannot generate a parameter of ${type}`)
  }
  const types = shapesOf(schemaOf(parameter), source)
  if (!stylesOf[place].includes(style)) throw new NoGenerator(`cannot generate a parameter of the style ${style}`)
  const hasParts = types.includes('array') || types.includes('object')
  if (style === 'deepObject' && hasParts) return 'deep'
  return types.includes('string') || !hasParts ? 'text' : types.includes('array') ? 'list' : 'object'
}

/** The types of a schema and of its alternatives. */
function shapesOf(schema: Schema, source: SchemaSource): string[] {
  const flat = flatten(schema, source)
  return [flat, ...flat.choices.flat().map((each) => flatten(each, source))].flatMap(namedTypesOf)
}

/** Draws texts that a URL or a header has room for. */
export function forParameters(source: SchemaSource): SchemaSource {
  return { ...source, longest: 200 }
}

/**
 * Values of a parameter that can be sent, above all those that the contract names: only they may exist. A list or an object
 * without members is no parameter at all.
 *
 * @throws NoGenerator
 */
export function parameterValues(parameter: Parameter, contract: SchemaSource): fc.Arbitrary<Json> {
  const given = givenOf(parameter, contract)
  if (given !== undefined) return fc.constant(new RawText(given))
  const source = forParameters(contract)
  const shape = textFormOf(parameter, source)
  const listedValues = knownValues(parameter, shape, source)
  const flat = flatten(sendable(parameter, source), source)
  const values =
    shape === 'json'
      ? allowed(sent(flat))
      : shape === 'deep'
        ? deepValues(flat)
        : shape === 'form'
          ? textual(flat, isDeepIn(parameter))
          : textual(flat)
  const drawn = found(values, (value) => canBeSent(parameter, value), source)
  if (listedValues.length === 0) return drawn
  const isPath = parameter.in === 'path'
  return fc.oneof(
    { weight: isPath ? 2 : 1, arbitrary: fc.constantFrom(...listedValues) },
    { weight: isPath ? 1 : 2, arbitrary: drawn },
  )
}

/** The value of a parameter that a reader expects: the first that the contract names, or else a plain one. @throws NoGenerator */
export function plainParameter(parameter: Parameter, contract: SchemaSource): Json {
  const given = givenOf(parameter, contract)
  if (given !== undefined) return new RawText(given)
  const source = forParameters(contract)
  const shape = textFormOf(parameter, source)
  const [known] = knownValues(parameter, shape, source)
  const isSent = (value: Json) => hasShape(value, shape, parameter) && canBeSent(parameter, value)
  return known ?? plainValue(sendable(parameter, source), source, 0, isSent)
}

/** Whether a value of a parameter can be written as its text. */
function hasShape(value: Json, shape: Shape, parameter: Parameter): boolean {
  if (shape === 'json') return true
  return shape === 'deep' ? hasDeepText(value) : isTextual(value, shape === 'form' ? isDeepIn(parameter) : () => false)
}

/** What every request has in place of a drawn value of a parameter. The name of a header has no case. */
export function givenOf({ in: place, name }: Pick<Parameter, 'in' | 'name'>, { given }: SchemaSource) {
  return given?.get(`${place}/${place === 'header' ? name.toLowerCase() : name}`)
}

/** The examples and the default of a parameter that are valid, and can be sent. */
function knownValues(parameter: Parameter, shape: Shape, source: SchemaSource): Json[] {
  const schema = schemaOf(parameter)
  const media = Object.values(parameter.content ?? {})
  const named = [parameter, ...media].flatMap((holder) => [...examplesOf(holder).values()])
  const isSent = (value: Json) => hasShape(value, shape, parameter) && canBeSent(parameter, value)
  return [...named, ...flatten(schema, source).examples]
    .map(exact)
    .filter((value) => value !== undefined && isSent(value) && source.problemsOf(value, schema).length === 0)
}

/** Values of a schema that can be written in the style `deepObject`. @throws NoGenerator */
export function deepValues(flat: FlatSchema): fc.Arbitrary<Json> {
  const whole = sent({ ...flat, source: { ...flat.source, isClosed: true } })
  const isRight = (value: Json) => hasDeepText(value) && isValidIn(flat, value)
  return found(allowed(whole).map(withTexts), isRight, flat.source)
}

function isValidIn({ assertions, properties, required, also, source }: FlatSchema, value: Json): boolean {
  const schema = { ...assertions, properties, required, ...(also.length === 0 ? {} : { allOf: also }) }
  return source.problemsOf(value, schema).length === 0
}

/**
 * Values of a schema that have a text: a scalar, a list of scalars, or an object of both.
 *
 * @param isDeep whether a property is written in the style `deepObject`
 * @param isWhole whether the objects of a property are written as JSON
 * @throws NoGenerator
 */
export function textual(
  flat: FlatSchema,
  isDeep: (name: string) => boolean = () => false,
  isWhole: (name: string) => boolean = () => false,
): fc.Arbitrary<Json> {
  const isOpen = Object.keys(flat.properties).length === 0 && flat.assertions.additionalProperties !== false
  if (!namedTypesOf(flat).includes('object') || isOpen) return found(allowed(sent(flat)), hasText, flat.source)
  const properties = Object.fromEntries(
    Object.entries(sent(flat).properties).filter(
      ([name, property]) =>
        flat.required.includes(name) ||
        isDeep(name) ||
        isWhole(name) ||
        !namedTypesOf(within(flat, property)).includes('object'),
    ),
  )
  const hasTexts = (value: Json) => isTextual(value, isDeep, isWhole)
  const assertions = { ...flat.assertions, additionalProperties: false }
  const whole = { ...sent(flat), assertions, properties }
  const names = Object.keys(properties).filter(isDeep)
  if (names.length === 0) return found(allowed(whole), hasTexts, flat.source)
  const written = allowed(whole).map((value): Json => {
    const members = Object.entries(value as object).map(([name, member]: [string, Json]): [string, Json] => {
      return [name, names.includes(name) ? withTexts(member) : member]
    })
    return Object.fromEntries(members.filter(([, member]) => member !== undefined))
  })
  return found(written, (value) => hasTexts(value) && isValidIn(flat, value), flat.source)
}

/** Whether a value has a text: a scalar, a list of scalars, or an object of both, and of objects as `textual` has them. */
export function isTextual(
  value: Json,
  isDeep: (name: string) => boolean,
  isWhole: (name: string) => boolean = () => false,
): boolean {
  if (!isObject(value)) return hasText(value)
  const members = Object.entries(value)
  const flat = members.filter(([name]) => !isDeep(name))
  const deep = members.filter(([name]) => isDeep(name))
  const isFlat = flat.length === 0 ? deep.length > 0 : hasText(withoutObjects(Object.fromEntries(flat), isWhole))
  return isFlat && deep.every(([, member]) => hasDeepText(member))
}

/** A form with a text in place of each object that is written as JSON. */
function withoutObjects(form: Members, isWhole: (name: string) => boolean): Json {
  const text = (member: Json): Json => (isObject(member) ? 'JSON' : member)
  const members = Object.entries(form).map(([name, member]): [string, Json] => {
    if (!isWhole(name)) return [name, member]
    return [name, Array.isArray(member) ? member.map(text) : text(member)]
  })
  return Object.fromEntries(members)
}

/** Whether a value can be written as texts without a loss. */
function hasText(value: Json): boolean {
  if (isScalar(value)) return true
  const members = Array.isArray(value) ? value : Object.values(value ?? {})
  const isFlat = (member: Json) =>
    isScalar(member) || (Array.isArray(member) && member.length > 0 && member.every(isScalar))
  return value !== null && members.length > 0 && members.every(Array.isArray(value) ? isScalar : isFlat)
}

/** No path is without a text, and not every text can be a header's, a cookie's, or beside others. */
export function canBeSent(parameter: Parameter, value: Json): boolean {
  if (parameter.in === 'query') return canBeSplit(value, parameter, 'encoded')
  // An empty query is none.
  if (parameter.in === 'querystring') return wholeQuery(parameter, value, encodeURIComponent) !== ''
  const text = simple(parameter, value, String)
  return parameter.in === 'path'
    ? text !== '' && !/^(?:\.|%2e){1,2}$/i.test(text)
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
  if (isSchema(items)) return { ...schema, items: sendable({ name: '', in: place, schema: items }, source) }
  if (type !== 'string' || (pattern ?? format ?? texts) !== undefined) return schema
  return { ...schema, pattern: place === 'header' ? '^[!-+.-~-]*$' : '^[!#-+.-:<-[\\]-~-]*$' }
}

/** The encodings of the fields of a querystring that is a form. */
function encodingsOfQuery({ content = {} }: Parameter): Record<string, Encoding> {
  return Object.values(content)[0]?.encoding ?? {}
}

/** Tells which fields of a querystring are written in the style `deepObject`. */
export function isDeepIn(parameter: Parameter): (name: string) => boolean {
  const encodings = encodingsOfQuery(parameter)
  return (name) => encodings[name]?.style === 'deepObject'
}

/** The whole query as one value (OpenAPI 3.2, "Parameter Locations"). */
export function wholeQuery(parameter: Parameter, value: Json, encode: Encode): string {
  const [type = ''] = Object.keys(parameter.content ?? {})
  if (value instanceof RawText) return value.text
  if (isJson(type)) return encode(jsonOf(value))
  if (kindOf(type) !== 'form') return encode(textOf(value))
  return pairsOf(value, encodingsOfQuery(parameter), encode).join('&')
}

/** The pairs of a form. */
export function pairsOf(value: Json, encodings: Record<string, Encoding>, encode: Encode): string[] {
  return Object.entries(value ?? {}).flatMap(([name, member]: [string, Json]) =>
    fieldsOf(name, member, encodings[name], encode).map(pairOf),
  )
}

function pairOf([name, text]: Field): string {
  return `${encodeURIComponent(name)}=${text}`
}

type Field = readonly [name: string, text: string]

/** The fields of a form that stand for a value; an object without a style is JSON. */
export function fieldsOf(
  name: string,
  value: Json,
  { style = 'form', explode = style === 'form' }: Encoding = {},
  encode: Encode,
): Field[] {
  const coded = (text: Json) => encode(textOf(text))
  if (style === 'deepObject') return deepTexts(name, value).map(([key, text]) => [key, coded(text)])
  if (explode || isScalar(value) || value === null) return [value].flat().map((item) => [name, coded(item)])
  const separator = separators[style]
  const between = separator === undefined ? ',' : encode(separator)
  return [[name, textsOf(value).map(coded).join(between)]]
}

/** Whether the texts of a value can be told apart. Percent-encoding hides a comma, but not other separators. */
export function canBeSplit(
  value: Json,
  { style = 'form', explode = style === 'form' }: Encoding = {},
  as: 'encoded' | 'written',
): boolean {
  const separator = separators[style] ?? (as === 'encoded' ? undefined : ',')
  if (explode || style === 'deepObject' || isScalar(value) || separator === undefined) return true
  return !textsOf(value).some((text) => textOf(text).includes(separator))
}

/** The texts of a list, and the names and texts of an object. */
function textsOf(value: Json): Json[] {
  return Array.isArray(value) ? value : Object.entries(value ?? {}).flatMap(([key, member]) => [key, firstOf(member)])
}

function firstOf(member: Json): Json {
  return [member].flat()[0]
}

/** The text of a parameter of JSON. */
function jsonOf(value: Json): string {
  return value instanceof RawText ? value.text : spelled(value, 0)
}

type Encode = (text: string) => string

/** The text of a value in the styles `simple`, `label` and `matrix` (OpenAPI 3.1, "Style Values"). */
export function simple({ in: place, name, content, explode, style }: Parameter, value: Json, encode: Encode): string {
  if (content !== undefined) return encode(jsonOf(value))
  const isExploded = explode === true && place !== 'cookie'
  const start = style === 'label' ? '.' : style === 'matrix' ? `;${name}=` : ''
  if (isScalar(value) || value === null || value === undefined) return start + encode(textOf(value))
  // A point that separates nothing.
  const coded = (text: string) => (style === 'label' ? encode(text).replaceAll('.', '%2E') : encode(text))
  const texts = Array.isArray(value)
    ? value.map((item) => coded(textOf(item)))
    : Object.entries(value).map(([key, member]) =>
        [key, textOf(firstOf(member))].map(coded).join(isExploded ? '=' : ','),
      )
  if (!isExploded || start === '') return start + texts.join(',')
  const each = style === 'label' ? '.' : Array.isArray(value) ? start : ';'
  return texts.map((text) => each + text).join('')
}

/** The pairs of a query that stand for a value. */
export function queryPairs(
  { name, style = 'form', explode = style === 'form', content }: Parameter,
  value: Json,
  encode: Encode,
): string[] {
  if (content !== undefined) return [pairOf([name, encode(jsonOf(value))])]
  const isEachNamed = explode && style !== 'deepObject' && isObject(value)
  return isEachNamed ? pairsOf(value, {}, encode) : fieldsOf(name, value, { style, explode }, encode).map(pairOf)
}

/** What separates items; a comma otherwise. */
const separators: Readonly<Record<string, string>> = { pipeDelimited: '|', spaceDelimited: ' ' }
