import fc from 'fast-check'
import { type ContractOperation, type Parameter, kindOf } from 'fastify-contract/document'
import {
  bodiesOf,
  bodyTypes,
  contentTypeOf,
  encodingsOf,
  filesOf,
  partTypesOf,
  plainBody,
  writtenBody,
} from './bodies.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import type { ParameterValue } from './parameters.ts'
import { asTarget, routeOf } from '../ground/contract.ts'
import type { SchemaSource } from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { givenOf, parameterValues, plainParameter, queryPairs, simple, wholeQuery } from './parameters.ts'
import { examplesOf } from '../ground/examples.ts'
import { fitted, hasUsualSize } from './request-size.ts'
import { percentEncoded } from './spellings.ts'
import { RawText } from '../draw/json-value.ts'
import { NoGenerator, attempt } from '../ground/no-generator.ts'
import { found } from '../draw/values.ts'

/** What a request is made of: the values of the parameters that it has, in their order, and its body. */
export interface RequestParts {
  parameters: ParameterValue[]
  body: Json
  /** The media type of the body; by default the first. */
  type?: string
  /** The media types of parts of a form that are not the declared ones. */
  otherTypes?: Record<string, string>
  /** Chooses among the ways to write the same; 0 is the plainest. */
  way: number
}

/** The media type of an operation's bodies of JSON; undefined where it takes none. */
export function jsonType(operation: ContractOperation): string | undefined {
  return bodyTypes(operation).find((type) => kindOf(type) === 'json')
}

/**
 * What requests are made of that the contract allows for an operation. An optional part without known values is left
 * out.
 *
 * @param type the media type of the body; each of the operation by default
 * @throws NoGenerator when a required part has none
 */
export function partsOf(operation: ContractOperation, source: SchemaSource, type?: string): fc.Arbitrary<RequestParts> {
  const parameters = operation.parameters.map((parameter) => parameterOf(operation, parameter, source))
  return fc
    .record({
      parameters: fc.tuple(...parameters).map((some) => some.flat()),
      content: contentOf(operation, source, type),
      way: fc.nat({ max: 999 }),
    })
    .map(({ content, parameters, way }) => {
      return { parameters: fitted(parameters, (each) => isGiven(each, source), way), way, ...content }
    })
}

/** Whether every request has a value of a parameter. */
function isGiven([parameter]: ParameterValue, source: SchemaSource): boolean {
  return givenOf(parameter, source) !== undefined
}

/** Requests that the contract allows for an operation. @throws NoGenerator */
export function requestsOf(
  operation: ContractOperation,
  source: SchemaSource,
  type?: string,
): fc.Arbitrary<ContractRequest> {
  const some = partsOf(operation, source, type).map((parts) => written(operation, parts, source))
  return found(some, hasUsualSize, source, tooLong)
}

const tooLong = 'every request is too long for a server'

/**
 * A request that the contract allows for an operation, always the same: with plain values, and with what is required of
 * it alone.
 *
 * @throws NoGenerator where none is known
 */
export function validRequest(operation: ContractOperation, source: SchemaSource): ContractRequest {
  const parameters = operation.parameters
    .filter((parameter) => parameter.required === true || givenOf(parameter, source) !== undefined)
    .map((parameter): ParameterValue => [parameter, plainParameter(parameter, source)])
  const content = operation.object.requestBody?.required === true ? plainContent(operation, source) : nothing
  const request = written(operation, { parameters, ...content, way: 0 }, source)
  if (hasUsualSize(request)) return request
  throw new NoGenerator(tooLong)
}

function plainContent(operation: ContractOperation, source: SchemaSource): Content {
  for (const type of bodyTypes(operation)) {
    const body = attempt('', {}, () => plainBody(operation, type, source))
    if (body !== undefined) return { body, type }
  }
  throw new NoGenerator(noBodyOf(operation))
}

type Content = Pick<RequestParts, 'body' | 'type'>
const nothing: Content = { body: undefined }

function contentOf(operation: ContractOperation, source: SchemaSource, chosen?: string): fc.Arbitrary<Content> {
  const { requestBody } = operation.object
  if (requestBody === undefined) return fc.constant(nothing)
  const isOptional = requestBody.required !== true
  const bodies = bodyTypes(operation)
    .filter((type) => chosen === undefined || type === chosen)
    .flatMap((type): fc.Arbitrary<Content>[] => {
      const some = attempt(routeOf(operation), source, () => bodiesOf(operation, type, source))
      return some === undefined ? [] : [some.map((body): Content => ({ body, type }))]
    })
  if (bodies.length === 0 && !isOptional) throw new NoGenerator(noBodyOf(operation))
  return fc.oneof(smallestFirst, ...(isOptional ? [fc.constant(nothing)] : []), ...bodies)
}

function noBodyOf(operation: ContractOperation): string {
  return `cannot generate a body of ${bodyTypes(operation).join(' or ')}; give it an example`
}

/** A smaller case may be one of the first. */
const smallestFirst = { withCrossShrink: true }

function parameterOf(
  operation: ContractOperation,
  parameter: Parameter,
  source: SchemaSource,
): fc.Arbitrary<ParameterValue[]> {
  const draw = () => parameterValues(parameter, source).map((value): ParameterValue[] => [[parameter, value]])
  if (parameter.required === true || givenOf(parameter, source) !== undefined) return draw()
  const none = fc.constant<ParameterValue[]>([])
  const one = attempt(`${routeOf(operation)}: ${parameter.in}/${parameter.name}`, source, draw)
  return one === undefined ? none : fc.oneof(smallestFirst, none, one)
}

/** Writes a request; `way` 0 is the plainest of its spellings. */
export function written(
  operation: ContractOperation,
  { parameters, body, type = bodyTypes(operation)[0] ?? '', way, otherTypes }: RequestParts,
  source: SchemaSource,
): ContractRequest {
  // What somebody has given is written in one way, by which it is known.
  const encodeOf = (value: Json) => (way % 2 === 0 || value instanceof RawText ? encodeURIComponent : percentEncoded)
  const valuesIn = (place: Parameter['in']) => parameters.filter(([parameter]) => parameter.in === place)
  const text = ([parameter, value]: ParameterValue, coded: (text: string) => string = String) =>
    simple(parameter, value, coded)
  const path = valuesIn('path').reduce(
    (url, pair) => url.replace(`{${pair[0].name}}`, () => text(pair, encodeOf(pair[1]))),
    operation.path,
  )
  const query = [
    ...valuesIn('query').flatMap(([parameter, value]) => queryPairs(parameter, value, encodeOf(value))),
    ...valuesIn('querystring').map(([parameter, value]) => wholeQuery(parameter, value, encodeOf(value))),
  ]
  const headers = Object.fromEntries(valuesIn('header').map((pair) => [pair[0].name, text(pair)]))
  const parts = {
    files: filesOf(operation, type, source),
    types: { ...partTypesOf(operation, type), ...otherTypes },
  }
  const cookies = valuesIn('cookie').map((pair) => `${pair[0].name}=${text(pair)}`)
  return {
    isWhole: true,
    method: operation.method.toUpperCase(),
    url: asTarget(query.length === 0 ? path : `${path}?${query.join('&')}`),
    headers: {
      ...headers,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...(body === undefined ? {} : { 'content-type': contentTypeOf(type) }),
    },
    ...(body === undefined ? {} : { body: writtenBody(type, body, way, parts, encodingsOf(operation, type)) }),
  }
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
export function requestExamplesOf(operation: ContractOperation, source: SchemaSource): RequestExample[] {
  const { parameters, object } = operation
  const bodies = examplesOf(object.requestBody?.content[bodyTypes(operation)[0] ?? ''] ?? {})
  const names = new Set([bodies, ...parameters.map(examplesOf)].flatMap((examples) => [...examples.keys()]))
  // An operation that is asked for nothing has one request.
  if (parameters.length === 0 && object.requestBody === undefined) names.add('(unnamed)')
  return [...names].map((name) => {
    const body = bodies.get(name) ?? [...bodies.values()][0]
    const values = parameters.flatMap((parameter): ParameterValue[] => {
      const given = givenOf(parameter, source)
      if (given !== undefined) return [[parameter, new RawText(given)]]
      const examples = examplesOf(parameter)
      const value = examples.get(name) ?? (parameter.required === true ? [...examples.values()][0] : undefined)
      return value === undefined ? [] : [[parameter, value]]
    })
    return { name, body, request: written(operation, { parameters: values, body, way: 0 }, source) }
  })
}
