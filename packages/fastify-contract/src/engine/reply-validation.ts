import { createAjv } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { SchemaRewriter } from '../schema/rewrite-schema.ts'
import type { Schema } from '../schema/schema-parts.ts'
import { chunksOf } from './body-stream.ts'
import type { ContractDocument, ContractOperation, ContractResponse } from '../document/document.ts'
import type { AnyReply } from './engine.ts'
import { isJson, isText } from '../document/media-types.ts'
import { Encoded } from '../types/handler-types.ts'

/**
 * A handler's reply that its operation does not declare. The message says how it breaks the contract, without its
 * values.
 */
export class ContractViolation extends Error {}

/** Says how a reply breaks what its operation declares; undefined where it does not. */
export type ResponseValidator = (operation: ContractOperation, reply: AnyReply) => string | undefined

/** Says how a reply breaks one declared response. */
type ReplyValidator = (reply: AnyReply) => string | undefined

/** Compiles what says how a body, or the headers together, break a schema. */
type Compile = (name: 'body' | 'header', schema?: Schema) => (value: unknown) => string | undefined

/** Headers that the server sets by itself, in lower case. */
const serverHeaders: readonly string[] = ['x-request-id', 'ratelimit', 'ratelimit-policy']

/**
 * Makes the validator of status, headers, media type and body. It does not read the text of an `Encoded` body: to parse
 * it would cost as much as to make it. Nor does it read a stream. Each response is compiled at its first reply.
 *
 * @param document a dereferenced contract
 */
export function createResponseValidator({ components }: ContractDocument): ResponseValidator {
  const rewriter = new SchemaRewriter(components?.schemas ?? {}, 'response')
  const ajv = createAjv('json', rewriter)
  const compile: Compile = (name, schema) => {
    const validate = ajv.compile({ type: 'object', properties: { [name]: rewriter.ofValue(schema ?? true) } })
    // The keyword `scalar` writes into the value's container, so that a value has one.
    return (value) => (validate({ [name]: value }) ? undefined : describeErrors(validate.errors ?? []))
  }
  const validators = new Map<ContractResponse, ReplyValidator>()

  return ({ object }, reply) => {
    const response = declaredResponse(object.responses, reply.status)
    if (response === undefined) return 'the status is not declared'
    let validate = validators.get(response)
    if (validate === undefined) {
      validate = compileResponse(response, compile)
      validators.set(response, validate)
    }
    return validate(reply)
  }
}

/** Finds the response that declares a status: by the status, by its range such as `4XX`, or `default`. */
export function declaredResponse(
  responses: Record<string, ContractResponse>,
  status: number,
): ContractResponse | undefined {
  return responses[String(status)] ?? responses[`${String(Math.floor(status / 100))}XX`] ?? responses['default']
}

function compileResponse({ headers = {}, content = {} }: ContractResponse, compile: Compile): ReplyValidator {
  const validateHeaders = compileHeaders(headers, compile)
  const types = Object.keys(content)
  const validators = new Map(
    Object.entries(content).map(([type, { schema }]) => [type, compileBody(type, schema, compile)]),
  )

  return ({ status, headers: given, body, contentType }) => {
    const problem = validateHeaders(given ?? {})
    if (problem !== undefined) return problem
    if (types.length === 0) return body === undefined && contentType === undefined ? undefined : 'no body is declared'
    // A range of statuses may have some.
    if (contentless.includes(status)) return 'the status has no content in HTTP'
    if (body === undefined) return 'the body is missing'
    const type = contentType ?? (types.length === 1 ? types[0] : undefined)
    if (type === undefined) return `the media type is missing; set contentType to one of ${types.join(', ')}`
    const validateBody = validators.get(type)
    return validateBody === undefined ? `the media type ${type} is not declared` : validateBody(body)
  }
}

/** RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5. */
const contentless = [204, 205, 304]

/** What Node sends of a header's value; it throws at others when Fastify can answer no more (RFC 9110, section 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Makes the validator of the headers that a handler gives; those that the server sets are not its own. */
function compileHeaders(
  headers: NonNullable<ContractResponse['headers']>,
  compile: Compile,
): (given: NonNullable<AnyReply['headers']>) => string | undefined {
  const declared = Object.entries(headers).filter(([name]) => !serverHeaders.includes(name.toLowerCase()))
  const properties = Object.fromEntries(declared.map(([name, { schema = true }]) => [name, schema]))
  const required = declared.filter(([, header]) => header.required === true).map(([name]) => name)
  const validate = compile('header', { type: 'object', properties, required, additionalProperties: false })
  return (given) => {
    if (declared.length === 0 && Object.keys(given).length === 0) return undefined
    // The keyword `scalar` replaces values by what they mean.
    const problem = validate({ ...given })
    if (problem !== undefined) return problem
    const unsent = Object.keys(given).find((name) => !fieldValue.test(String(given[name])))
    return unsent === undefined ? undefined : `the header ${unsent} has a character that HTTP does not allow`
  }
}

function compileBody(
  type: string,
  schema: Schema | undefined,
  compile: Compile,
): (body: unknown) => string | undefined {
  const validate = compile('body', schema)
  return (body) => {
    const isStream = chunksOf(body) !== undefined
    if (isJson(type)) return body instanceof Encoded ? undefined : isStream ? notEncoded : validate(body)
    if (body instanceof Encoded) return isText(type) ? notText : notBytes
    if (isStream) return undefined
    if (isText(type)) return typeof body === 'string' ? validate(body) : notText
    return body instanceof Uint8Array ? undefined : notBytes
  }
}

const notEncoded = 'the body is a stream; give its value, or an Encoded stream of JSON'
const notText = 'the body is neither text nor a stream of bytes'
const notBytes = 'the body is neither bytes nor a stream of them'
