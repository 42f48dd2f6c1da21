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

/** Any operation's reply, without what its type says beyond that. */
export interface AnyReply {
  status: number
  headers?: Record<string, string | number | bigint>
  body?: unknown
  /** The media type of the body; the one that the response declares unless given. */
  contentType?: string | undefined
}

/**
 * A handler's reply that its operation does not declare. The message says how it breaks the contract, without its
 * values.
 */
export class ContractViolation extends Error {}

/** A media type of a response, and how a body of it is written. */
export interface Media {
  /** The field Content-Type; text is UTF-8, and JSON has no charset (RFC 8259, section 11). */
  contentType: string
  isJson: boolean
}

/** Says how a value breaks its schema; undefined where it does not. */
type Problem<Value> = (value: Value) => string | undefined

/** A response that is compiled when it is first used. */
interface DeclaredReply {
  headerProblem: Problem<NonNullable<AnyReply['headers']>>
  media: ReadonlyMap<string, Media & { problemOf: Problem<unknown> }>
}

/** Makes what says how a body, or the headers together, break a schema. */
type Compile = (name: 'body' | 'header', schema?: Schema) => Problem<unknown>

/** Headers that the server sets by itself, in lower case. */
const serverHeaders: readonly string[] = ['x-request-id', 'ratelimit', 'ratelimit-policy']

/** Statuses without content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const contentless = [204, 205, 304]

/**
 * Makes the validators of status, headers, media type and body: they return how the body is sent, or undefined where
 * there is none, and throw a ContractViolation. They do not read the text of an `Encoded` body: to parse it would cost
 * as much as to make it. Nor do they read a stream.
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
      // The keyword `scalar` asks for the container of a value, so that a value has one.
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
      const found = declaredResponse(replies, reply.status)
      if (found === undefined) throw new ContractViolation('the status is not declared')
      return validMedia(reply, found)
    }
  }
}

/** Finds what declares a status: by the status, by its range such as `4XX`, or `default`. */
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
  // A range of statuses may have some.
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

/** What Node sends of a header's value; it throws at others when Fastify can answer no more (RFC 9110, section 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Makes the validator of the headers that a handler gives; those that the server sets are not its own. */
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

/** Makes the validator of the bodies of a media type. @param problemOf that of a JSON value, or of a text */
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
