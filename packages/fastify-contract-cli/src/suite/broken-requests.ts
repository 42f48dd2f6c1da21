import fc from 'fast-check'
import { type ContractOperation, type Parameter, kindOf } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { bodySchema, bodyTypes } from './bodies.ts'
import { type Break, breaksOf, unbreakable } from './breaks.ts'
import { routeOf } from './contract.ts'
import { type Json, type SchemaSource, flatten, isAllowed, sent, typesOf } from './flat-schema.ts'
import { canBeSent, schemaOf, sendable, shapeOf } from './parameters.ts'
import { type ContractRequest, type RequestParts, partsOf, written } from './requests.ts'
import { textOf } from './spellings.ts'
import { attempt } from './undrawable.ts'
import { found, valuesOf } from './values.ts'

/** A rule about the values of requests, and requests that break it. */
export type RequestBreak = Break<ContractRequest>

/** A change of what a request is made of. */
type Change = (parts: RequestParts) => RequestParts

/** Rules that OpenAPI leaves open, or that other servers need not have. */
const ofLibrary = ['canonical decimal form', 'canonical form', 'empty', 'once', 'integer', 'format', 'readOnly']

/**
 * Lists each rule about the values of an operation's requests. The items of lists in parameters are not broken.
 *
 * @param isStrict also rules of fastify-contract that OpenAPI leaves open: repeated parameters, formats of texts, the one
 *   form of integers
 */
export function requestBreaksOf(operation: ContractOperation, source: SchemaSource, isStrict: boolean): RequestBreak[] {
  const requests = (breaks: Break<Change>[], type?: string): RequestBreak[] =>
    breaks
      .filter(({ rule }) => isStrict || !ofLibrary.includes(rule))
      .map(({ draw, ...broken }) => {
        const change = ([parts, changed]: [RequestParts, Change]) => written(operation, changed(parts), source)
        return { ...broken, draw: () => fc.tuple(partsOf(operation, source, type), draw()).map(change) }
      })
  const ofPart = (name: string, list: () => RequestBreak[]) =>
    attempt(`${routeOf(operation)}: broken ${name}`, source, list) ?? []
  const types = bodyTypes(operation)
  return [
    ...operation.parameters.flatMap((parameter) =>
      ofPart(parameter.name, () => requests(breaksOfParameter(parameter, source, isStrict))),
    ),
    ...types.flatMap((type) => {
      const suffix = types.length === 1 ? '' : ` (${type})`
      const breaks = ofPart(type, () => requests(breaksOfBody(operation, type, source), type))
      return breaks.map(({ place, ...broken }) => ({ place: `${place}${suffix}`, ...broken }))
    }),
  ]
}

/** Sends values in place of a parameter's: none, or several if it is repeated. */
function sentAs(parameter: Parameter, values: Json[]): Change {
  return ({ parameters, ...parts }) => {
    const others = parameters.filter(([{ name }]) => name !== parameter.name)
    return { ...parts, parameters: [...others, ...values.map((value): [Parameter, Json] => [parameter, value])] }
  }
}

type Rule<Breaking = Json> = Omit<Break<Breaking>, 'place'>

function breaksOfParameter(parameter: Parameter, source: SchemaSource, isStrict: boolean): Break<Change>[] {
  const { required, in: place } = parameter
  const schema = sendable(parameter, source)
  // An empty header or cookie may count as none.
  const isSendable = (value: Json) => canBeSent(parameter, value) && (place === 'query' || value !== '')
  const shape = shapeOf(parameter, source)
  // No path is without a text, and a header or a cookie has a pattern to be sent.
  const unbroken = place === 'path' ? 'minLength' : place === 'query' ? undefined : 'pattern'
  const ofText = () =>
    rulesOfText(schema, source, { isSendable, whole: schemaOf(parameter) }).filter(({ rule }) => rule !== unbroken)
  const ofJson = () =>
    breaksOf(schema, '', source).map(({ rule, draw }): Rule => {
      return { rule, draw: () => found(draw(), isSendable, source, unbreakable) }
    })
  const rules = shape === 'json' ? ofJson() : shape === 'text' ? ofText() : []
  const sentOnce = rules.map(({ rule, draw }) => ({ rule, draw: () => draw().map((value) => [value]) }))
  const missing = { rule: 'required', draw: () => fc.constant<Json[]>([]) }
  return [
    ...sentOnce,
    ...(shape === 'text' && isStrict ? rulesOfForm(parameter, source) : []),
    ...(required === true && place !== 'path' ? [missing] : []),
  ].map(({ rule, draw }) => {
    return { place: `${place}/${parameter.name}`, rule, draw: () => draw().map((some) => sentAs(parameter, some)) }
  })
}

/** Rules of fastify-contract about how a parameter is written. */
function rulesOfForm(parameter: Parameter, source: SchemaSource): Rule<Json[]>[] {
  const schema = schemaOf(parameter)
  const type = typesOf(flatten(schema, source)).join()
  const one = (texts: fc.Arbitrary<string>) => texts.filter((text) => canBeSent(parameter, text)).map((text) => [text])
  const isQuery = parameter.in === 'query'
  const rules: Rule<Json[]>[] = []
  if (type === 'boolean') rules.push({ rule: 'canonical form', draw: () => one(fc.constantFrom('1', 'yes', 'TRUE')) })
  if (type === 'integer') {
    // A schema of integers has no other values.
    const texts = () => valuesOf(schema, source).chain((integer) => fc.constantFrom(...otherForms(integer as bigint)))
    rules.push({ rule: 'canonical decimal form', draw: () => one(texts()) })
    if (isQuery) rules.push({ rule: 'empty', draw: () => fc.constant(['']) })
  }
  const values = () => valuesOf(schema, source)
  if (isQuery) rules.push({ rule: 'once', draw: () => fc.tuple(values(), values()) })
  return rules
}

function breaksOfBody(operation: ContractOperation, type: string, source: SchemaSource): Break<Change>[] {
  const schema = bodySchema(operation, type)
  if (schema === undefined) return []
  const asBody = ({ draw, ...broken }: Break): Break<Change> => ({
    ...broken,
    draw: () => draw().map((body) => (parts) => ({ ...parts, body })),
  })
  switch (kindOf(type)) {
    case 'json':
      return breaksOf(schema, 'body', source).map(asBody)
    case 'text':
      return rulesOfText(schema, source).map((rule) => asBody({ place: 'body', ...rule }))
    case 'form':
    case 'multipart':
      return breaksOfFields(schema, source)
    case 'bytes':
      return []
  }
}

function breaksOfFields(schema: Schema, source: SchemaSource): Break<Change>[] {
  const { properties, required } = sent(flatten(schema, source))
  const asField = (name: string, { rule, draw }: Rule): Break<Change> => ({
    place: `body/${name}`,
    rule,
    draw: () => draw().map((value) => (parts) => ({ ...parts, body: { ...(parts.body as object), [name]: value } })),
  })
  const wrong = Object.entries(properties).flatMap(([name, property]) => {
    const types = typesOf(flatten(property, source))
    const isText = types.length > 0 && !types.includes('array') && !types.includes('object')
    return isText ? rulesOfText(property, source).map((rule) => asField(name, rule)) : []
  })
  return [...required.map((name) => asField(name, { rule: 'required', draw: () => fc.constant([]) })), ...wrong]
}

interface TextOptions {
  isSendable: (value: Json) => boolean
  /** The schema that a value must break, where values are drawn from a narrower one. */
  whole: Schema
}

/** Rules of a value that is sent as a text, and values whose texts break them whatever they are read as. */
function rulesOfText(
  schema: Schema,
  source: SchemaSource,
  { isSendable, whole }: TextOptions = { isSendable: () => true, whole: schema },
): Rule[] {
  const isRight = isAllowed(flatten(whole, source))
  const isWrong = (value: Json) =>
    value !== null && typeof value !== 'object' && isSendable(value) && !readingsOf(textOf(value)).some(isRight)
  const texts = ['a', 'NaN', '-', '1,5x'].filter(isWrong)
  const ofType = { rule: 'type', draw: () => fc.constantFrom<Json[]>(...texts) }
  const rules = breaksOf(schema, '', source).filter(({ rule }) => !['type', 'integer'].includes(rule))
  return [
    ...rules.map(({ rule, draw }) => ({ rule, draw: () => found(draw(), isWrong, source, unbreakable) })),
    ...(texts.length === 0 ? [] : [ofType]),
  ]
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

/** Texts that are integers for many a parser, and not in the one form that a parameter may have. */
function otherForms(integer: bigint): string[] {
  const forms = ['$.0', '$.', '$e0', ' $', '$ ', '$\n', '$n', '$_0', '$,0', '$\0', '"$"', '-0', '-', 'NaN', 'null', 'a']
  const [sign, digits] = integer < 0n ? ['-', String(-integer)] : ['', String(integer)]
  const arabic = Array.from(digits, (digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const ofDigits = [`+${digits}`, `--${digits}`, `${sign}0${digits}`, `${sign}0x${digits}`, `${sign}${arabic}`]
  return [...forms.map((form) => form.replace('$', String(integer))), ...ofDigits]
}
