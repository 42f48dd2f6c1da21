import type { ValidateFunction } from 'ajv'
import { createAjv } from '../schema/ajv.ts'
import { withExactScalars } from '../schema/rewrite-schema.ts'
import type { ContractOperation, ContractResponse, Schema } from './document.ts'
import type { AnyReply } from './engine.ts'
import { Encoded } from './types.ts'

/**
 * A handler's reply that its operation does not declare. The message says how it breaks the contract, without its
 * values.
 */
export class ContractViolation extends Error {}

/** Says how a reply breaks what its operation declares; undefined where it does not. */
export type ResponseValidator = (operation: ContractOperation, reply: AnyReply) => string | undefined

/** Says how a reply breaks one declared response. */
type ReplyValidator = (reply: AnyReply) => string | undefined

/** Headers that the server sets by itself. */
const serverHeaders: readonly string[] = ['X-Request-Id']

/**
 * Makes the validator of status, required headers and body. It does not read the text of an `Encoded` body: to parse it
 * would cost as much as to make it. Each response is compiled at its first reply.
 */
export function createResponseValidator(): ResponseValidator {
  const ajv = createAjv('json')
  const validators = new Map<ContractResponse, ReplyValidator>()

  // The keyword `scalar` writes into the value's container, so a body has one.
  const compile = (schema: Schema) =>
    ajv.compile({ type: 'object', properties: { body: withExactScalars(closed(schema)) } })

  return ({ object }, reply) => {
    const response = object.responses[String(reply.status)]
    if (response === undefined) return 'the status is not declared'
    let validate = validators.get(response)
    if (validate === undefined) {
      validate = compileResponse(response, compile)
      validators.set(response, validate)
    }
    return validate(reply)
  }
}

function compileResponse(
  { headers, content }: ContractResponse,
  compile: (schema: Schema) => ValidateFunction,
): ReplyValidator {
  const required = Object.entries(headers ?? {})
    .filter(([name, header]) => header.required === true && !serverHeaders.includes(name))
    .map(([name]) => name)
  const schema = content?.['application/json']?.schema
  const validateBody = schema === undefined ? undefined : compile(schema)

  return ({ headers: given, body }) => {
    const missing = required.find((name) => given?.[name] === undefined)
    if (missing !== undefined) return `the header ${missing} is missing`
    if (validateBody === undefined) return body === undefined ? undefined : 'no body is declared'
    if (body === undefined) return 'the body is missing'
    return body instanceof Encoded ? undefined : bodyProblem(body, validateBody)
  }
}

function bodyProblem(body: unknown, validate: ValidateFunction): string | undefined {
  if (validate({ body })) return undefined
  const errors = validate.errors ?? []
  return errors.map(({ instancePath, message = 'is not valid' }) => `${instancePath.slice(1)} ${message}`).join('; ')
}

/** The same schema without further properties: a request may have them, a response may not. */
function closed(schema: Schema): Schema {
  const { items, properties } = schema
  const isObject = ['properties', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema)
  return {
    ...schema,
    ...(typeof items === 'object' ? { items: closed(items as Schema) } : {}),
    ...(typeof properties === 'object' ? { properties: closedProperties(properties as Record<string, Schema>) } : {}),
    ...(isObject ? { unevaluatedProperties: false } : {}),
  }
}

function closedProperties(properties: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, closed(property)]))
}
