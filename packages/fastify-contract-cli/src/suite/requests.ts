import fc from 'fast-check'
import { type ContractOperation, type Parameter, isJson } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import type { TestedContract } from './contract.ts'
import { type Json, Undrawable, attempt, flatten, typesOf } from './flat-schema.ts'
import { percentEncoded, spelled, textOf } from './spellings.ts'
import { valueOf } from './values.ts'

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
  /** Chooses among the ways to write the same; 0 is the plainest. */
  way: number
}

/** The media type of an operation's body, of JSON where it may be; undefined where it takes none. */
export function bodyType({ object }: ContractOperation): string | undefined {
  const types = Object.keys(object.requestBody?.content ?? {})
  return types.find(isJson) ?? types[0]
}

/** The schema of an operation's body of JSON; undefined where it takes none. */
export function bodySchema(operation: ContractOperation): Schema | undefined {
  const type = bodyType(operation)
  return type === undefined || !isJson(type) ? undefined : operation.object.requestBody?.content[type]?.schema
}

/**
 * What requests are made of that the contract allows for an operation. An optional part without known values is left
 * out.
 *
 * @throws Undrawable when a required part has none
 */
export function partsOf(operation: ContractOperation, contract: TestedContract): fc.Arbitrary<RequestParts> {
  return fc.record({
    parameters: fc
      .tuple(...operation.parameters.map((parameter) => parameterOf(operation, parameter, contract)))
      .map((drawn) => drawn.flat()),
    body: bodyOf(operation, contract),
    way: fc.nat({ max: 999 }),
  })
}

/** Requests that the contract allows for an operation. @throws Undrawable */
export function requestsOf(operation: ContractOperation, contract: TestedContract): fc.Arbitrary<ContractRequest> {
  return partsOf(operation, contract).map((parts) => written(operation, parts))
}

/** A request that the contract allows for an operation, always the same one. */
export function validRequest(operation: ContractOperation, contract: TestedContract): ContractRequest {
  const [request] = fc.sample(requestsOf(operation, contract), { seed: 1, numRuns: 1 })
  // One was asked for.
  return request!
}

function bodyOf(operation: ContractOperation, contract: TestedContract): fc.Arbitrary<Json> {
  const { requestBody } = operation.object
  if (requestBody === undefined) return fc.constant(undefined)
  const draw = () => {
    const schema = bodySchema(operation)
    if (schema === undefined) throw new Undrawable(`no bodies of ${String(bodyType(operation))} are known`)
    return valueOf(schema, contract)
  }
  if (requestBody.required === true) return draw()
  const body = attempt(`${operation.id}: the body`, contract, draw)
  return body === undefined ? fc.constant(undefined) : fc.option(body, { nil: undefined })
}

export function isList({ schema = {} }: Parameter, contract: TestedContract): boolean {
  return typesOf(flatten(schema, contract)).includes('array')
}

/** A list without members is no parameter at all. */
function parameterOf(
  operation: ContractOperation,
  parameter: Parameter,
  contract: TestedContract,
): fc.Arbitrary<[Parameter, Json][]> {
  const draw = () => {
    assertWritable(parameter, contract)
    const schema = sendable(parameter, contract)
    const values = valueOf(isList(parameter, contract) ? { minItems: 1, ...schema } : schema, contract)
    return values
      .filter((value) => canBeSent(parameter, value))
      .map((value): [Parameter, Json][] => [[parameter, value]])
  }
  if (parameter.required === true) return draw()
  const one = attempt(`${operation.id}: ${parameter.in}/${parameter.name}`, contract, draw)
  const none = fc.constant<[Parameter, Json][]>([])
  return one === undefined ? none : fc.oneof(one, none)
}

/** No path is without a text, and not every text can be a header's or a cookie's. */
export function canBeSent(parameter: Parameter, value: Json): boolean {
  const text = [value].flat().map(textOf).join(',')
  if (parameter.in === 'query') return true
  return parameter.in === 'path'
    ? text !== '' && text !== '.' && text !== '..'
    : /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text)
}

/** The style of each place, by default first. */
const styles: Record<Parameter['in'], readonly string[]> = {
  path: ['simple'],
  query: ['form', 'pipeDelimited', 'spaceDelimited'],
  header: ['simple'],
  cookie: ['form'],
}

/** @throws Undrawable when a parameter has a form that the suite does not write */
function assertWritable({ in: place, style, schema, content }: Parameter, contract: TestedContract): void {
  if (content !== undefined) throw new Undrawable('no parameters with `content` are known')
  if (style !== undefined && !styles[place].includes(style)) {
    throw new Undrawable(`no parameters of the style ${style} are known`)
  }
  const { anyOf = [], oneOf = [] } = flatten(schema ?? {}, contract).assertions
  const flat = [schema ?? {}, ...anyOf, ...oneOf].map((each) => flatten(each, contract))
  if (flat.some((each) => typesOf(each).includes('object'))) throw new Undrawable('no parameters of objects are known')
}

/**
 * The schema of a parameter. Where it leaves the texts of a header or a cookie open, they are of visible characters of
 * US-ASCII without a comma: others mean something else, or nothing, on their way (RFC 9110, section 5.5).
 */
export function sendable({ in: place, schema = {} }: Parameter, contract: TestedContract): Schema {
  if (place !== 'header' && place !== 'cookie') return schema
  const { items, type, pattern, format, enum: texts } = flatten(schema, contract).assertions
  if (items !== undefined) return { ...schema, items: sendable({ name: '', in: place, schema: items }, contract) }
  if (type !== 'string' || (pattern ?? format ?? texts) !== undefined) return schema
  return { ...schema, pattern: place === 'header' ? '^[!-+.-~-]*$' : '^[!#-+.-:<-[\\]-~-]*$' }
}

/** Writes a request; `way` 0 is the plainest of its spellings. */
export function written(operation: ContractOperation, { parameters, body, way }: RequestParts): ContractRequest {
  const encode = way % 2 === 0 ? encodeURIComponent : percentEncoded
  const valuesIn = (place: Parameter['in']) => parameters.filter(([parameter]) => parameter.in === place)
  const path = valuesIn('path').reduce(
    (url, [{ name }, value]) => url.replace(`{${name}}`, () => [value].flat().map(textOf).map(encode).join(',')),
    operation.path,
  )
  const query = valuesIn('query').flatMap(([{ name, explode, style = 'form' }, value]) => {
    const texts = [value].flat().map(textOf).map(encode)
    const isJoined = explode === false || (explode === undefined && style !== 'form')
    return (isJoined ? [texts.join(separators[style])] : texts).map((text) => `${encodeURIComponent(name)}=${text}`)
  })
  const headers = Object.fromEntries(
    valuesIn('header').map(([{ name }, value]) => [name, [value].flat().map(textOf).join(',')]),
  )
  const cookies = valuesIn('cookie').map(([{ name }, value]) => `${name}=${[value].flat().map(textOf).join(',')}`)
  return {
    method: operation.method.toUpperCase(),
    url: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      ...headers,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...(body === undefined ? {} : { 'content-type': bodyType(operation) }),
    },
    ...(body === undefined ? {} : { body: spelled(body, way) }),
  }
}

const separators: Record<string, string> = { form: ',', pipeDelimited: '%7C', spaceDelimited: '%20' }
