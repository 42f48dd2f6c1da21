import fc from 'fast-check'
import { type ContractOperation, type Exampled, type Parameter, kindOf } from 'fastify-contract/document'
import { bodiesOf, bodyTypes, contentTypeOf, filesOf, writtenBody } from './bodies.ts'
import { routeOf } from './contract.ts'
import type { Json, SchemaSource } from './flat-schema.ts'
import { parameterValues, queryPairs, simple } from './parameters.ts'
import { percentEncoded } from './spellings.ts'
import { Undrawable, attempt } from './undrawable.ts'

/** What a test sends; a header that is undefined is not sent. */
export interface ContractRequest {
  method: string
  /** The request target, without the base path of the server; sent as it is. */
  url: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
  /** Sends it without the credentials of the caller. */
  isAnonymous?: boolean
}

/** What a request is made of: the values of the parameters that it has, in their order, and its body. */
export interface RequestParts {
  parameters: [Parameter, Json][]
  body: Json
  /** The media type of the body; by default the first. */
  type?: string
  /** Chooses among the ways to write the same; 0 is the plainest. */
  way: number
}

/** The media type of an operation's bodies of JSON; undefined where it takes none. */
export function jsonType(operation: ContractOperation): string | undefined {
  return bodyTypes(operation).find((type) => kindOf(type) === 'json')
}

/**
 * What requests are made of that the contract allows for an operation. An optional part without known values is left
 * out; a plain request has none.
 *
 * @param type the media type of the body; each of the operation by default
 * @throws Undrawable when a required part has none
 */
export function partsOf(operation: ContractOperation, source: SchemaSource, type?: string): fc.Arbitrary<RequestParts> {
  const parameters = operation.parameters.map((parameter) => parameterOf(operation, parameter, source))
  return fc
    .record({
      parameters: fc.tuple(...parameters).map((some) => some.flat()),
      content: contentOf(operation, source, type),
      way: source.plain === undefined ? fc.nat({ max: 999 }) : fc.constant(0),
    })
    .map(({ content, ...parts }) => ({ ...parts, ...content }))
}

/** Requests that the contract allows for an operation. @throws Undrawable */
export function requestsOf(
  operation: ContractOperation,
  source: SchemaSource,
  type?: string,
): fc.Arbitrary<ContractRequest> {
  return partsOf(operation, source, type).map((parts) => written(operation, parts, source))
}

/**
 * A request that the contract allows for an operation, always the same: with plain values, and with what is required of
 * it alone.
 *
 * @throws Undrawable where none is known
 */
export function validRequest(operation: ContractOperation, source: SchemaSource): ContractRequest {
  for (const hasExamples of [true, false]) {
    const plain = { index: 0, hasExamples, isLeast: false, budget: { left: 500 } }
    const draw = () => fc.sample(requestsOf(operation, { ...source, plain, leftOut: new Set() }), 1)[0]
    const request = hasExamples ? attempt('', {}, draw) : draw()
    if (request !== undefined) return request
  }
  throw new Undrawable(`no request to ${routeOf(operation)} is known`)
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
  if (bodies.length === 0 && !isOptional) {
    throw new Undrawable(`no bodies of ${bodyTypes(operation).join(', ')} are known`)
  }
  if (source.plain !== undefined) return isOptional ? fc.constant(nothing) : bodies[0]!
  return fc.oneof(smallestFirst, ...(isOptional ? [fc.constant(nothing)] : []), ...bodies)
}

/** A smaller case may be one of the first. */
const smallestFirst = { withCrossShrink: true }

function parameterOf(
  operation: ContractOperation,
  parameter: Parameter,
  source: SchemaSource,
): fc.Arbitrary<[Parameter, Json][]> {
  const draw = () => parameterValues(parameter, source).map((value): [Parameter, Json][] => [[parameter, value]])
  if (parameter.required === true) return draw()
  const none = fc.constant<[Parameter, Json][]>([])
  if (source.plain !== undefined) return none
  const one = attempt(`${routeOf(operation)}: ${parameter.in}/${parameter.name}`, source, draw)
  return one === undefined ? none : fc.oneof(smallestFirst, none, one)
}

/** Writes a request; `way` 0 is the plainest of its spellings. */
export function written(
  operation: ContractOperation,
  { parameters, body, type = bodyTypes(operation)[0] ?? '', way }: RequestParts,
  source: SchemaSource,
): ContractRequest {
  const encode = way % 2 === 0 ? encodeURIComponent : percentEncoded
  const valuesIn = (place: Parameter['in']) => parameters.filter(([parameter]) => parameter.in === place)
  const text = ([parameter, value]: [Parameter, Json], coded: (text: string) => string = String) =>
    simple(parameter, value, coded)
  const path = valuesIn('path').reduce(
    (url, pair) => url.replace(`{${pair[0].name}}`, () => text(pair, encode)),
    operation.path,
  )
  const query = valuesIn('query').flatMap(([parameter, value]) => queryPairs(parameter, value, encode))
  const headers = Object.fromEntries(valuesIn('header').map((pair) => [pair[0].name, text(pair)]))
  const cookies = valuesIn('cookie').map((pair) => `${pair[0].name}=${text(pair)}`)
  return {
    method: operation.method.toUpperCase(),
    url: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      ...headers,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...(body === undefined ? {} : { 'content-type': contentTypeOf(type) }),
    },
    ...(body === undefined ? {} : { body: writtenBody(type, body, way, filesOf(operation, type, source)) }),
  }
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
export function requestExamplesOf(operation: ContractOperation, source: SchemaSource): RequestExample[] {
  const { parameters, object } = operation
  const bodies = examplesOf(object.requestBody?.content[bodyTypes(operation)[0] ?? ''] ?? {})
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
    return { name, body, request: written(operation, { parameters: values, body, way: 0 }, source) }
  })
}
