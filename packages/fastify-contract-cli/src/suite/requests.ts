import fc from 'fast-check'
import { type ContractOperation, type Parameter, kindOf } from 'fastify-contract/document'
import { bodyTypes, bodyValues, contentTypeOf, filesOf, writtenBody } from './bodies.ts'
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
 * out.
 *
 * @param type the media type of the body; each of the operation by default
 * @throws Undrawable when a required part has none
 */
export function partsOf(
  operation: ContractOperation,
  contract: SchemaSource,
  type?: string,
): fc.Arbitrary<RequestParts> {
  return fc
    .record({
      parameters: fc
        .tuple(...operation.parameters.map((parameter) => parameterOf(operation, parameter, contract)))
        .map((drawn) => drawn.flat()),
      content: contentOf(operation, contract, type),
      way: fc.nat({ max: 999 }),
    })
    .map(({ content, ...parts }) => ({ ...parts, ...content }))
}

/** Requests that the contract allows for an operation. @throws Undrawable */
export function requestsOf(
  operation: ContractOperation,
  contract: SchemaSource,
  type?: string,
): fc.Arbitrary<ContractRequest> {
  return partsOf(operation, contract, type).map((parts) => written(operation, parts, contract))
}

/** A request that the contract allows for an operation, always the same one. */
export function validRequest(operation: ContractOperation, contract: SchemaSource): ContractRequest {
  const [request] = fc.sample(requestsOf(operation, contract), { seed: 1, numRuns: 1 })
  // One was asked for.
  return request!
}

type Content = Pick<RequestParts, 'body' | 'type'>
const nothing: Content = { body: undefined }

function contentOf(operation: ContractOperation, contract: SchemaSource, chosen?: string): fc.Arbitrary<Content> {
  const { requestBody } = operation.object
  if (requestBody === undefined) return fc.constant(nothing)
  const bodies = bodyTypes(operation)
    .filter((type) => chosen === undefined || type === chosen)
    .flatMap((type): fc.Arbitrary<Content>[] => {
      const draw = () => bodyValues(operation, type, contract)
      return [attempt(routeOf(operation), contract, draw)?.map((body): Content => ({ body, type })) ?? []].flat()
    })
  if (bodies.length > 0)
    return fc.oneof(smallestFirst, ...(requestBody.required === true ? [] : [fc.constant(nothing)]), ...bodies)
  if (requestBody.required === true) throw new Undrawable(`no bodies of ${bodyTypes(operation).join(', ')} are known`)
  return fc.constant(nothing)
}

/** A smaller case may be one of the first. */
const smallestFirst = { withCrossShrink: true }

function parameterOf(
  operation: ContractOperation,
  parameter: Parameter,
  contract: SchemaSource,
): fc.Arbitrary<[Parameter, Json][]> {
  const draw = () => parameterValues(parameter, contract).map((value): [Parameter, Json][] => [[parameter, value]])
  if (parameter.required === true) return draw()
  const one = attempt(`${routeOf(operation)}: ${parameter.in}/${parameter.name}`, contract, draw)
  const none = fc.constant<[Parameter, Json][]>([])
  return one === undefined ? none : fc.oneof(smallestFirst, none, one)
}

/** Writes a request; `way` 0 is the plainest of its spellings. */
export function written(
  operation: ContractOperation,
  { parameters, body, type = bodyTypes(operation)[0] ?? '', way }: RequestParts,
  contract: SchemaSource,
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
    ...(body === undefined ? {} : { body: writtenBody(type, body, way, filesOf(operation, type, contract)) }),
  }
}
