import { parseJson } from '../../../packages/fastify-contract/src/json/json.ts'
import type { ContractResponse } from '../../../packages/fastify-contract/src/document/document.ts'
import { expectedContract, expectedOperations } from './expected-contract.ts'
import { type FailureMessage, problemsOfBody, problemsOfHeader } from './check-value.ts'

/** A response as it came over the wire. Names of headers are in lower case. */
export interface ReceivedResponse {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  text: string
  /** Every header line as it came, where the client could see it: a repeated one is not joined. */
  rawHeaders?: [name: string, value: string][]
}

/** A request, as far as it decides which response the contract declares. */
export interface SentRequest {
  method: string
  url: string
}

/** Headers that belong to HTTP itself or to every response of the server, not to an operation. */
const transportHeaders = [
  'content-type',
  'content-length',
  'transfer-encoding',
  'date',
  'connection',
  'keep-alive',
  // The server adds it where Accept selects the media type.
  'vary',
]

/** What every response of the server has, as the contract's description says; an operation does not declare it. */
const constantHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** What the files of the docs page have beside that, and whatever else is answered below its path. */
const pageHeaders = [
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]

/** The operation that a request is meant for; undefined for a path or a method that the contract does not have. */
export function operationOf({ method, url }: SentRequest) {
  const path = url
    .replace(/^https?:\/\/[^/?]*/i, '')
    .split('?', 1)
    .join()
  const wanted = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase()
  return expectedOperations.find(
    (operation) => operation.method.toUpperCase() === wanted && templatePattern(operation.path).test(path),
  )
}

function templatePattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^{}]+\}/g, '[^/]+')}$`)
}

/** What the contract says of this status for this request; undefined where it does not declare it. */
export function declaredResponse(request: SentRequest, status: number): ContractResponse | undefined {
  const responses = operationOf(request)?.object.responses ?? expectedContract['x-unmatched-responses']
  return responses?.[String(status)] ?? responses?.[`${String(status).charAt(0)}XX`] ?? responses?.['default']
}

/**
 * Validates a response against everything that the contract and HTTP say of it: status, media type, body without
 * undeclared fields, declared headers, framing. The tests have an Ajv of their own: what the server validates
 * with could not find its own faults.
 *
 * @throws Error that names each way in which the response breaks the contract
 */
export function assertKeepsContract(request: SentRequest, response: ReceivedResponse): void {
  const operation = operationOf(request)?.id ?? 'no operation'
  const place = `${operation} (${request.method} ${request.url}) answered ${String(response.status)}`
  const declared = declaredResponse(request, response.status)
  if (declared === undefined) throw new Error(`${place}: the contract does not declare this status`)
  const isHead = request.method.toUpperCase() === 'HEAD'
  const problems = [
    ...headerProblems(declared, response, request.url),
    ...framingProblems(response, isHead),
    ...bodyProblems(declared, response, isHead),
  ]
  if (problems.length > 0) throw new Error(`${place}: ${problems.join('; ')}`)
}

function headerProblems(declared: ContractResponse, { headers, rawHeaders }: ReceivedResponse, url: string): string[] {
  const expected = Object.entries(declared.headers ?? {})
  const names =
    rawHeaders?.map(([name]) => name.toLowerCase()) ??
    Object.entries(headers).flatMap(([name, value]) => (Array.isArray(value) ? value.map(() => name) : [name]))
  const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map(
    (name) => `the header ${name} is there more than once`,
  )
  const missing = expected
    .filter(([name, header]) => header.required === true && headers[name.toLowerCase()] === undefined)
    .map(([name]) => `the header ${name} is missing`)
  const wrong = expected.flatMap(([name, header]) => {
    const value = headers[name.toLowerCase()]
    return value === undefined || header.schema === undefined
      ? []
      : problemsOfHeader(String(value), header.schema).map((problem) => `the header ${name} ${problem}`)
  })
  const known = new Set([
    ...transportHeaders,
    ...Object.keys(constantHeaders),
    ...(url.startsWith('/docs/') ? pageHeaders : []),
    ...expected.map(([name]) => name.toLowerCase()),
  ])
  const undeclared = Object.keys(headers)
    .filter((name) => headers[name] !== undefined && !known.has(name))
    .map((name) => `the header ${name} is not declared`)
  // RFC 9110, section 6.6.1: an origin server with a clock dates its responses.
  const undated = headers['date'] === undefined ? ['the header date is missing'] : []
  const inconstant = Object.entries(constantHeaders)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name, value]) => `the header ${name} is not ${value}`)
  return [...repeated, ...missing, ...inconstant, ...wrong, ...undeclared, ...undated]
}

/** RFC 9112, section 6, and RFC 9110, section 8.6. */
function framingProblems({ status, headers, text }: ReceivedResponse, isHead: boolean): string[] {
  const length = headers['content-length']
  const encoding = headers['transfer-encoding']
  const problems: string[] = []
  if (length !== undefined && encoding !== undefined) problems.push('has both Content-Length and Transfer-Encoding')
  if (status === 204 && (length !== undefined || encoding !== undefined))
    problems.push('has no content and says how long it is')
  if (length !== undefined && !/^\d+$/.test(String(length))) problems.push(`has the Content-Length ${String(length)}`)
  if (length !== undefined && !isHead && Number(length) !== Buffer.byteLength(text))
    problems.push(`has ${String(Buffer.byteLength(text))} bytes and a Content-Length of ${String(length)}`)
  return problems
}

function bodyProblems(declared: ContractResponse, response: ReceivedResponse, isHead: boolean): string[] {
  const { headers, text, status } = response
  if (declared.content === undefined) {
    return [
      ...(text === '' ? [] : ['has a body, and none is declared']),
      ...(headers['content-type'] === undefined ? [] : ['has a media type and no body']),
    ]
  }
  const type = String(headers['content-type'])
  const schema = declared.content[type]?.schema
  if (schema === undefined) return [`the media type ${type} is not declared`]
  if (isHead) return text === '' ? [] : ['a response to HEAD has a body']
  let body: unknown
  try {
    body = parseJson(Buffer.from(text)).value
  } catch (error) {
    return [`the body is not JSON: ${String(error)}`]
  }
  return [...problemsOfBody(body, schema).map((problem) => `the body ${problem}`), ...numberProblems(body, status)]
}

/** The first three digits of an error number are the status. */
function numberProblems(body: unknown, status: number): string[] {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as FailureMessage
  return typeof error === 'number' && Math.floor(error / 100) !== status
    ? [`the error ${String(error)} is not one of this status`]
    : []
}
