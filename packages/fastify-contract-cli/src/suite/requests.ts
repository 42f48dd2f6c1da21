import fc from 'fast-check'
import type { ContractOperation, Exampled, Parameter } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import type { ContractRequest } from './run.ts'
import { type Json, flatten, typesOf, valueOf } from './values.ts'

/** What a request is made of: the values of the parameters that it has, in their order, and its body. */
export interface RequestParts {
  parameters: [Parameter, Json][]
  body: Json
  /** Chooses among the ways to write the same; 0 is the plainest. */
  way: number
}

/** The media type of an operation's body; undefined where it takes none. */
function bodyType({ object }: ContractOperation): string | undefined {
  return Object.keys(object.requestBody?.content ?? {})[0]
}

/** The schema of an operation's body; undefined where it takes none. */
export function bodySchema(operation: ContractOperation): Schema | undefined {
  return operation.object.requestBody?.content[bodyType(operation) ?? '']?.schema
}

/** What requests are made of that the contract allows for an operation. */
export function partsOf(operation: ContractOperation): fc.Arbitrary<RequestParts> {
  const schema = bodySchema(operation)
  const body = schema === undefined ? fc.constant(undefined) : valueOf(schema)
  return fc.record({
    parameters: fc.tuple(...operation.parameters.map(parameterOf)).map((drawn) => drawn.flat()),
    body: operation.object.requestBody?.required === true ? body : fc.option(body, { nil: undefined }),
    way: fc.nat({ max: 999 }),
  })
}

/** Requests that the contract allows for an operation. */
export function requestsOf(operation: ContractOperation): fc.Arbitrary<ContractRequest> {
  return partsOf(operation).map((parts) => written(operation, parts))
}

/** A request that the contract allows for an operation, always the same one. */
export function validRequest(operation: ContractOperation): ContractRequest {
  const [request] = fc.sample(requestsOf(operation), { seed: 1, numRuns: 1 })
  // One was asked for.
  return request!
}

export function isList({ schema = {} }: Parameter): boolean {
  return typesOf(flatten(schema)).includes('array')
}

/** A list without members is no parameter at all. */
function parameterOf(parameter: Parameter): fc.Arbitrary<[Parameter, Json][]> {
  const schema = sendable(parameter)
  const values = valueOf(isList(parameter) ? { minItems: 1, ...schema } : schema)
  const one = values.map((value): [Parameter, Json][] => [[parameter, value]])
  return parameter.required === true ? one : fc.oneof(one, fc.constant<[Parameter, Json][]>([]))
}

/**
 * The schema of a parameter. Where it leaves the texts of a header open, they are of visible characters of US-ASCII
 * without a comma: others mean something else, or nothing, on their way (RFC 9110, section 5.5).
 */
export function sendable({ in: place, schema = {} }: Parameter): Schema {
  const { items, type, pattern, format, enum: texts } = flatten(schema).assertions
  if (place !== 'header') return schema
  if (items !== undefined) return { ...schema, items: sendable({ name: '', in: place, schema: items }) }
  return type !== 'string' || (pattern ?? format ?? texts) !== undefined
    ? schema
    : { ...schema, pattern: '^[!-+.-~-]*$' }
}

/** The examples of a parameter, a header or a media type by name; one that has none is `(unnamed)`. */
export function examplesOf({ example, examples = {} }: Exampled): Map<string, Json> {
  const named = Object.entries(examples).map(([name, { value }]): [string, Json] => [name, value])
  return new Map(example === undefined ? named : [...named, ['(unnamed)', example]])
}

/** An example of a request by its name, and its body. */
export interface RequestExample {
  name: string
  request: ContractRequest
  body: Json
}

/**
 * The examples of an operation's requests. A part without an example of the name has its first one, or none where it
 * may be left out.
 */
export function requestExamplesOf(operation: ContractOperation): RequestExample[] {
  const { parameters, object } = operation
  const bodies = examplesOf(object.requestBody?.content[bodyType(operation) ?? ''] ?? {})
  const names = new Set([bodies, ...parameters.map(examplesOf)].flatMap((examples) => [...examples.keys()]))
  // An operation that is asked for nothing has one request.
  if (parameters.length === 0 && object.requestBody === undefined) names.add('(unnamed)')
  return [...names].map((name) => {
    const body = bodies.get(name) ?? [...bodies.values()][0]
    const values = parameters.flatMap((parameter): [Parameter, Json][] => {
      const examples = examplesOf(parameter)
      const value = examples.get(name) ?? (parameter.required === true ? [...examples.values()][0] : undefined)
      return value === undefined ? [] : [[parameter, value]]
    })
    return { name, body, request: written(operation, { parameters: values, body, way: 0 }) }
  })
}

/** Writes a request; `way` 0 is the plainest of its spellings. */
export function written(operation: ContractOperation, { parameters, body, way }: RequestParts): ContractRequest {
  const encode = way % 2 === 0 ? encodeURIComponent : percentEncoded
  const valuesIn = (place: Parameter['in']) => parameters.filter(([parameter]) => parameter.in === place)
  const path = valuesIn('path').reduce(
    (url, [{ name }, value]) => url.replace(`{${name}}`, () => [value].flat().map(textOf).map(encode).join(',')),
    operation.path,
  )
  const query = valuesIn('query').flatMap(([{ name, explode }, value]) => {
    const texts = [value].flat().map(textOf).map(encode)
    return (explode === false ? [texts.join(',')] : texts).map((text) => `${encodeURIComponent(name)}=${text}`)
  })
  const headers = Object.fromEntries(
    valuesIn('header').map(([{ name }, value]) => [name, [value].flat().map(textOf).join(',')]),
  )
  return {
    method: operation.method.toUpperCase(),
    url: query.length === 0 ? path : `${path}?${query.join('&')}`,
    ...(body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': bodyType(operation) }, body: spelled(body, way) }),
  }
}

/** A value as it stands in a URL, before it is encoded, and in a header. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : spelled(value, 0)
}

/** Every byte in percent-encoding, which means the same (RFC 3986, section 2.3). */
function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

/** Writes JSON in one of the ways that mean the same: order, white space, escapes and forms of numbers. */
export function spelled(value: Json, way: number): string {
  const [escapes, space] = [Math.trunc(way / 2) % 3, ['', ' ', '\t\r\n '][way % 3]]
  const text = JSON.stringify(
    value,
    (_name, member: unknown) => {
      if (typeof member === 'bigint') {
        const spellings = integerSpellings(member)
        return JSON.rawJSON(spellings[way % spellings.length] ?? '')
      }
      if (typeof member === 'string' && escapes === 1) return JSON.rawJSON(`"${escaped(member, /[^]/g)}"`)
      if (typeof member !== 'object' || member === null || Array.isArray(member) || 'rawJSON' in member) return member
      return way % 2 === 0 ? member : Object.fromEntries(Object.entries(member).reverse())
    },
    space,
  )
  return escapes === 2 ? escaped(text, /[\u007f-\uffff]/g) : text
}

function escaped(text: string, units: RegExp): string {
  return text.replaceAll(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Every way to write an integer as a JSON number that the contract takes for the same integer, the plain one first. */
function integerSpellings(integer: bigint): string[] {
  const plain = String(integer)
  if (integer === 0n) return ['0', '-0', '0.0', '-0.0', '0e0', '0E-5', '0e5', '0.000e+10']
  const [sign, digits] = integer < 0n ? ['-', plain.slice(1)] : ['', plain]
  // Beyond 2^53 there is no form with a point or an exponent.
  if (BigInt(digits) > 2n ** 53n) return [plain]
  const ofIntegers = ['', '.0', '.000', 'e0', 'E+0', 'e-0', '0e-1', '00.0E-2'].map((end) => `${plain}${end}`)
  const [first = '', ...others] = digits
  const scientific = `${sign}${first}.${others.join('') || '0'}e${String(others.length)}`
  const tens = integer % 10n === 0n ? [`${String(integer / 10n)}e1`] : []
  return [...ofIntegers, scientific, `${sign}0.${digits}e${String(digits.length)}`, ...tens]
}
