import {
  type ContractDocument,
  type ContractResponse,
  type OperationObject,
  isJson,
  isText,
} from '../document/document.ts'
import { createAjv } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { SchemaRewriter } from '../schema/rewrite-schema.ts'
import type { Schema } from '../schema/schema-parts.ts'
import { validateValue } from '../schema/validation.ts'
import { Encoded, chunksOf } from '../types/encoded.ts'

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
  /** The Content-Type header; text is UTF-8, and JSON has no charset (RFC 8259, section 11). */
  contentType: string
  isJson: boolean
}

/** Describes how a value breaks its schema; undefined if it is valid. */
type Problem<Value> = (value: Value) => string | undefined

/** A declared response, compiled on first use. */
interface DeclaredReply {
  headerProblem: Problem<NonNullable<AnyReply['headers']>>
  media: ReadonlyMap<string, Media & { problemOf: Problem<unknown> }>
}

/** Makes the check of a body, or of all headers together. */
type Compile = (name: 'body' | 'header', schema?: Schema) => Problem<unknown>

/** Headers that the server sets itself, in lower case. */
const serverHeaders: readonly string[] = ['x-request-id', 'ratelimit', 'ratelimit-policy']

/** Statuses without content (RFC 9110, sections 15.3.5, 15.3.6, 15.4.5). */
const contentless = [204, 205, 304]

/**
 * Makes the validators of replies: status, headers, media type and body. They return how to send the body, or undefined
 * without one, and throw ContractViolation. They do not read streams or `Encoded` bodies: parsing costs as much as
 * encoding.
 *
 * @param document a dereferenced contract
 */
export function createReplyValidators({ components }: ContractDocument) {
  const rewriter = new SchemaRewriter(components?.schemas ?? {}, 'response')
  const ajv = createAjv('json', rewriter)
  const compile: Compile = (name, schema) => {
    const compileNow = () => ajv.compile({ type: 'object', properties: { [name]: rewriter.ofValue(schema ?? true) } })
    let validators: [ReturnType<typeof compileNow>] | undefined
    return (value) => {
      validators ??= [compileNow()]
      // The keyword `scalar` needs a container.
      const errors = validateValue(validators, { [name]: value }, 'response')
      return errors.length === 0 ? undefined : describeErrors(errors)
    }
  }
  /** Operations share responses. */
  const declared = new Map<ContractResponse, DeclaredReply>()
  const declaredReply = (response: ContractResponse): DeclaredReply => {
    const reply = declared.get(response) ?? readResponse(response, compile)
    declared.set(response, reply)
    return reply
  }

  return ({ responses }: OperationObject) => {
    const byStatus = Object.entries(responses).map(([status, response]) => [status, declaredReply(response)] as const)
    const replies = Object.fromEntries(byStatus)
    return (reply: AnyReply): Media | undefined => {
      if (!isFinalStatus(reply.status)) throw new ContractViolation('the status is not an integer from 200 to 599')
      const found = declaredResponse(replies, reply.status)
      if (found === undefined) throw new ContractViolation('the status is not declared')
      return validMedia(reply, found)
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

/** Finds the response for a status: its own, that of its range such as `4XX`, or `default`. */
export function declaredResponse<Response>(responses: Record<string, Response>, status: number): Response | undefined {
  return responses[String(status)] ?? responses[`${String(Math.floor(status / 100))}XX`] ?? responses['default']
}

function validMedia({ status, headers = {}, body, contentType }: AnyReply, declared: DeclaredReply): Media | undefined {
  const problem = declared.headerProblem(headers)
  if (problem !== undefined) throw new ContractViolation(problem)
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

function readResponse({ headers = {}, content = {} }: ContractResponse, compile: Compile): DeclaredReply {
  const media = Object.entries(content).map(([type, { schema }]) => {
    const contentType = isText(type) ? `${type}; charset=utf-8` : type
    return [
      type,
      { contentType, isJson: isJson(type), problemOf: validateBody(type, compile('body', schema)) },
    ] as const
  })
  return { headerProblem: validateHeaders(headers, compile), media: new Map(media) }
}

/** The header values that Node can send (RFC 9110, section 5.5). It throws on others, too late for an error response. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Makes the validator of a handler's headers, without those of the server. */
function validateHeaders(
  headers: NonNullable<ContractResponse['headers']>,
  compile: Compile,
): DeclaredReply['headerProblem'] {
  const declared = Object.entries(headers).filter(([name]) => !serverHeaders.includes(name.toLowerCase()))
  const properties = Object.fromEntries(declared.map(([name, { schema = true }]) => [name, schema]))
  const required = declared.filter(([, header]) => header.required === true).map(([name]) => name)
  const problemOf = compile('header', { type: 'object', properties, required, additionalProperties: false })
  return (given) => {
    const names = Object.keys(given)
    if (declared.length === 0 && names.length === 0) return undefined
    const problem = problemOf(given)
    if (problem !== undefined) return problem
    const unsent = names.find((name) => !fieldValue.test(String(given[name])))
    return unsent === undefined ? undefined : `the header ${unsent} has a character that HTTP does not allow`
  }
}

/** Makes the validator of bodies of a media type. @param problemOf for a JSON value or a text */
function validateBody(type: string, problemOf: Problem<unknown>): Problem<unknown> {
  if (isJson(type)) {
    return (body) => (body instanceof Encoded ? undefined : chunksOf(body) === undefined ? problemOf(body) : notEncoded)
  }
  if (isText(type)) {
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
