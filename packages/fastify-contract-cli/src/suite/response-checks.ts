import { type ContractResponse, isJson, isText } from 'fastify-contract/document'
import { type SentRequest, type TestedContract, declaredResponse, responsesTo } from './contract.ts'
import { parseExactly } from './exact-json.ts'
import { Fault } from './fault.ts'
import { type FlatSchema, flatten, typesOf } from './flat-schema.ts'

/** A response as it came over the wire. Names of headers are in lower case. */
export interface ReceivedResponse {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  text: string
  /** Every header line as it came, where the client could see it: a repeated one is not joined. */
  rawHeaders?: [name: string, value: string][]
  /** The length of the body on the wire, where it may not be that of the text in UTF-8. */
  bytes?: number
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
 * @param mayBeUndeclared whether the request was broken on purpose, so that many a contract leaves open what refuses it
 * @returns a note of a refusal that is not declared
 * @throws Error that names each way in which the response breaks the contract
 */
export function assertKeepsContract(
  contract: TestedContract,
  request: SentRequest,
  response: ReceivedResponse,
  rules: ResponseRules = {},
  mayBeUndeclared = false,
): string | undefined {
  const { status } = response
  const place = `${request.method} ${request.url.slice(0, 300)}: received ${String(status)}`
  const [, declared] = declaredResponse(contract, request, status) ?? []
  const isOpen = rules.isClosed !== true && status >= 400 && status < 500
  if (declared === undefined && !(isOpen && (mayBeUndeclared || declaresNoRefusal(contract, request)))) {
    const kind = status >= 500 ? 'fault of the server' : 'undeclared status'
    const expected = Object.keys(responsesTo(contract, request)).join(', ')
    throw new Fault(kind, `${place}: the contract does not declare this status; expected ${expected}`)
  }
  const isHead = request.method.toUpperCase() === 'HEAD'
  const problems = [
    ...headerProblems(contract, declared ?? {}, response, request.url, rules),
    ...framingProblems(response, isHead),
    ...(declared === undefined ? [] : bodyProblems(contract, declared, response, isHead, rules)),
  ]
  if (problems.length > 0) {
    const body = response.text === '' ? '' : `; received ${shortened(response.text)}`
    throw new Fault('broken response', `${place}: ${problems.map(shortened).join('; ')}${body}`)
  }
  return declared === undefined ? `${String(status)} is not declared` : undefined
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Whether the contract leaves open how a request is refused. */
function declaresNoRefusal(contract: TestedContract, request: SentRequest): boolean {
  return !Object.keys(responsesTo(contract, request)).some((key) => key.startsWith('4'))
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
  const known = [...transportHeaders, ...Object.keys(rules.headers ?? {}), ...(rules.otherHeaders?.(url) ?? [])]
  const isKnown = (name: string) => known.includes(name) || expected.some((header) => header.name === name)
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
    ...expected
      .filter(({ name }) => headers[name] !== undefined)
      .flatMap(({ name, schema = {} }) =>
        contract
          .problemsOf(valueOfText(String(headers[name]), flatten(schema, contract)), schema, 'response')
          .map((problem) => `the header ${name} ${problem}`),
      ),
    ...(rules.isClosed === true ? present : [])
      .filter((name) => !isKnown(name))
      .map((name) => `the header ${name} is not declared`),
  ]
}

/** The value that a header's text stands for (OpenAPI 3.1, "Style Values", `simple`). */
function valueOfText(text: string, flat: FlatSchema): unknown {
  const types = typesOf(flat)
  if (types.includes('array')) return text.split(/, */)
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true'
  if (types.includes('integer') && /^(?:0|-?[1-9]\d*)$/.test(text)) return Number(text)
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
  { status, headers, text }: ReceivedResponse,
  isHead: boolean,
  { isClosed = false }: ResponseRules,
): string[] {
  if (Object.keys(content).length === 0) {
    // Many a contract says nothing of what a failure looks like.
    if (!isClosed && status >= 400) return []
    return [
      ...(text === '' ? [] : ['has a body, and none is declared']),
      ...(headers['content-type'] === undefined || !isClosed ? [] : ['has a media type and no body']),
    ]
  }
  const type = String(headers['content-type'])
  const declared = isClosed ? type : declaredType(Object.keys(content), type)
  const media = declared === undefined ? undefined : content[declared]
  if (media === undefined) return [`the media type ${type} is not declared`]
  if (isHead) return text === '' ? [] : ['a response to HEAD has a body']
  if (media.schema === undefined || (!isJson(essenceOf(type)) && !isText(type))) return []
  let body: unknown = text
  try {
    if (isJson(essenceOf(type))) body = parseExactly(text)
  } catch (error) {
    return [`the body is not JSON: ${String(error)}`]
  }
  const problems = contract.problemsOf(body, media.schema, isClosed ? 'closed' : 'response')
  return problems.map((problem) => `the body ${problem}`)
}

/** A media type without its parameters, in lower case (RFC 9110, section 8.3.1). */
function essenceOf(type: string): string {
  return type.replace(/;.*$/, '').trim().toLowerCase()
}

/** Finds a media type among those that are declared: itself, without its parameters, or by its range. */
export function declaredType(declared: string[], type: string): string | undefined {
  const essence = essenceOf(type)
  const ranges = [essence, `${essence.split('/', 1).join('')}/*`, '*/*']
  return declared.includes(type)
    ? type
    : ranges.flatMap((range) => declared.filter((each) => essenceOf(each) === range))[0]
}
