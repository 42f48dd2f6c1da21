import type { ValidateFunction } from 'ajv'
import { createAjv } from '../schema/ajv.ts'
import type { ContractOperation, ContractResponse, Schema } from './document.ts'
import type { AnyReply } from './engine.ts'
import { MalformedJson, parseJson } from '../json/json.ts'
import { withExactScalars } from '../schema/rewrite-schema.ts'
import { Encoded, isWhole } from './types.ts'

/** A handler's reply that its operation does not declare. The message says how it breaks the contract, without its values. */
export class ContractViolation extends Error {}

/** Says how a reply breaks what its operation declares; undefined where it keeps it. */
export type ReplyJudge = (operation: ContractOperation, reply: AnyReply) => string | undefined

/**
 * Of the bodies that a store has encoded, one in so many is parsed and judged, the first among them: to parse each would cost
 * as much as to make it. Those that are longer than `longestSample`, or come in pieces, are never.
 */
const sampling = 100

/** In UTF-16 code units or bytes: what is parsed without holding up other requests. */
const longestSample = 8_192

/** Headers that the server sets by itself. */
const serverHeaders: readonly string[] = ['X-Request-Id']

/** Makes a judge of status, required headers, and body. What it needs of a response it compiles at the first reply of that kind. */
export function createReplyJudge(): ReplyJudge {
  const ajv = createAjv('json')
  const judges = new Map<ContractResponse, (reply: AnyReply) => string | undefined>()

  // The keyword `scalar` writes into the value's container, so a body has one.
  const compile = (schema: Schema) => ajv.compile({ type: 'object', properties: { body: withExactScalars(closed(schema)) } })

  return ({ object }, reply) => {
    const response = object.responses[String(reply.status)]
    if (response === undefined) return 'the status is not declared'
    let judge = judges.get(response)
    if (judge === undefined) {
      judge = judgeOf(response, compile)
      judges.set(response, judge)
    }
    return judge(reply)
  }
}

function judgeOf({ headers, content }: ContractResponse, compile: (schema: Schema) => ValidateFunction): (reply: AnyReply) => string | undefined {
  const required = Object.entries(headers ?? {}).flatMap(([name, header]) => (header.required === true && !serverHeaders.includes(name) ? [name] : []))
  const schema = content?.['application/json']?.schema
  const validate = schema === undefined ? undefined : compile(schema)
  let encodedBodies = 0

  return ({ headers: given, body }) => {
    const missing = required.find((name) => given?.[name] === undefined)
    if (missing !== undefined) return `the header ${missing} is missing`
    if (validate === undefined) return body === undefined ? undefined : 'no body is declared'
    if (body === undefined) return 'the body is missing'
    if (!(body instanceof Encoded)) return problemOf(body, validate)
    // An encoded body is text or its pieces, whatever they encode.
    const { chunks } = body as Encoded<unknown>
    const isSample = isWhole(chunks) && chunks.length <= longestSample && encodedBodies++ % sampling === 0
    return isSample ? problemOfText(chunks, validate) : undefined
  }
}

function problemOfText(text: string | Buffer, validate: ValidateFunction): string | undefined {
  try {
    return problemOf(parseJson(typeof text === 'string' ? Buffer.from(text) : text), validate)
  } catch (error) {
    if (error instanceof MalformedJson) return error.message
    throw error
  }
}

function problemOf(body: unknown, validate: ValidateFunction): string | undefined {
  if (validate({ body })) return undefined
  return (validate.errors ?? []).map(({ instancePath, message = 'is not valid' }) => `${instancePath.slice(1)} ${message}`).join('; ')
}

/** The same schema, refusing the properties that it does not describe: requests are open, what the service answers is not. */
function closed(schema: Schema): Schema {
  const { items, properties } = schema
  const isObject = ['properties', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema)
  return {
    ...schema,
    ...(typeof items === 'object' ? { items: closed(items as Schema) } : {}),
    ...(typeof properties === 'object' ? { properties: Object.fromEntries(Object.entries(properties as Record<string, Schema>).map(([name, property]) => [name, closed(property)])) } : {}),
    ...(isObject ? { unevaluatedProperties: false } : {}),
  }
}
