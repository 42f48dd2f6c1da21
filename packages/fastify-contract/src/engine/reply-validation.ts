import type { ContractDocument, ContractResponse, OperationObject } from '../document/document.ts'
import { isJson, isText } from '../document/media-types.ts'
import { createAjv } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { readValue } from '../schema/reading.ts'
import { SchemaRewriter } from '../schema/rewrite-schema.ts'
import type { Schema } from '../schema/schema-parts.ts'
import { Encoded } from '../types/encoded.ts'
import { chunksOf } from './body-stream.ts'

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

interface DeclaredMedia extends Media {
  /** Says how a body breaks its schema; undefined where it does not. */
  problemOf: (body: unknown) => string | undefined
}

interface DeclaredReply {
  headerProblem: (headers: NonNullable<AnyReply['headers']>) => string | undefined
  media: ReadonlyMap<string, DeclaredMedia>
}

/** @returns how the body is sent, undefined where there is none @throws ContractViolation */
type ReplyValidator = (reply: AnyReply) => Media | undefined

/** Compiles what says how a body, or the headers together, break a schema. */
type Compile = (name: 'body' | 'header', schema?: Schema) => (value: unknown) => string | undefined

/** Headers that the server sets by itself, in lower case. */
const serverHeaders: readonly string[] = ['x-request-id', 'ratelimit', 'ratelimit-policy']

/** Statuses without content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const contentless = [204, 205, 304]

/**
 * Makes the validators of status, headers, media type and body. They do not read the text of an `Encoded` body: to parse
 * it would cost as much as to make it. Nor do they read a stream. Each response is compiled at its first reply.
 *
 * @param document a dereferenced contract
 */
export function createReplyValidators({
  components,
}: ContractDocument): (operation: OperationObject) => ReplyValidator {
  const rewriter = new SchemaRewriter(components?.schemas ?? {}, 'response')
  const ajv = createAjv('json', rewriter)
  const compile: Compile = (name, schema) => {
    const validators = [ajv.compile({ type: 'object', properties: { [name]: rewriter.ofValue(schema ?? true) } })]
    // The keyword `scalar` asks for the container of a value, so that a value has one.
    return (value) => {
      const errors = readValue(validators, { [name]: value }, 'response')
      return errors.length === 0 ? undefined : describeErrors(errors)
    }
  }
  /** Operations share responses. */
  const compiled = new Map<ContractResponse, DeclaredReply>()
  const declaredReply = (response: ContractResponse): DeclaredReply => {
    const known = compiled.get(response) ?? compileResponse(response, compile)
    compiled.set(response, known)
    return known
  }

  return ({ responses }) => {
    const byStatus = new Map<number, DeclaredReply>()
    return (reply) => {
      let declared = byStatus.get(reply.status)
      if (declared === undefined) {
        const response = declaredResponse(responses, reply.status)
        if (response === undefined) throw new ContractViolation('the status is not declared')
        declared = declaredReply(response)
        byStatus.set(reply.status, declared)
      }
      return validMedia(reply, declared)
    }
  }
}

/** Finds the response that declares a status: by the status, by its range such as `4XX`, or `default`. */
export function declaredResponse(
  responses: Record<string, ContractResponse>,
  status: number,
): ContractResponse | undefined {
  return responses[String(status)] ?? responses[`${String(Math.floor(status / 100))}XX`] ?? responses['default']
}

function validMedia({ status, headers, body, contentType }: AnyReply, declared: DeclaredReply): Media | undefined {
  throwIf(declared.headerProblem(headers ?? {}))
  if (declared.media.size === 0) {
    throwIf(body === undefined && contentType === undefined ? undefined : 'no body is declared')
    return undefined
  }
  // A range of statuses may have some.
  if (contentless.includes(status)) throw new ContractViolation('the status has no content in HTTP')
  if (body === undefined) throw new ContractViolation('the body is missing')
  const types = declared.media.keys()
  if (contentType === undefined && declared.media.size > 1) {
    throw new ContractViolation(`the media type is missing; set contentType to one of ${[...types].join(', ')}`)
  }
  const type = contentType ?? String(types.next().value)
  const media = declared.media.get(type)
  if (media === undefined) throw new ContractViolation(`the media type ${type} is not declared`)
  throwIf(media.problemOf(body))
  return media
}

function throwIf(problem: string | undefined): void {
  if (problem !== undefined) throw new ContractViolation(problem)
}

function compileResponse({ headers = {}, content = {} }: ContractResponse, compile: Compile): DeclaredReply {
  const media = Object.entries(content).map(([type, { schema }]): [string, DeclaredMedia] => [
    type,
    {
      contentType: isText(type) ? `${type}; charset=utf-8` : type,
      isJson: isJson(type),
      problemOf: compileBody(type, schema, compile),
    },
  ])
  return { headerProblem: compileHeaders(headers, compile), media: new Map(media) }
}

/** What Node sends of a header's value; it throws at others when Fastify can answer no more (RFC 9110, section 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Makes the validator of the headers that a handler gives; those that the server sets are not its own. */
function compileHeaders(
  headers: NonNullable<ContractResponse['headers']>,
  compile: Compile,
): DeclaredReply['headerProblem'] {
  const declared = Object.entries(headers).filter(([name]) => !serverHeaders.includes(name.toLowerCase()))
  const properties = Object.fromEntries(declared.map(([name, { schema = true }]) => [name, schema]))
  const required = declared.filter(([, header]) => header.required === true).map(([name]) => name)
  const problemOf = compile('header', { type: 'object', properties, required, additionalProperties: false })
  return (given) => {
    if (declared.length === 0 && Object.keys(given).length === 0) return undefined
    const problem = problemOf(given)
    if (problem !== undefined) return problem
    const unsent = Object.keys(given).find((name) => !fieldValue.test(String(given[name])))
    return unsent === undefined ? undefined : `the header ${unsent} has a character that HTTP does not allow`
  }
}

function compileBody(type: string, schema: Schema | undefined, compile: Compile): DeclaredMedia['problemOf'] {
  const problemOf = compile('body', schema)
  return (body) => {
    const isStream = chunksOf(body) !== undefined
    if (isJson(type)) return body instanceof Encoded ? undefined : isStream ? notEncoded : problemOf(body)
    if (body instanceof Encoded) return isText(type) ? notText : notBytes
    if (isStream) return undefined
    if (isText(type)) return typeof body === 'string' ? problemOf(body) : notText
    return body instanceof Uint8Array ? undefined : notBytes
  }
}

const notEncoded = 'the body is a stream; give its value, or an Encoded stream of JSON'
const notText = 'the body is neither text nor a stream of bytes'
const notBytes = 'the body is neither bytes nor a stream of them'
