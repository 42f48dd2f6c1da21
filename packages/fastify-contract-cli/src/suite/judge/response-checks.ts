import { type ContractResponse, type MediaType, isJson, isText } from 'fastify-contract/document'
import { type SentRequest, type TestedContract, declaredType, responseTo, responsesTo } from '../ground/contract.ts'
import { assertShort, isTooLong, parseExactly } from '../ground/exact-json.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'
import { Fault, shortened } from '../ground/fault.ts'
import { itemsOf } from '../send/items.ts'
import { type FlatSchema, flatten, namedTypesOf } from '../draw/flat-schema.ts'
import { type Schema, typesOf } from 'fastify-contract/schema'

/** A value of a response that the contract has a schema for. */
export interface ReceivedValue {
  /** `the body`, or which header. */
  place: string
  value: unknown
  schema: Schema
}

/** What a server promises of its responses beyond the contract. */
export interface ResponseRules {
  /**
   * Whether nothing may be there that the contract does not declare: a header, a property, a parameter of a media type,
   * a refusal of an operation that declares none. OpenAPI leaves these open.
   */
  isClosed?: boolean
  /** Headers that every response has, and their values. */
  headers?: Record<string, string | RegExp>
  /** Headers that a response of a closed server may have, although no operation declares them. */
  otherHeaders?: (url: string) => readonly string[]
}

/** Headers of HTTP itself, which no operation declares. The server adds `Vary` where `Accept` selects a media type. */
const transportHeaders = 'content-type content-length transfer-encoding date connection keep-alive vary'.split(' ')

/**
 * Validates a response against everything that the contract and HTTP say of it: status, media type, body, declared
 * headers, framing.
 *
 * @param mayBeRefused whether the request was broken on purpose, so that many a contract leaves open what refuses it
 * @param isAllowed whether the contract allows the request, so that it should succeed
 * @returns a note of a refusal that is not declared
 * @throws Error that names each way in which the response breaks the contract
 */
export function assertKeepsContract(
  contract: TestedContract,
  request: SentRequest,
  response: ReceivedResponse,
  rules: ResponseRules = {},
  { mayBeRefused = false, isAllowed = false } = {},
): string | undefined {
  const { status, text, reason } = response
  const responses = responsesTo(contract, request)
  const [key, declared] = responseTo(contract, request, status) ?? []
  const place = `${request.method} ${request.url.slice(0, 300)}: received ${String(status)}`
  const body = text === '' ? '' : `; received ${shortened(text, 300)}`
  const said = reason === undefined ? '' : `; the server says: ${reason}`
  // `default` and `5XX` say what a fault of the server looks like, not that it may have one.
  if (status >= 500 && key !== undefined && key !== String(status)) {
    throw new Fault('fault of the server', `${place}, which the operation declares as ${key} alone${body}${said}`)
  }
  const isOpen = rules.isClosed !== true && mayBeAnswered(status, Object.keys(responses), mayBeRefused)
  if (declared === undefined && !isOpen) {
    const kind = status >= 500 ? 'fault of the server' : 'undeclared status'
    const keys = Object.keys(responses)
    const successes = keys.filter((each) => isAllowed && /^[23]/.test(each))
    const expected = (successes.length > 0 ? successes : keys).join(', ')
    throw new Fault(kind, `${place}: the contract does not declare this status; expected ${expected}${said}`)
  }
  const isHead = request.method.toUpperCase() === 'HEAD'
  const problems = [
    ...headerProblems(contract, declared ?? {}, response, request.url, rules),
    ...framingProblems(response, isHead),
  ]
  // What cannot be checked hides no other problem.
  if (declared !== undefined && !(problems.length > 0 && isTooLong(text))) {
    problems.push(...bodyProblems(contract, declared, response, isHead, rules))
  }
  if (problems.length > 0) {
    throw new Fault(
      'broken response',
      `${place}: ${problems.map((problem) => shortened(problem, 300)).join('; ')}${body}`,
    )
  }
  return declared === undefined ? `${String(status)} is not declared` : undefined
}

/** Whether a contract leaves a status open that it does not declare: of a refusal, or of a success where it has none. */
function mayBeAnswered(status: number, declared: readonly string[], mayBeRefused: boolean): boolean {
  const isAny = (...starts: string[]) => declared.some((key) => starts.some((start) => key.startsWith(start)))
  if (status >= 500) return false
  return status >= 400 ? mayBeRefused || !isAny('4') : !isAny('2', '3')
}

function headerProblems(
  contract: TestedContract,
  { headers: named = {} }: Partial<ContractResponse>,
  { headers, rawHeaders }: ReceivedResponse,
  url: string,
  rules: ResponseRules,
): string[] {
  const present = Object.keys(headers).filter((name) => headers[name] !== undefined)
  const lines =
    rawHeaders?.map(([name]) => name.toLowerCase()) ?? present.flatMap((name) => [headers[name]].flat().map(() => name))
  const repeated = lines.filter((name, index) => lines.indexOf(name) !== index)
  const expected = Object.entries(named).map(([name, header]) => ({ name: name.toLowerCase(), ...header }))
  const isAsAlways = ([name, value]: [string, string | RegExp]) =>
    typeof value === 'string' ? headers[name] === value : value.test(String(headers[name] ?? ''))
  const allowedHeaders = [
    ...transportHeaders,
    ...Object.keys(rules.headers ?? {}),
    ...(rules.otherHeaders?.(url) ?? []),
  ]
  const isKnown = (name: string) => allowedHeaders.includes(name) || expected.some((header) => header.name === name)
  // RFC 9110, section 5.3: a server may repeat what is a list, and Set-Cookie.
  const mustBeOne = (name: string) => rules.isClosed === true || ['content-type', 'content-length'].includes(name)
  return [
    ...[...new Set(repeated)].filter(mustBeOne).map((name) => `the header ${name} is there more than once`),
    ...expected
      .filter(({ name, required }) => required === true && headers[name] === undefined)
      .map(({ name }) => `the header ${name} is missing`),
    ...Object.entries(rules.headers ?? {})
      .filter((rule) => !isAsAlways(rule))
      .map(([name, value]) => `the header ${name} is not ${String(value)}`),
    ...headerValues(contract, named, headers).flatMap(({ place, value, schema }) =>
      contract.problemsOf(value, schema, 'response').map((problem) => `${place} ${problem}`),
    ),
    ...(rules.isClosed === true ? present : [])
      .filter((name) => !isKnown(name))
      .map((name) => `the header ${name} is not declared`),
  ]
}

/** The value that a header's text stands for (OpenAPI 3.1, "Style Values", `simple`). */
function valueOfText(text: string, flat: FlatSchema): unknown {
  const types = namedTypesOf(flat)
  if (types.includes('array')) return text.split(/, */)
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true'
  if (types.includes('integer') && /^(?:0|-?[1-9]\d*)$/.test(text)) return parseExactly(text)
  return types.includes('number') && /^-?\d/.test(text) && !Number.isNaN(Number(text)) ? Number(text) : text
}

/** RFC 9112, section 6, and RFC 9110, section 8.6. */
function framingProblems({ status, headers, text, bytes: received }: ReceivedResponse, isHead: boolean): string[] {
  const [length, encoding] = [headers['content-length'], headers['transfer-encoding']]
  const bytes = String(received ?? Buffer.byteLength(text))
  const problems: string[] = []
  if (length !== undefined && encoding !== undefined) problems.push('has both Content-Length and Transfer-Encoding')
  if (status === 204 && (length ?? encoding) !== undefined) problems.push('has no content and says how long it is')
  if (length !== undefined && (isHead ? !/^\d+$/.test(String(length)) : String(length) !== bytes)) {
    problems.push(`has ${bytes} bytes and the Content-Length ${String(length)}`)
  }
  return problems
}

function bodyProblems(
  contract: TestedContract,
  { content = {} }: ContractResponse,
  response: ReceivedResponse,
  isHead: boolean,
  { isClosed = false }: ResponseRules,
): string[] {
  const { status, headers, text } = response
  if (Object.keys(content).length === 0) {
    // Many a contract says nothing of what a failure looks like.
    if (!isClosed && status >= 400) return []
    return [
      ...(text === '' ? [] : ['has a body, and none is declared']),
      ...(headers['content-type'] === undefined || !isClosed ? [] : ['has a media type and no body']),
    ]
  }
  if (headers['content-type'] === undefined) return ['the header content-type is missing']
  const type = String(headers['content-type'])
  const declared = isClosed ? type : declaredType(Object.keys(content), type)
  const media = declared === undefined ? undefined : content[declared]
  if (media === undefined) return [`the media type ${type} is not declared`]
  if (isHead) return text === '' ? [] : ['a response to HEAD has a body']
  try {
    return bodyValues(contract, media, response).flatMap(({ place, value, schema }) =>
      contract.problemsOf(value, schema, isClosed ? 'closed' : 'response').map((problem) => `${place} ${problem}`),
    )
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return [`the body is not JSON: ${String(error)}`]
  }
}

/**
 * Lists the values of a response that the contract has schemas for. A body that is not of its media type has none.
 *
 * @throws Unjudged if the body is too long
 */
export function valuesOfResponse(
  contract: TestedContract,
  request: SentRequest,
  response: ReceivedResponse,
): ReceivedValue[] {
  const { status, headers } = response
  const [, { headers: named = {}, content = {} } = {}] = responseTo(contract, request, status) ?? []
  const type = String(headers['content-type'])
  const media = content[declaredType(Object.keys(content), type) ?? '']
  const hasBody = media !== undefined && request.method.toUpperCase() !== 'HEAD'
  const headerProblems = headerValues(contract, named, headers)
  try {
    return [...headerProblems, ...(hasBody ? bodyValues(contract, media, response) : [])]
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return headerProblems
  }
}

function headerValues(
  contract: TestedContract,
  named: NonNullable<ContractResponse['headers']>,
  headers: ReceivedResponse['headers'],
): ReceivedValue[] {
  return Object.entries(named).flatMap(([written, { schema = {} }]) => {
    const name = written.toLowerCase()
    const value = headers[name]
    if (value === undefined) return []
    return [{ place: `the header ${name}`, value: valueOfText(String(value), flatten(schema, contract)), schema }]
  })
}

/** @throws SyntaxError for a body that is not JSON, and Unjudged for one that is too long */
function bodyValues(contract: TestedContract, media: MediaType, response: ReceivedResponse): ReceivedValue[] {
  const { schema, itemSchema = {} } = media
  const { headers, text } = response
  const items = itemsOf(contract, media, response)
  if (items !== undefined)
    return items.map((value, index) => ({ place: `item ${String(index + 1)}`, value, schema: itemSchema }))
  const type = String(headers['content-type'])
  const isOfJson = isJson(type)
  // A text that is declared as something else, such as an object, is not validated.
  const isOfText = isText(type) && typesOf(schema, contract.schemas).has('string')
  if (schema === undefined || (!isOfJson && !isOfText)) return []
  assertShort(text)
  return [{ place: 'the body', value: isOfJson ? parseExactly(text) : text, schema }]
}
