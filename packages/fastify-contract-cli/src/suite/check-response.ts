import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import type { ContractOperation, ContractResponse } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { expectedContract, expectedOperations } from './expected-contract.ts'

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

/** Headers of HTTP itself, which no operation declares. The server adds `Vary` where `Accept` selects a media type. */
const transportHeaders = 'content-type content-length transfer-encoding date connection keep-alive vary'.split(' ')

/** What every response of the server has, as the contract's description says; no operation declares it. */
const constantHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** What answers below the path of the docs page have beside that. */
const pageHeaders = (
  'content-security-policy cross-origin-resource-policy referrer-policy x-dns-prefetch-control x-download-options ' +
  'x-frame-options x-permitted-cross-domain-policies x-xss-protection'
).split(' ')

/** Whether a path is one of a template, such as `/plants/{id}`. */
export function isPathOf(template: string, path: string): boolean {
  const pattern = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^{}]+\}/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(path)
}

/** The operation that a request is meant for; undefined for a path or a method that the contract does not have. */
export function operationOf({ method, url }: SentRequest): ContractOperation | undefined {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  const wanted = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase()
  return expectedOperations.find(
    (operation) => operation.method.toUpperCase() === wanted && isPathOf(operation.path, path),
  )
}

/** What the contract says of a status for a request, with the key under which it stands: `404`, `4XX` or `default`. */
export function declaredResponse(request: SentRequest, status: number): [string, ContractResponse] | undefined {
  const responses = operationOf(request)?.object.responses ?? expectedContract['x-unmatched-responses'] ?? {}
  const keys = [String(status), `${String(status).charAt(0)}XX`, 'default']
  return Object.entries(responses).find(([key]) => key === keys.find((each) => each in responses))
}

/**
 * Validates a response against everything that the contract and HTTP say of it: status, media type, body without
 * undeclared fields, declared headers, framing. It reads JSON and schemas without the library's code, which could not
 * find its own faults.
 *
 * @throws Error that names each way in which the response breaks the contract
 */
export function assertKeepsContract(request: SentRequest, response: ReceivedResponse): void {
  const operation = operationOf(request)?.id ?? 'no operation'
  const place = `${operation} (${request.method} ${request.url}) answered ${String(response.status)}`
  const [, declared] = declaredResponse(request, response.status) ?? []
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
  const present = Object.keys(headers).filter((name) => headers[name] !== undefined)
  const lines =
    rawHeaders?.map(([name]) => name.toLowerCase()) ?? present.flatMap((name) => [headers[name]].flat().map(() => name))
  const repeated = new Set(lines.filter((name, index) => lines.indexOf(name) !== index))
  const named = Object.entries(declared.headers ?? {})
  const expected = named.map(([name, header]) => ({ name: name.toLowerCase(), ...header }))
  const known = new Set([
    ...transportHeaders,
    ...Object.keys(constantHeaders),
    ...(url.startsWith('/docs/') ? pageHeaders : []),
    ...expected.map(({ name }) => name),
  ])
  return [
    ...[...repeated].map((name) => `the header ${name} is there more than once`),
    // RFC 9110, section 6.6.1: an origin server with a clock dates its responses.
    ...[{ name: 'date', required: true }, ...expected]
      .filter(({ name, required }) => required === true && headers[name] === undefined)
      .map(({ name }) => `the header ${name} is missing`),
    ...Object.entries(constantHeaders)
      .filter(([name, value]) => headers[name] !== value)
      .map(([name, value]) => `the header ${name} is not ${value}`),
    ...expected
      .filter(({ name }) => headers[name] !== undefined)
      .flatMap(({ name, schema = {} }) => {
        const text = String(headers[name])
        const isInteger = schema['type'] === 'integer' && /^(?:0|-?[1-9]\d*)$/.test(text)
        return problemsOf(isInteger ? Number(text) : text, schema).map((problem) => `the header ${name} ${problem}`)
      }),
    ...present.filter((name) => !known.has(name)).map((name) => `the header ${name} is not declared`),
  ]
}

/** RFC 9112, section 6, and RFC 9110, section 8.6. */
function framingProblems({ status, headers, text }: ReceivedResponse, isHead: boolean): string[] {
  const [length, encoding] = [headers['content-length'], headers['transfer-encoding']]
  const bytes = String(Buffer.byteLength(text))
  const problems: string[] = []
  if (length !== undefined && encoding !== undefined) problems.push('has both Content-Length and Transfer-Encoding')
  if (status === 204 && (length ?? encoding) !== undefined) problems.push('has no content and says how long it is')
  if (length !== undefined && (isHead ? !/^\d+$/.test(String(length)) : String(length) !== bytes)) {
    problems.push(`has ${bytes} bytes and the Content-Length ${String(length)}`)
  }
  return problems
}

function bodyProblems({ content }: ContractResponse, response: ReceivedResponse, isHead: boolean): string[] {
  const { headers, text, status } = response
  if (content === undefined) {
    return [
      ...(text === '' ? [] : ['has a body, and none is declared']),
      ...(headers['content-type'] === undefined ? [] : ['has a media type and no body']),
    ]
  }
  const type = String(headers['content-type'])
  const schema = content[type]?.schema
  if (schema === undefined) return [`the media type ${type} is not declared`]
  if (isHead) return text === '' ? [] : ['a response to HEAD has a body']
  let body: unknown
  try {
    body = parseExactly(text)
  } catch (error) {
    return [`the body is not JSON: ${String(error)}`]
  }
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown }
  return [
    ...problemsOf(body, schema, 'closed').map((problem) => `the body ${problem}`),
    // The first three digits of an error number are the status.
    ...(typeof error === 'number' && Math.floor(error / 100) !== status
      ? [`the error ${String(error)} is not one of this status`]
      : []),
  ]
}

/**
 * Parses JSON. Integers that no double holds exactly are bigints.
 *
 * @throws SyntaxError also where an object names a property twice
 */
export function parseExactly(text: string): unknown {
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)]
  // The holder of the whole value is an object, too.
  let unseen = 1 + strings.filter(([, colon]) => colon !== undefined).length
  function revive(this: unknown, _name: string, value: unknown, context?: { source?: string }): unknown {
    if (!Array.isArray(this)) unseen--
    const isInteger = typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '')
    return isInteger && !Number.isSafeInteger(value) ? BigInt(context?.source ?? '') : value
  }
  const value: unknown = JSON.parse(text, revive)
  if (unseen > 0) throw new SyntaxError('an object names a property twice')
  return value
}

// ajv-formats is CommonJS that Node gives whole as the default, while its types speak of the function inside.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

// 67.74 is a multiple of 0.01, although doubles do not divide so: hence multipleOfPrecision.
const ajv = new Ajv2020({ strictTypes: false, strictRequired: false, allErrors: true, multipleOfPrecision: 9 })
addFormats(ajv)
ajv.addVocabulary(['discriminator', 'example', 'externalDocs', 'x-enum-varnames', 'x-enum-descriptions'])

const validators = {
  open: new WeakMap<Schema, ValidateFunction>(),
  closed: new WeakMap<Schema, ValidateFunction>(),
}

/**
 * Lists the ways in which a JSON value breaks a schema. A bigint beyond 64 bits is no integer.
 *
 * @param kind closed: at every level, properties that the schema does not describe are refused
 */
export function problemsOf(value: unknown, schema: Schema, kind: keyof typeof validators = 'open'): string[] {
  const compile = () => ajv.compile(kind === 'open' ? (withNumbers(schema) as Schema) : closed(schema))
  const validate = validators[kind].get(schema) ?? compile()
  validators[kind].set(schema, validate)
  return validate(withNumbers(value)) ? [] : [ajv.errorsText(validate.errors, { dataVar: '' })]
}

/** Ajv knows no bigint. The bounds of one are those of its format. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? Number(value) : value
  if (Array.isArray(value)) return value.map(withNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]))
}

function closed(schema: Schema): Schema {
  const describing = ['properties', 'allOf', 'anyOf', 'oneOf']
  const text = JSON.stringify(withNumbers(schema), function (this: unknown, _keyword, member: unknown) {
    const describes = typeof member === 'object' && member !== null && describing.some((keyword) => keyword in member)
    // The parts of a combination, which stand in an array, stay open: each sees the properties of the others.
    return describes && !Array.isArray(this) ? { ...member, unevaluatedProperties: false } : member
  })
  // A schema is written as one.
  return JSON.parse(text) as Schema
}
