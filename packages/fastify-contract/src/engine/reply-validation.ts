import {
  type ContractDocument,
  type ContractResponse,
  type OperationObject,
  declaredResponse,
  isContentless,
} from '../document/document.ts'
import { isJson, isRange } from '../document/media-type.ts'
import { describeErrors } from '../schema/check/describe-errors.ts'
import type { NamedSchemas, Schema } from '../schema/read/schema.ts'
import { undeclaredError } from '../schema/check/validation.ts'
import type { CompileSteps } from './compile-queue.ts'
import { type Checked, type ReplyCheck, ReplyChecks } from './reply-checks.ts'
import { type CheckOf, type CheckedMedia, type Media, createMediaFinder, fieldValue } from './reply-media.ts'

/** The reply of any operation. */
export interface AnyReply {
  status: number
  headers?: Record<string, string | number | bigint | boolean | undefined>
  body?: unknown
  /** The media type of the body; by default the only one that the response declares, or the only JSON. */
  contentType?: string | undefined
}

/** A reply that breaks the contract. The message names the problem, without values of the reply. */
export class ContractViolation extends Error {}

/** A validated reply. */
export interface ValidReply {
  status: number
  headers: Headers
  /** Undefined without a body. */
  media: Media | undefined
  body: unknown
  hasBigInts?: boolean | undefined
  /** Whether the response declares Cache-Control, so that the handler alone sets it. */
  declaresCaching: boolean
  undeclared?: string | undefined
}

type Headers = NonNullable<AnyReply['headers']>

interface DeclaredReply {
  checkHeaders: (headers: Headers) => Checked<Headers>
  /** The names of the required headers, without that of the server, in lower case. */
  requiredHeaders: string[]
  declaresCaching: boolean
  types: string[]
  /** That of a reply that names none; undefined if it must. */
  defaultMedia: CheckedMedia | undefined
  /** Finds how to send and check a body; undefined if its media type is not declared. */
  mediaOf: (type: string) => CheckedMedia | undefined
  checks: readonly ReplyCheck[]
}

const noHeaders: Headers = {}

const serverHeader = 'x-request-id'

/** The validation of an operation's replies. */
export interface ReplyValidator {
  /** Compiles the validators of headers and bodies. `validate` does so on first use. */
  compile: () => CompileSteps
  /**
   * Validates status, headers, media type and body. It does not read streams or `Encoded` bodies: parsing costs as much as
   * encoding.
   *
   * @param kind the headers of a failure need not be declared
   * @throws ContractViolation
   */
  validate: (reply: AnyReply, kind?: 'reply' | 'failure') => ValidReply
}

/** Makes the validators of the replies of each operation of a contract. */
export function createReplyValidators({
  components,
}: ContractDocument): (operation: OperationObject) => ReplyValidator {
  const schemas = components?.schemas ?? {}
  const checks = new ReplyChecks(schemas)
  /** Operations share responses. */
  const declared = new Map<ContractResponse, DeclaredReply>()
  const declaredReply = (response: ContractResponse): DeclaredReply => {
    const reply = declared.get(response) ?? readResponse(response, checks, schemas)
    declared.set(response, reply)
    return reply
  }

  return ({ responses }) => {
    const replies = Object.entries(responses).map(([key, response]) => [key, declaredReply(response)] as const)
    const byKey = Object.fromEntries(replies)
    /** Those of one status. Others are found by range, or are the default. */
    const byStatus = new Map(
      replies.map(([key, reply]) => [Number(key), reply] as const).filter(([status]) => isFinalStatus(status)),
    )
    const declaredFor = (status: unknown): DeclaredReply | undefined => {
      if (!isFinalStatus(status)) throw new ContractViolation('the status is not an integer from 200 to 599')
      return declaredResponse(byKey, status)
    }
    return {
      compile: () => checks.compile(replies.flatMap(([, reply]) => reply.checks)),
      validate(reply, kind = 'reply') {
        const found = byStatus.get(reply.status) ?? declaredFor(reply.status)
        if (found === undefined) throw new ContractViolation('the status is not declared')
        const { headers = noHeaders } = reply
        const isEmpty = headers === noHeaders && found.requiredHeaders.length === 0
        return validContent(reply, isEmpty ? headers : validHeaders(headers, found, kind), found)
      },
    }
  }
}

/**
 * Whether a response can have a status (RFC 9110, section 15). One of 100 to 199 precedes the response; `default` does not
 * include it.
 */
function isFinalStatus(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599
}

function validHeaders(headers: Headers, declared: DeclaredReply, kind: 'reply' | 'failure'): Headers {
  const { problem, value } =
    kind === 'reply' ? declared.checkHeaders(headers) : { problem: missingHeader(headers, declared), value: headers }
  if (problem !== undefined) throw new ContractViolation(problem)
  return value
}

function missingHeader(headers: Headers, declared: DeclaredReply): string | undefined {
  const sent = Object.keys(headers).map((name) => name.toLowerCase())
  const missing = declared.requiredHeaders.find((name) => !sent.includes(name))
  return missing === undefined ? undefined : `the header ${missing} is required`
}

function validContent(
  { status, body, contentType }: AnyReply,
  headers: Headers,
  { types, defaultMedia, mediaOf, declaresCaching }: DeclaredReply,
): ValidReply {
  if (types.length === 0) {
    if (body !== undefined || contentType !== undefined) throw new ContractViolation('no body is declared')
    return { status, headers, media: undefined, body, declaresCaching }
  }
  // A range may declare content for such a status.
  if (isContentless(status)) throw new ContractViolation('HTTP allows no content with this status')
  if (body === undefined) throw new ContractViolation('the body is missing')
  const media = contentType === undefined ? defaultMedia : mediaOf(contentType)
  if (media === undefined) throw new ContractViolation(mediaProblem(contentType, types))
  const { problem, undeclared, value, hasBigInts } = media.check(body)
  if (problem !== undefined) throw new ContractViolation(problem)
  return { status, headers, media, body: value, hasBigInts, declaresCaching, undeclared }
}

function mediaProblem(contentType: string | undefined, types: readonly string[]): string {
  if (contentType !== undefined) return `the media type ${contentType} is not declared`
  const remedy = types.some(isRange) ? `a media type that ${types.join(', ')} includes` : `one of ${types.join(', ')}`
  return `the media type is missing; set contentType to ${remedy}`
}

/** The only media type, `application/json`, or the only JSON of several; undefined for a range. */
function defaultTypeOf(types: readonly string[]): string | undefined {
  if (types.includes('application/json')) return 'application/json'
  const [first, ...others] = types.length === 1 ? types : types.filter(isJson)
  return first === undefined || others.length > 0 || isRange(first) ? undefined : first
}

function readResponse(
  { headers = {}, content = {} }: ContractResponse,
  replyChecks: ReplyChecks,
  schemas: NamedSchemas,
): DeclaredReply {
  const checks: ReplyCheck[] = []
  const checkOf: CheckOf = (...part) => {
    const check = replyChecks.of(...part)
    checks.push(check)
    return check.check
  }
  const types = Object.keys(content)
  const declared = Object.entries(headers).filter(([name]) => name.toLowerCase() !== serverHeader)
  const required = declared.filter(([, header]) => header.required === true).map(([name]) => name)
  const mediaOf = createMediaFinder(content, checkOf, schemas)
  const defaultType = defaultTypeOf(types)
  return {
    checkHeaders: validateHeaders(declared, required, checkOf),
    requiredHeaders: required.map((name) => name.toLowerCase()),
    declaresCaching: declared.some(([name]) => name.toLowerCase() === 'cache-control'),
    types,
    defaultMedia: defaultType === undefined ? undefined : mediaOf(defaultType),
    mediaOf,
    checks,
  }
}

function validateHeaders(
  declared: [string, { schema?: Schema }][],
  required: string[],
  checkOf: CheckOf,
): DeclaredReply['checkHeaders'] {
  if (declared.length === 0) return undeclaredHeader
  const properties = Object.fromEntries(declared.map(([name, { schema = true }]) => [name, schema]))
  const check = checkOf('header', { type: 'object', properties, required, additionalProperties: false })
  return (given) => {
    const checked = check(given)
    if (checked.problem !== undefined) return checked
    const headers = checked.value
    const unsent = Object.keys(headers).find((name) => !fieldValue.test(String(headers[name])))
    const problem = unsent && `the header ${unsent} has a character that HTTP does not allow`
    return { problem, value: headers }
  }
}

function undeclaredHeader(given: Headers): Checked<Headers> {
  const name = Object.keys(given).find((each) => given[each] !== undefined)
  const problem = name === undefined ? undefined : describeErrors([undeclaredError(name, '/header')])
  return { problem, value: given }
}
