import {
  type ContractDocument,
  type ContractResponse,
  type OperationObject,
  contentTypeOf,
  declaredResponse,
  isJson,
  isText,
} from '../document/document.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import type { Schema } from '../schema/schema-parts.ts'
import { undeclaredError } from '../schema/validation.ts'
import { Encoded, chunksOf } from '../types/encoded.ts'
import type { CompileSteps } from './compile-queue.ts'
import { type ReplyCheck, ReplyChecks } from './reply-checks.ts'

/** The reply of any operation. */
export interface AnyReply {
  status: number
  headers?: Record<string, string | number | bigint>
  body?: unknown
  /** The media type of the body; optional if the response declares one. */
  contentType?: string | undefined
}

/**
 * A reply that breaks the contract. The message names the problem, without values of the reply.
 */
export class ContractViolation extends Error {}

/** A media type of a response. */
export interface Media {
  /** The Content-Type header. */
  contentType: string
  isJson: boolean
}

/** Describes how a value breaks its schema; undefined if it is valid. */
type Problem<Value> = (value: Value) => string | undefined

/** A declared response. */
interface DeclaredReply {
  headerProblem: Problem<NonNullable<AnyReply['headers']>>
  /** The names of the required headers, without that of the server, in lower case. */
  requiredHeaders: string[]
  media: ReadonlyMap<string, Media & { problemOf: Problem<unknown> }>
  checks: readonly ReplyCheck[]
}

/** The header that the server sets itself, in lower case. */
const serverHeader = 'x-request-id'

/** Statuses without content (RFC 9110, sections 15.3.5, 15.3.6, 15.4.5). */
const contentless = [204, 205, 304]

/** The validation of an operation's replies. */
export interface ReplyValidator {
  /** Compiles the validators of headers and bodies. `validate` does so on first use. */
  compile: () => CompileSteps
  /**
   * Validates status, headers, media type and body. It does not read streams or `Encoded` bodies: parsing costs as much as
   * encoding.
   *
   * @param kind the headers of a failure need not be declared
   * @returns how to send the body, or undefined without one
   * @throws ContractViolation
   */
  validate: (reply: AnyReply, kind?: 'reply' | 'failure') => Media | undefined
}

/**
 * Makes the validators of the replies of each operation.
 *
 * @param document a dereferenced contract
 */
export function createReplyValidators({
  components,
}: ContractDocument): (operation: OperationObject) => ReplyValidator {
  const checks = new ReplyChecks(components?.schemas ?? {})
  /** Operations share responses. */
  const declared = new Map<ContractResponse, DeclaredReply>()
  const declaredReply = (response: ContractResponse): DeclaredReply => {
    const reply = declared.get(response) ?? readResponse(response, checks)
    declared.set(response, reply)
    return reply
  }

  return ({ responses }) => {
    const byStatus = Object.entries(responses).map(([status, response]) => [status, declaredReply(response)] as const)
    const replies = Object.fromEntries(byStatus)
    return {
      compile: () => checks.compile(byStatus.flatMap(([, reply]) => reply.checks)),
      validate(reply, kind = 'reply') {
        if (!isFinalStatus(reply.status)) throw new ContractViolation('the status is not an integer from 200 to 599')
        const found = declaredResponse(replies, reply.status)
        if (found === undefined) throw new ContractViolation('the status is not declared')
        const { headers = {} } = reply
        const problem = kind === 'reply' ? found.headerProblem(headers) : missingHeader(headers, found)
        if (problem !== undefined) throw new ContractViolation(problem)
        return validMedia(reply, found)
      },
    }
  }
}

/**
 * Whether a response can have a status (RFC 9110, section 15). One of 100 to 199 precedes the response; `default` does not
 * include it.
 */
function isFinalStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599
}

function missingHeader(headers: NonNullable<AnyReply['headers']>, declared: DeclaredReply): string | undefined {
  const sent = Object.keys(headers).map((name) => name.toLowerCase())
  const missing = declared.requiredHeaders.find((name) => !sent.includes(name))
  return missing === undefined ? undefined : `the header ${missing} is required`
}

function validMedia({ status, body, contentType }: AnyReply, declared: DeclaredReply): Media | undefined {
  const types = [...declared.media.keys()]
  if (types.length === 0) {
    if (body !== undefined || contentType !== undefined) throw new ContractViolation('no body is declared')
    return undefined
  }
  // A range may declare content for such a status.
  if (contentless.includes(status)) throw new ContractViolation('HTTP allows no content with this status')
  if (body === undefined) throw new ContractViolation('the body is missing')
  if (contentType === undefined && types.length > 1) {
    throw new ContractViolation(`the media type is missing; set contentType to one of ${types.join(', ')}`)
  }
  const type = contentType ?? String(types[0])
  const media = declared.media.get(type)
  if (media === undefined) throw new ContractViolation(`the media type ${type} is not declared`)
  const bodyProblem = media.problemOf(body)
  if (bodyProblem !== undefined) throw new ContractViolation(bodyProblem)
  return media
}

/** Makes the check of a part of the replies of one response. */
type CheckOf = (...part: Parameters<ReplyChecks['of']>) => Problem<unknown>

function readResponse({ headers = {}, content = {} }: ContractResponse, replyChecks: ReplyChecks): DeclaredReply {
  const checks: ReplyCheck[] = []
  const checkOf: CheckOf = (...part) => {
    const check = replyChecks.of(...part)
    checks.push(check)
    return check.problemOf
  }
  const media = Object.entries(content).map(([type, { schema }]) => {
    const problemOf = validateBody(type, schema, checkOf)
    return [type, { contentType: contentTypeOf(type), isJson: isJson(type), problemOf }] as const
  })
  const declared = Object.entries(headers).filter(([name]) => name.toLowerCase() !== serverHeader)
  const required = declared.filter(([, header]) => header.required === true).map(([name]) => name)
  return {
    headerProblem: validateHeaders(declared, required, checkOf),
    requiredHeaders: required.map((name) => name.toLowerCase()),
    media: new Map(media),
    checks,
  }
}

/** The header values that Node can send (RFC 9110, section 5.5). It throws on others, too late for an error response. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Makes the validator of a handler's headers. */
function validateHeaders(
  declared: [string, { schema?: Schema }][],
  required: string[],
  checkOf: CheckOf,
): DeclaredReply['headerProblem'] {
  if (declared.length === 0) return undeclaredHeader
  const properties = Object.fromEntries(declared.map(([name, { schema = true }]) => [name, schema]))
  const problemOf = checkOf('header', { type: 'object', properties, required, additionalProperties: false })
  return (given) => {
    const names = Object.keys(given)
    if (required.length === 0 && names.length === 0) return undefined
    const problem = problemOf(given)
    if (problem !== undefined) return problem
    const unsent = names.find((name) => !fieldValue.test(String(given[name])))
    return unsent === undefined ? undefined : `the header ${unsent} has a character that HTTP does not allow`
  }
}

/** The check of the headers where none is declared. */
function undeclaredHeader(given: object): string | undefined {
  const [name] = Object.keys(given)
  return name === undefined ? undefined : describeErrors([undeclaredError(name, '/header')])
}

/** Makes the validator of bodies of a media type. */
function validateBody(type: string, schema: Schema | undefined, checkOf: CheckOf): Problem<unknown> {
  if (isJson(type)) {
    const problemOf = checkOf('body', schema)
    return (body) => (body instanceof Encoded ? undefined : chunksOf(body) === undefined ? problemOf(body) : notEncoded)
  }
  if (isText(type)) {
    const problemOf = checkOf('body', schema)
    return (body) => (typeof body === 'string' ? problemOf(body) : isStream(body) ? undefined : notText)
  }
  return (body) => (body instanceof Uint8Array || isStream(body) ? undefined : notBytes)
}

function isStream(body: unknown): boolean {
  return !(body instanceof Encoded) && chunksOf(body) !== undefined
}

const notEncoded = 'the body is a stream; return its value or an Encoded stream of JSON'
const notText = 'the body is neither text nor a stream of bytes'
const notBytes = 'the body is neither bytes nor a stream of bytes'
