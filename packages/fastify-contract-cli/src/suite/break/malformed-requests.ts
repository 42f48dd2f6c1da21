import { type ContractOperation, basePathsOf } from 'fastify-contract/document'
import type { SecurityScheme } from 'fastify-contract/security'
import { type TestedContract, isPathOf } from '../ground/contract.ts'
import { alternativesOf, schemeOf, wantsCredentials, withKey, withPair } from '../write/credentials.ts'
import { type BodyLimit, bodyLimitsOf } from '../write/body-limits.ts'
import { contentTypeOf, jsonType } from '../write/bodies.ts'
import { bodyParts } from '../write/part.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import type { RefusalName, Stage } from '../ground/refusals.ts'
import { declaredType } from '../ground/contract.ts'

/** Ways to change a request. */
type Changes = ((request: ContractRequest) => ContractRequest)[]

/** What can be wrong with a request whatever its operation is for. */
export interface MalformedRequest {
  stage: Stage
  title: string
  /** The failure that it earns. */
  failure: RefusalName
  /** The ways to give a request the fault. */
  changes: Changes
}

type Row = [stage: Stage, title: string, failure: RefusalName, changes: Changes]

const bodies = (values: (string | Buffer)[]): Changes => values.map((body) => (request) => ({ ...request, body }))
const withHeader = (request: ContractRequest, name: string, value?: string) => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})
const headers = (name: string, values: (string | undefined)[]): Changes =>
  values.map((value) => (request) => withHeader(request, name, value))

/** Credentials of other schemes than the wanted one, or none at all. */
const notBearer = ['Bearer', 'Basic bWU6bWU=', 'Token abc', 'Digest username="me"']
const noTokens = ['a'.repeat(48), 'a', 'a=', '"a"', 'a,b', 'a b', '\u00e9'].map((token) => `Bearer ${token}`)

/** What no server knows. */
const unknownValues: Record<SecurityScheme['kind'], readonly string[]> = {
  bearer: noTokens,
  jwt: noTokens,
  basic: ['Basic bWU6bWU='],
  apiKey: ['unknown'],
  http: ['unknown'],
}

/** Requests without credentials, and for each alternative some that are unknown or missing beside those that are right. */
function faultsOfCredentials(operation: ContractOperation, contract: TestedContract, known: readonly string[]): Row[] {
  const alternatives = alternativesOf(operation)
  const words = alternatives.flat().map((name) => `${schemeOf(contract, name).scheme.toLowerCase()} `)
  const isOther = (value: string) => !words.some((word) => value.toLowerCase().startsWith(word))
  const others = words.includes('bearer ') ? notBearer.filter(isOther) : []
  const anonymous = [undefined, ...others].map((value): Changes[number] => {
    return (request) => ({ ...withHeader(request, 'authorization', value), schemes: [] })
  })
  const rows = alternatives.flatMap((names) => {
    const unknown = names.filter((name) => !known.includes(name))
    const spoiled = unknown.length > 0 ? [unknown] : names.map((name) => [name])
    return spoiled.flatMap((wrong) => faultsOfAlternative(contract, alternatives, names, wrong))
  })
  const first: Row = ['credentials', 'no credentials', 'credentials_missing', anonymous]
  return [...new Map([first, ...rows].map((row) => [row[1], row])).values()]
}

/** @param wrong the schemes of an alternative of which the credentials are unknown, or missing */
function faultsOfAlternative(
  contract: TestedContract,
  alternatives: readonly string[][],
  names: readonly string[],
  wrong: readonly string[],
): Row[] {
  // What has one place and one form is one for a server, whatever its schemes are.
  const placeOf = (name: string) => {
    const { in: place, name: field, scheme } = schemeOf(contract, name)
    return [place, place === 'header' ? field.toLowerCase() : field, scheme.toLowerCase()].join(' ')
  }
  const right = names.filter((name) => !wrong.some((other) => placeOf(other) === placeOf(name)))
  const places = right.map(placeOf)
  if (alternatives.some((each) => each.every((name) => places.includes(placeOf(name))))) return []
  const values = wrong.map((name) => unknownValues[schemeOf(contract, name).kind])
  const others: Changes = Array.from({ length: Math.max(...values.map(({ length }) => length)) }, (_, index) => {
    return (request) =>
      wrong.reduce<ContractRequest>(
        (sent, name, at) => withKey(sent, schemeOf(contract, name), values[at]?.at(index % values[at].length) ?? ''),
        { ...request, schemes: right },
      )
  })
  const sameAs = (name: string) => [...new Set(alternatives.flat())].filter((each) => placeOf(each) === placeOf(name))
  const [ofWrong, ofRight] = [wrong, right].map((some) => {
    return [...new Set(some.map((name) => sameAs(name).join(' or ')))].join(' and ')
  })
  const beside = right.length === 0 ? '' : ` beside those of ${String(ofRight)}`
  const missing: Changes = right.length === 0 ? [] : [(request) => ({ ...request, schemes: right })]
  return [
    ['credentials', `unknown credentials of ${String(ofWrong)}${beside}`, 'token_invalid', others],
    [
      'credentials',
      `credentials of ${String(ofRight)} without those of ${String(ofWrong)}`,
      'credentials_missing',
      missing,
    ],
  ]
}

const otherTypes = 'text/plain application/jsonx application/json-patch+json application/x-www-form-urlencoded */* json'
const tooLarge = ({ type, limit }: BodyLimit): Changes =>
  [limit + 1, limit + 1_000_000].map((length) => ({ body = '', ...request }) => {
    const bytes = Buffer.from(body)
    const padded = Buffer.concat([Buffer.alloc(Math.max(0, length - bytes.length), ' '), bytes])
    return { ...withHeader(request, 'content-type', contentTypeOf(type)), body: padded }
  })
/** A number that is cut off may be another number. */
const cutOff: Changes = [
  ({ body = '{}', ...request }) => ({
    ...request,
    body: String(body)
      .trimEnd()
      .replace(/\d$|.$/s, (end) => (/\d/.test(end) ? `${end},` : '')),
  }),
]
/** Overlong, surrogates, beyond U+10FFFF, cut off, alone, and UTF-16. */
const notUtf8 = 'c0af eda080 edbfbf f4908080 e282 80 ff e9 fffe6100'
  .split(' ')
  .map((hex) => Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]))
const notJson = [
  ...['{', '{"a":54,}', "{'a':54}", '{"a":54} {"a":55}', '{"a":054}', '{"a":0x36}', '{"a":NaN}', '{"a":"\t"}', 'nul'],
  ...['{"a":"\\x"}', '// {}', '{"a":54}\0', '\u00a0{}'],
]
const twice = ['{"a":1,"a":1}', '{"name":"a","\\u006eame":"a"}', '{"a":{"y":1,"y":2}}', '{"a":[{"":0,"":0}]}']
/** An empty body needs no Content-Type. */
const noType: Changes = [
  ({ body = '', ...request }) => ({ ...withHeader(request, 'content-type'), body: body.length > 0 ? body : ' ' }),
]
const nothing: Changes = [
  ({ body: _body, headers: { 'content-type': _type, ...others } = {}, ...request }) => ({
    ...request,
    headers: others,
  }),
]
const noBody: Changes = [...nothing, ...bodies(['', ' '])]
const missing: Row = ['JSON', 'no body', 'malformed_body', noBody]
const faultsOfContent = ({ object }: ContractOperation): Row[] => {
  const declared = Object.keys(object.requestBody?.content ?? {})
  const others = otherTypes.split(' ').filter((type) => declaredType(declared, type) === undefined)
  return [
    ['content', 'no media type', 'unsupported_media_type', noType],
    ['content', 'another media type', 'unsupported_media_type', headers('content-type', others)],
    ['content', 'a coded body', 'unsupported_media_type', headers('content-encoding', ['gzip', 'br', 'x-unknown'])],
  ]
}
const faultsOfJson: Row[] = [
  ['JSON', 'bytes that are not UTF-8', 'malformed_body', bodies(notUtf8)],
  ['JSON', 'text that is not JSON', 'malformed_body', bodies(notJson)],
  ['JSON', 'a document that is cut off', 'malformed_body', cutOff],
  ['JSON', 'a property that is named twice', 'malformed_body', bodies(twice)],
]

/** Faults that other servers need not refuse: OpenAPI leaves them open, or HTTP does. */
const libraryTitles = [
  'a path that does not exist',
  'a method that the path does not have',
  'no media type',
  'another media type',
  'a coded body',
  'bytes that are not UTF-8',
  'a property that is named twice',
  'percent-encoding that is broken',
  'an unknown parameter',
]

/** What the faults of requests depend on. */
export interface MalformedOptions {
  /** The schemes whose credentials the caller has. */
  schemes: readonly string[]
  /** The length, in bytes, beyond which the server refuses a body; undefined where it is not known. */
  bodyLimit: number | undefined
  /** Whether also what OpenAPI leaves open is a fault. */
  isStrict: boolean
}

/** Lists the faults that the requests of an operation can have, those of the first stage first. */
export function malformedRequestsOf(
  operation: ContractOperation,
  contract: TestedContract,
  { schemes, bodyLimit, isStrict }: MalformedOptions,
): MalformedRequest[] {
  const bodies = bodyParts(operation)
  const hasJson = jsonType(operation) !== undefined
  const large = bodyLimitsOf(operation, contract, bodyLimit).map((each): Row => {
    const suffix = bodies.length > 1 ? ` (${each.type})` : ''
    return ['content', `a body over the limit${suffix}`, 'body_too_large', tooLarge(each)]
  })
  const rows: Row[] = [
    ...faultsOfTarget(operation, contract),
    ...(wantsCredentials(operation) ? faultsOfCredentials(operation, contract, schemes) : []),
    ...(bodies.length > 0 ? [...faultsOfContent(operation), ...large] : []),
    ...(hasJson ? faultsOfJson : []),
    ...(hasJson && operation.object.requestBody?.required === true ? [missing] : []),
    ['contract', 'an unknown parameter', 'invalid_request', withUnknown(operation)],
  ]
  return rows
    .filter(([, title, , changes]) => changes.length > 0 && (isStrict || !libraryTitles.includes(title)))
    .map(([stage, title, failure, changes]) => ({ stage, title, failure, changes }))
}

const otherNames = ['un known', 'limt', 'Limit', 'limit[]', 'offset', 'access_token', 'constructor', '__proto__']

function withUnknown({ parameters }: ContractOperation): Changes {
  // Its schema says what may be in it.
  if (parameters.some((parameter) => parameter.in === 'querystring')) return []
  const unknown = otherNames.filter((name) => !parameters.some((parameter) => parameter.name === name))
  return unknown.map((name) => (request) => ({ ...request, url: withPair(request.url, [name, '1']) }))
}

function faultsOfTarget(operation: ContractOperation, { operations, document }: TestedContract): Row[] {
  const { path: template } = operation
  const exists = (path: string) =>
    operations.some((each) =>
      ['', ...basePathsOf(document), ...each.basePaths].some((base) => {
        return path.startsWith(base) && isPathOf(each.path, path.slice(base.length))
      }),
    )
  const inPath = (forms: string[]): Changes =>
    forms.map((form) => (request) => {
      return { ...request, url: request.url.replace(/^[^?]*/, (path) => form.replace('$', () => path)) }
    })
  const elsewhere = ['/', '$/', '/$', '/v1$', '$/1/2/3', '$%2F1'].filter((form) => !exists(form.replace('$', template)))
  const broken = ['$%', '$/%zz', '$/%c0%af', '$%ff', '$/%ed%a0%80', '$?limit=%', '$?%C3=1', '$?limit=%zz']
  const present = operations.filter(({ path }) => isPathOf(path, template)).map(({ method }) => method.toUpperCase())
  const absent = ['PUT', 'PATCH', 'POST', 'DELETE', 'OPTIONS'].filter((method) => !present.includes(method))
  const methods: Changes = absent.map((method) => (request) => ({ ...request, method }))
  return [
    ['target', 'a path that does not exist', 'path_not_found', inPath(elsewhere)],
    ['target', 'a method that the path does not have', 'method_not_allowed', methods],
    ['target', 'percent-encoding that is broken', 'malformed_http', inPath(broken)],
  ]
}
