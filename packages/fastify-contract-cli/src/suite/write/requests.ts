import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { contentTypeOf, writtenBody } from './bodies.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { asTarget, routeOf } from '../ground/contract.ts'
import type { SchemaSource } from '../draw/flat-schema.ts'
import { type Json, RawText } from '../draw/json-value.ts'
import { examplesOf } from '../ground/examples.ts'
import { once } from '../ground/once.ts'
import { type Part, bodyParts, parameterPart } from './part.ts'
import { givenOf, isNeeded, plainValueOf, valuesOfPart } from './part-values.ts'
import { type RequestParts, valuesIn, withValue } from './request-parts.ts'
import { leastParts } from './least-parts.ts'
import { fitted, hasUsualSize } from './request-size.ts'
import { cookieText, percentEncoded } from './spellings.ts'
import { NoGenerator, UnknownPart, attempt, needed } from '../ground/no-generator.ts'
import { found, known } from '../draw/values.ts'
import { isCoded, writtenValue } from './written-value.ts'

/**
 * What requests are made of that the contract allows for an operation. An optional part without known values is left out.
 *
 * @param type the media type of the body; each of the operation by default
 * @throws NoGenerator when a required part has none
 */
export function partsOf(operation: ContractOperation, given: SchemaSource, type?: string): fc.Arbitrary<RequestParts> {
  const source = { ...given, route: routeOf(operation) }
  const parameters = operation.parameters.map((parameter) => parameterOf(parameterPart(parameter), source))
  return fc.tuple(fc.nat({ max: 999 }), bodyOf(operation, source, type), ...parameters).map(([way, ...changes]) => {
    const parts = changes.reduce<RequestParts>((whole, change) => change(whole), { way })
    return fitted(operation, parts, (part) => isNeeded(part, source))
  })
}

/**
 * As `partsOf`, most of them from those that a server has accepted.
 *
 * @param accepted the smallest first
 */
export function likelyParts(
  operation: ContractOperation,
  source: SchemaSource,
  accepted: readonly RequestParts[],
  type?: string,
): fc.Arbitrary<RequestParts> {
  const fitting = accepted.filter((parts) => type === undefined || (parts.type === type && parts.body !== undefined))
  const others = partsOf(operation, source, type)
  if (fitting.length === 0) return others
  const known = { weight: 3, arbitrary: fc.constantFrom(...fitting) }
  return fc.oneof({ withCrossShrink: true }, known, { weight: 1, arbitrary: others })
}

/** A request, and what it is made of. */
export interface MadeRequest {
  parts: RequestParts
  request: ContractRequest
}

/** Makes requests that a server takes as far as their size is concerned. @throws NoGenerator */
export function madeRequests(
  operation: ContractOperation,
  source: SchemaSource,
  some: fc.Arbitrary<RequestParts>,
): fc.Arbitrary<MadeRequest> {
  const made = some.map((parts) => ({ parts, request: written(operation, parts, source) }))
  return found(made, ({ request }) => hasUsualSize(request), source, tooLong)
}

/** Requests that the contract allows for an operation. @throws NoGenerator */
export function requestsOf(
  operation: ContractOperation,
  source: SchemaSource,
  type?: string,
): fc.Arbitrary<ContractRequest> {
  return madeRequests(operation, source, partsOf(operation, source, type)).map(({ request }) => request)
}

const tooLong = 'every request is too long for a server'

/**
 * A request that the contract allows for an operation, always the same: with plain values, and with what is required of
 * it alone.
 *
 * @throws NoGenerator where none is known
 */
export function validRequest(operation: ContractOperation, source: SchemaSource): ContractRequest {
  const request = written(operation, plainParts(operation, source), source)
  if (hasUsualSize(request)) return request
  throw new NoGenerator(tooLong)
}

function plainParts(operation: ContractOperation, source: SchemaSource): RequestParts {
  const needed = operation.parameters.map(parameterPart).filter((part) => isNeeded(part, source))
  const plain = (whole: RequestParts, part: Part) => withValue(whole, part, plainValueOf(part, source))
  const isBodied = operation.object.requestBody?.required === true
  return needed.reduce(plain, isBodied ? plainBody(operation, source) : { way: 0 })
}

/** What requests are made of that may succeed where others fail: of some, only what is required, and plain. @throws NoGenerator */
export function variedParts(operation: ContractOperation, source: SchemaSource): fc.Arbitrary<RequestParts> {
  const all = partsOf(operation, source)
  const least = (parts: RequestParts) => leastParts(operation, parts, source)
  const others = all.map(least)
  const plain = once(() => attempt('', {}, () => fc.constant(least(plainParts(operation, source)))) ?? others)
  return fc.oneof(
    // A smaller case is made of the first.
    { withCrossShrink: true },
    fc.constant(undefined).chain(plain),
    others,
    { weight: 8, arbitrary: all },
  )
}

/** Requests that may succeed where one does not: with what the contract requires alone, and with that in plain. */
export function* simplerRequests(
  operation: ContractOperation,
  parts: RequestParts,
  source: SchemaSource,
): Generator<ContractRequest> {
  for (const draw of [() => parts, () => plainParts(operation, source)]) {
    const simpler = attempt('', {}, () => leastParts(operation, draw(), source))
    if (simpler !== undefined) yield written(operation, simpler, source)
  }
}

function plainBody(operation: ContractOperation, source: SchemaSource): RequestParts {
  const bodies = bodyParts(operation)
  for (const part of bodies) {
    const parts = attempt('', {}, () => withValue({ way: 0 }, part, plainValueOf(part, source)))
    if (parts !== undefined) return parts
  }
  throw noBody(bodies)
}

/** Adds a part to a request, or none. */
type Change = (parts: RequestParts) => RequestParts

const nothing = fc.constant<Change>((parts) => parts)

function drawnPart(part: Part, source: SchemaSource): fc.Arbitrary<Change> {
  return known(valuesOfPart(part, source)).map((value) => (parts) => withValue(parts, part, value))
}

function parameterOf(part: Part, source: SchemaSource): fc.Arbitrary<Change> {
  const place = part.path.join('/')
  if (isNeeded(part, source)) return needed(place, () => drawnPart(part, source))
  return oneOf([nothing, attempt(place, source, () => drawnPart(part, source)) ?? []].flat())
}

function bodyOf(operation: ContractOperation, source: SchemaSource, type?: string): fc.Arbitrary<Change> {
  const all = bodyParts(operation)
  const isRequired = operation.object.requestBody?.required === true
  const own = all.filter((part) => type === undefined || part.type === type)
  if (isRequired && own.length === 1) return needed('body', () => drawnPart(own[0]!, source))
  const bodies = own.flatMap((part) => attempt('body', source, () => drawnPart(part, source)) ?? [])
  if (!isRequired) return oneOf([nothing, ...bodies])
  if (bodies.length === 0) throw noBody(all)
  return oneOf(bodies)
}

function noBody(bodies: readonly Part[]): NoGenerator {
  return new UnknownPart(`cannot generate a body of ${bodies.map(({ type }) => type).join(' or ')}; give it an example`)
}

/** A smaller case may be one of the first. */
function oneOf(changes: readonly fc.Arbitrary<Change>[]): fc.Arbitrary<Change> {
  return fc.oneof({ withCrossShrink: true }, ...changes)
}

/** Writes a request; `way` 0 is the plainest of its spellings. */
export function written(operation: ContractOperation, parts: RequestParts, source: SchemaSource): ContractRequest {
  const { body, way } = parts
  const textOf = ([part, value]: [Part, Json]) => {
    // What somebody has given is written in one way, by which it is known.
    const isPlain = way % 2 === 0 || value instanceof RawText
    if (part.isEncoded) return writtenValue(value, part, isPlain ? encodeURIComponent : percentEncoded)
    return writtenValue(value, part, isCoded(part) && !(value instanceof RawText) ? cookieText : String)
  }
  const path = valuesIn(parts, operation, ['path']).reduce(
    (url, each) => url.replace(`{${each[0].name}}`, () => textOf(each)),
    operation.path,
  )
  const query = valuesIn(parts, operation, ['query', 'querystring'])
    .map(textOf)
    .filter((text) => text !== '')
  const headers = valuesIn(parts, operation, ['header']).map((each) => [each[0].name, textOf(each)] as const)
  const cookies = valuesIn(parts, operation, ['cookie']).map(textOf)
  const bodies = bodyParts(operation)
  const content = body === undefined ? undefined : (bodies.find(({ type }) => type === parts.type) ?? bodies[0])
  return {
    isWhole: true,
    method: operation.method.toUpperCase(),
    url: asTarget(query.length === 0 ? path : `${path}?${query.join('&')}`),
    headers: {
      ...Object.fromEntries(headers),
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...(content === undefined ? {} : { 'content-type': contentTypeOf(content.type) }),
    },
    ...(content === undefined ? {} : { body: writtenBody(body, content, way, source) }),
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
  const all = [...operation.parameters.map(parameterPart), ...bodyParts(operation).slice(0, 1)].map((part) => {
    return { part, examples: new Map(part.exampled.flatMap((each) => [...examplesOf(each)])) }
  })
  // An operation that is asked for nothing has one request.
  const names = all.length === 0 ? ['(unnamed)'] : all.flatMap(({ examples }) => [...examples.keys()])
  return [...new Set(names)].map((name) => {
    const parts = all.reduce<RequestParts>(
      (whole, { part, examples }) => {
        const given = givenOf(part, source)
        const isNeeded = part.isRequired || part.path[0] === 'body'
        const example = examples.get(name) ?? (isNeeded ? [...examples.values()][0] : undefined)
        return withValue(whole, part, given === undefined ? example : new RawText(given))
      },
      { way: 0 },
    )
    return { name, body: parts.body, request: written(operation, parts, source) }
  })
}
