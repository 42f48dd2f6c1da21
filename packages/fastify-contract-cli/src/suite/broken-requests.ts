import fc from 'fast-check'
import type { ContractOperation, Parameter } from 'fastify-contract/document'
import { isPathOf } from './check-response.ts'
import { expectedContract, expectedOperations } from './expected-contract.ts'
import { type RequestParts, bodySchema, isList, partsOf, sendable, textOf, written } from './requests.ts'
import type { ContractRequest } from './run.ts'
import { type Json, breaksOf, flatten, typesOf, valueOf } from './values.ts'

/** A rule about the values of requests, and what breaks it; undefined where values.ts does not know how. */
type Rule<Breaking> = [place: string, rule: string, breaking: fc.Arbitrary<Breaking> | undefined]

/** A change of what a request is made of. */
type Change = (parts: RequestParts) => RequestParts

/** Lists each rule about the values of an operation's requests. Lists in parameters are sent, and not broken. */
export function requestBreaksOf(operation: ContractOperation): Rule<ContractRequest>[] {
  const names = fc
    .oneof(
      fc.constantFrom('limt', 'Limit', 'limit[]', 'limit ', 'offset', 'access_token', 'constructor', '__proto__'),
      fc.stringMatching(/^[a-z]{1,12}$/),
    )
    .filter((name) => !operation.parameters.some((parameter) => parameter.name === name))
  const schema = bodySchema(operation)
  const ofBody = (schema === undefined ? [] : breaksOf(schema, 'body')).map(({ place, rule, values }): Rule<Change> => {
    return [place, rule, values?.map((body) => (parts) => ({ ...parts, body }))]
  })
  const rules: Rule<Change>[] = [
    ['query', 'unknown parameter', names.map((name) => sentAs({ name, in: 'query' }, ['1']))],
    ...operation.parameters.filter((parameter) => !isList(parameter)).flatMap(rulesOf),
    ...ofBody,
  ]
  return rules.map(([place, rule, changes]) => {
    const changed = changes && fc.tuple(partsOf(operation), changes).map(([parts, change]) => change(parts))
    return [place, rule, changed?.map((parts) => written(operation, parts))]
  })
}

/** Sends values in place of a parameter's: none, or several if it is repeated. */
function sentAs(parameter: Parameter, values: Json[]): Change {
  return ({ parameters, ...parts }) => {
    const others = parameters.filter(([{ name }]) => name !== parameter.name)
    return { ...parts, parameters: [...others, ...values.map((value): [Parameter, Json] => [parameter, value])] }
  }
}

function rulesOf(parameter: Parameter): Rule<Change>[] {
  const { required, in: place } = parameter
  const schema = sendable(parameter)
  const [type] = typesOf(flatten(schema))
  // No path is without a text, and not every text can be a header's.
  const canBeSent = (text: string) => place === 'query' || (place === 'path' ? text !== '' : /^[!-~]*$/.test(text))
  const one = (values: fc.Arbitrary<Json>) => values.filter((value) => canBeSent(textOf(value))).map((value) => [value])
  // Every value is a text here, no path is without one, and a header has a pattern to be sent.
  const unbroken = ['type', ...(place === 'path' ? ['minLength'] : place === 'header' ? ['pattern'] : [])]
  const rules: [string, fc.Arbitrary<Json[]> | undefined][] = breaksOf(schema, '')
    .filter(({ rule }) => !unbroken.includes(rule))
    .map(({ rule, values }) => [rule, values && one(values)])
  if (type === 'number') rules.push(['type', one(fc.constantFrom('a', 'NaN', '0x1', '1,5'))])
  if (type === 'boolean') rules.push(['type', one(fc.constantFrom('a', '1', 'yes', 'TRUE'))])
  if (type === 'integer') {
    // A schema of integers has no other values.
    const texts = valueOf(schema).chain((integer) => fc.constantFrom(...otherForms(integer as bigint)))
    rules.push(['canonical decimal form', one(texts)])
    if (place === 'query') rules.push(['empty', fc.constant([''])])
  }
  if (place === 'query') rules.push(['once', fc.tuple(valueOf(schema), valueOf(schema))])
  if (required === true && place !== 'path') rules.push(['required', fc.constant([])])
  return rules.map(([rule, values]) => {
    return [`${place}/${parameter.name}`, rule, values?.map((sent) => sentAs(parameter, sent))]
  })
}

/** Texts that are integers for many a parser, and not in the one form that a parameter may have. */
function otherForms(integer: bigint): string[] {
  const forms = ['$.0', '$.', '$e0', ' $', '$ ', '$\n', '$n', '$_0', '$,0', '$\0', '"$"', '-0', '-', 'NaN', 'null', 'a']
  const [sign, digits] = integer < 0n ? ['-', String(-integer)] : ['', String(integer)]
  const arabic = Array.from(digits, (digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const ofDigits = [`+${digits}`, `--${digits}`, `${sign}0${digits}`, `${sign}0x${digits}`, `${sign}${arabic}`]
  return [...forms.map((form) => form.replace('$', String(integer))), ...ofDigits]
}

type Changes = ((request: ContractRequest) => ContractRequest)[]

/** What can be wrong with a request whatever its operation is for. */
type Fault = [
  /** Faults of an earlier stage are told before those of a later one. */
  stage: 'target' | 'credentials' | 'content' | 'JSON' | 'contract',
  title: string,
  /** The name of the failure that it earns. */
  error: string,
  /** The ways to give a request the fault. */
  changes: Changes,
]

const bodies = (values: (string | Buffer)[]): Changes => values.map((body) => (request) => ({ ...request, body }))
const withHeader = (request: ContractRequest, name: string, value?: string) => {
  return { ...request, headers: { ...request.headers, [name]: value } }
}
const headers = (name: string, values: (string | undefined)[]): Changes =>
  values.map((value) => (request) => withHeader(request, name, value))

const noCredentials = [undefined, 'Basic bWU6bWU=', 'Bearer', 'Token abc', 'Digest username="me"']
const noTokens = [`plst_${'a'.repeat(43)}`, 'a', 'a=', '"a"', 'a,b', 'a b', '\u00e9'].map((token) => `Bearer ${token}`)
const faultsOfCredentials: Fault[] = [
  ['credentials', 'no credentials', 'credentials_missing', headers('authorization', noCredentials)],
  ['credentials', 'an unknown token', 'token_invalid', headers('authorization', noTokens)],
]

const otherTypes = 'text/plain application/jsonx application/json-patch+json application/x-www-form-urlencoded */* json'
const tooLarge: Changes = [65_537, 1_000_000].map((length) => ({ body = '', ...request }) => {
  const bytes = Buffer.from(body)
  return { ...request, body: Buffer.concat([Buffer.alloc(Math.max(0, length - bytes.length), ' '), bytes]) }
})
const cutOff: Changes = [({ body = '', ...request }) => ({ ...request, body: String(body).trimEnd().slice(0, -1) })]
/** Overlong, surrogates, beyond U+10FFFF, cut off, alone, and UTF-16. */
const notUtf8 = 'c0af eda080 edbfbf f4908080 e282 80 ff e9 fffe6100'
  .split(' ')
  .map((hex) => Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]))
const notJson = [
  ...['{', '{"a":54,}', "{'a':54}", '{"a":54} {"a":55}', '{"a":054}', '{"a":0x36}', '{"a":NaN}', '{"a":"\t"}', 'nul'],
  ...['{"a":"\\x"}', '// {}', '{"a":54}\0', '\ufeff{}', '\u00a0{}'],
]
const twice = ['{"a":1,"a":1}', '{"name":"a","\\u006eame":"a"}', '{"a":{"y":1,"y":2}}', '{"a":[{"":0,"":0}]}']
/** Nobody misses the media type of nothing. */
const noType: Changes = [({ body, ...request }) => ({ ...withHeader(request, 'content-type'), body: body || ' ' })]
const nothing: Changes = [
  ({ method, url, headers: { 'content-type': _type, ...others } = {} }) => ({ method, url, headers: others }),
]
const noBody: Changes = [...nothing, ...bodies(['', ' '])]
const missing: Fault = ['JSON', 'no body', 'malformed_body', noBody]
const faultsOfContent: Fault[] = [
  ['content', 'no media type', 'unsupported_media_type', noType],
  ['content', 'another media type', 'unsupported_media_type', headers('content-type', otherTypes.split(' '))],
  ['content', 'a coded body', 'unsupported_media_type', headers('content-encoding', ['gzip', 'br', 'x-unknown'])],
  ['content', 'a body over the limit', 'body_too_large', tooLarge],
  ['JSON', 'bytes that are not UTF-8', 'malformed_body', bodies(notUtf8)],
  ['JSON', 'text that is not JSON', 'malformed_body', bodies(notJson)],
  ['JSON', 'a document that is cut off', 'malformed_body', cutOff],
  ['JSON', 'a property that is named twice', 'malformed_body', bodies(twice)],
]

/** Lists the faults that the requests of an operation can have, those of the first stage first. */
export function faultsOf(operation: ContractOperation): Fault[] {
  const { path: template } = operation
  const exists = (path: string) => expectedOperations.some((each) => isPathOf(each.path, path))
  const inPath = (forms: string[]): Changes =>
    forms.map((form) => (request) => {
      return { ...request, url: request.url.replace(/^[^?]*/, (path) => form.replace('$', () => path)) }
    })
  const elsewhere = ['/', '$/', '/$', '/v1$', '$/1/2/3', '$%2F1'].filter((form) => !exists(form.replace('$', template)))
  const broken = ['$%', '$/%zz', '$/%c0%af', '$%ff', '$/%ed%a0%80', '$?limit=%', '$?%C3=1', '$?limit=%zz']
  const present = expectedOperations.filter(({ path }) => path === template).map(({ method }) => method.toUpperCase())
  const absent = ['PUT', 'PATCH', 'POST', 'DELETE', 'OPTIONS'].filter((method) => !present.includes(method))
  const methods: Changes = absent.map((method) => (request) => ({ ...request, method }))
  const unknown: Changes = [
    ({ url, ...rest }) => ({ ...rest, url: `${url}${url.includes('?') ? '&' : '?'}un%20known=1` }),
  ]
  return [
    ['target', 'a path that does not exist', 'path_not_found', inPath(elsewhere)],
    ['target', 'a method that the path does not have', 'method_not_allowed', methods],
    ['target', 'percent-encoding that is broken', 'malformed_http', inPath(broken)],
    ...(wantsCredentials(operation) ? faultsOfCredentials : []),
    ...(bodySchema(operation) === undefined ? [] : faultsOfContent),
    ...(operation.object.requestBody?.required === true ? [missing] : []),
    ['contract', 'an unknown parameter', 'invalid_request', unknown],
  ]
}

/** @throws Error when the credentials are no bearer tokens, the only ones that this suite knows */
export function wantsCredentials({ security }: ContractOperation): boolean {
  for (const scheme of security.flatMap((requirement) => Object.keys(requirement))) {
    const { scheme: kind } = (expectedContract.components?.securitySchemes?.[scheme] ?? {}) as { scheme?: string }
    if (kind !== 'bearer') throw new Error(`the contract suite has no credentials for ${scheme}`)
  }
  return security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0)
}
