import fc from 'fast-check'
import type { ContractOperation, Parameter } from '../../../packages/fastify-contract/src/document/document.ts'
import type { ContractRequest } from '../contract-client.ts'
import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'
import { type FlatSchema, flatten } from '../values/flat-schema.ts'
import { brokenDecimals, integerBreaks, integerOf } from '../values/integer-arbitrary.ts'
import { type Break, type Written, jsonBreaks, jsonOf } from '../values/json-arbitrary.ts'
import { numberBreaks, numberOf } from '../values/number-arbitrary.ts'
import { textBreaks, textOf } from '../values/text-arbitrary.ts'

/** The value of each parameter that is sent, and the body, as they were meant. */
export interface Meant {
  parameters: Record<string, unknown>
  body: unknown
}

/** A request that the contract allows, and what it means. */
export interface DrawnRequest {
  request: ContractRequest
  meant: Meant
}

/** A rule of the contract about a request's values, and requests that break it alone. */
export interface RequestBreak {
  place: string
  rule: string
  request: fc.Arbitrary<ContractRequest>
}

/** The media type of an operation's body; undefined where it takes none. */
export function bodyType({ object }: ContractOperation): string | undefined {
  return Object.keys(object.requestBody?.content ?? {})[0]
}

/** Requests that the contract allows for an operation. */
export function requestOf(operation: ContractOperation): fc.Arbitrary<DrawnRequest> {
  return partsOf(operation).map((parts) => ({
    request: written(operation, parts),
    meant: {
      parameters: Object.fromEntries(parts.parameters.map(({ name, value }) => [name, value])),
      body: parts.body?.value,
    },
  }))
}

/** Requests for an operation each of which breaks one rule about its values. */
export function requestBreaks(operation: ContractOperation): RequestBreak[] {
  const valid = partsOf(operation)
  const parameters = operation.parameters.flatMap((parameter) =>
    parameterBreaks(parameter).map(({ place, rule, text }) => ({
      place,
      rule,
      request: fc.tuple(valid, text).map(([parts, broken]) => {
        const others = parts.parameters.filter(({ name }) => name !== parameter.name)
        return written(operation, {
          ...parts,
          parameters:
            rule === 'required'
              ? others
              : [...others, { name: parameter.name, in: parameter.in, value: undefined, text: broken }],
        })
      }),
    })),
  )
  const limits = operation.parameters.filter((parameter) => parameter.in === 'query')
  const query = limits
    .filter(({ schema = {} }) => flatten(schema).type !== 'array')
    .map((parameter) => ({
      place: `query/${parameter.name}`,
      rule: 'once',
      request: fc.tuple(valid, parameterOf(parameter), parameterOf(parameter)).map(([parts, a, b]) =>
        written(operation, {
          ...parts,
          parameters: [...parts.parameters.filter(({ name }) => name !== parameter.name), ...a, ...b],
        }),
      ),
    }))
  const names = fc
    .oneof(
      fc.constantFrom('limt', 'Limit', 'limit[]', 'limit%20', 'offset', 'access_token', 'constructor', '__proto__'),
      fc.stringMatching(/^[a-z]{1,12}$/),
    )
    .filter((name) => !limits.some((limit) => limit.name === name))
  const unknown = {
    place: 'query',
    rule: 'unknown parameter',
    request: fc.tuple(valid, names).map(([parts, name]) =>
      written(operation, {
        ...parts,
        parameters: [...parts.parameters, { name, in: 'query', value: undefined, text: '1' }],
      }),
    ),
  }
  const type = bodyType(operation)
  const schema = operation.object.requestBody?.content[type ?? '']?.schema
  const body =
    schema === undefined
      ? []
      : jsonBreaks(schema, 'body').map(({ place, rule, text }) => ({
          place,
          rule,
          request: fc
            .tuple(valid, text)
            .map(([parts, broken]) => written(operation, { ...parts, body: { value: undefined, text: broken } })),
        }))
  return [...parameters, ...query, unknown, ...body]
}

interface ParameterText {
  name: string
  in: Parameter['in']
  value: unknown
  /** As it stands in the URL. */
  text: string
}

interface Parts {
  parameters: ParameterText[]
  body: Written | undefined
}

function partsOf(operation: ContractOperation): fc.Arbitrary<Parts> {
  const parameters = operation.parameters.map((parameter) => {
    const one = parameterOf(parameter)
    return parameter.required === true ? one : fc.oneof(one, fc.constant<ParameterText[]>([]))
  })
  const { requestBody } = operation.object
  const schema = requestBody?.content[bodyType(operation) ?? '']?.schema
  const body =
    schema === undefined
      ? fc.constant(undefined)
      : requestBody?.required === true
        ? jsonOf(schema)
        : fc.oneof(jsonOf(schema), fc.constant(undefined))
  return fc
    .tuple(fc.tuple(...parameters), body)
    .map(([drawn, content]) => ({ parameters: drawn.flat(), body: content }))
}

/** A parameter as it is sent; a list in a query may be sent as several of its name. */
function parameterOf({ name, in: place, schema = {}, explode }: Parameter): fc.Arbitrary<ParameterText[]> {
  const flat = flatten(schema)
  const isList = flat.type === 'array'
  return fc.tuple(parameterValue(schema, place), fc.boolean()).map(([drawn, isEncoded]) => {
    const encode = place === 'header' ? String : isEncoded ? percentEncoded : encodeURIComponent
    const texts = [drawn].flat().map((value) => encode(String(value)))
    const parts = isList && (place !== 'query' || explode === false) ? [texts.join(',')] : texts
    return parts.map((text) => ({ name, in: place, value: drawn, text }))
  })
}

/**
 * A field value of a header, and an item of a list in one (RFC 9110, section 5.5). No client sends U+0000, white space
 * around a value is no part of it, and what bytes beyond US-ASCII mean is open.
 */
const fieldValue = /^(?:[!-~](?:[ -~]*[!-~])?)?$/
const fieldItem = /^[!-+.-~-]+$/

/** A schema whose texts can be sent in a place. */
function sendableIn(place: Parameter['in'], schema: FlatSchema, sendable = fieldValue): FlatSchema {
  return place === 'header' ? { ...schema, sendable } : schema
}

function parameterValue(schema: Schema, place: Parameter['in'], sendable?: RegExp): fc.Arbitrary<unknown> {
  const flat = sendableIn(place, flatten(schema), sendable)
  switch (flat.type) {
    case 'integer':
      return integerOf(flat)
    case 'number':
      return numberOf(flat)
    case 'boolean':
      return fc.boolean()
    case 'array':
      // A list without members is no parameter at all.
      return fc.array(parameterValue(flat.items ?? { type: 'string' }, place, fieldItem), {
        minLength: Math.max(1, flat.minItems ?? 0),
        maxLength: flat.maxItems ?? (flat.minItems ?? 0) + 3,
      })
    case 'string':
      return textOf(flat)
    case undefined:
      if (flat.enum !== undefined) return fc.constantFrom(...flat.enum)
      break
    case 'object':
    case 'null':
      break
  }
  throw new Error(`the contract's tests draw no parameter of the type ${String(flat.type)}; teach request-arbitrary.ts`)
}

/** Every byte in percent-encoding, which means the same (RFC 3986, section 2.3). */
function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

function parameterBreaks({ name, in: location, required, schema = {} }: Parameter): Break[] {
  const place = `${location}/${name}`
  const flat = sendableIn(location, flatten(schema))
  const breaks: Break[] = []
  if (flat.type === 'boolean') breaks.push({ place, rule: 'type', text: fc.constantFrom('1', 'yes', 'TRUE') })
  if (flat.type === 'number') {
    breaks.push({ place, rule: 'type', text: fc.constantFrom('a', 'one', 'NaN', '0x1', '1,5') })
    for (const [rule, text] of Object.entries(numberBreaks(flat))) breaks.push({ place, rule, text })
  }
  if (required === true && location !== 'path') breaks.push({ place, rule: 'required', text: fc.constant('') })
  if (flat.type === 'integer') {
    const forms = integerOf(flat).chain((integer) => fc.constantFrom(...brokenDecimals(integer)))
    breaks.push({ place, rule: 'type', text: fc.constantFrom('a', 'one', '[]', '{}', 'limit', '%2D', '٥') })
    breaks.push({ place, rule: 'canonical decimal form', text: forms })
    for (const [rule, integer] of Object.entries(integerBreaks(flat)))
      breaks.push({ place, rule, text: integer.map(String) })
    if (location === 'query') breaks.push({ place, rule: 'empty', text: fc.constant('') })
  }
  if (flat.type === 'string')
    for (const [rule, text] of Object.entries(textBreaks(flat))) breaks.push({ place, rule, text })
  return breaks.map((broken) => ({
    ...broken,
    text:
      location === 'header'
        ? broken.text.filter((text) => fieldValue.test(text))
        : broken.text.map((text) => encodeURIComponent(text)),
  }))
}

function written(operation: ContractOperation, { parameters, body }: Parts): ContractRequest {
  const path = operation.path.replaceAll(
    /\{([^{}]+)\}/g,
    (_template, name: string) =>
      parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.text ?? '',
  )
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name, text }) => `${name}=${text}`)
  const headers = Object.fromEntries(
    parameters.filter((parameter) => parameter.in === 'header').map(({ name, text }) => [name, text]),
  )
  const url = query.length === 0 ? path : `${path}?${query.join('&')}`
  return {
    method: operation.method.toUpperCase(),
    url,
    ...(body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': bodyType(operation) }, body: body.text }),
  }
}
