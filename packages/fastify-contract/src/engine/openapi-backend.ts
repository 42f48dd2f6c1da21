import { type Document, type Handler, OpenAPIBackend, type Operation } from 'openapi-backend'
import { type ContractDocument, type ContractOperation, isJson } from '../document/document.ts'
import type { ParsedJson } from '../json/json.ts'
import { createAjv } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { SchemaRewriter } from '../schema/rewrite-schema.ts'
import { validateValue } from '../schema/validation.ts'
import type { Caller } from '../types/handler-types.ts'
import { listParametersOf, splitLists } from './list-parameters.ts'
import { Refusal } from './refusal.ts'
import type { AnyReply } from './reply-validation.ts'

/** A request to one operation, authenticated where its security asks for it, as the HTTP server has parsed it. */
export interface OperationRequest {
  headers: Record<string, string | string[] | undefined>
  path: Record<string, string>
  query: Record<string, string | string[]>
  /** The path and query of the request's target. */
  url: string
  /** The parsed JSON body; undefined when there is none. */
  body: ParsedJson | undefined
  /** The media type of the response that the client prefers; undefined where the operation offers only one. */
  accept?: string | undefined
  /** Undefined where the operation's security allows it. */
  caller: Caller | undefined
}

/** Any operation's handler. `Handler` is the type that a handler is written against. */
export type AnyHandler = (input: never, context: never) => Promise<AnyReply> | AnyReply

/** The parts of a valid request, each value of its declared type. */
interface AnyInput {
  path: unknown
  query: unknown
  header: unknown
  body: unknown
  /** Only where the operation offers several media types. */
  accept?: string
}

/** An operation with its handler. */
interface HandledOperation {
  /** @throws Refusal when a request breaks the contract */
  validateRequest: (request: OperationRequest) => AnyInput
  handler: (input: AnyInput, context: object) => Promise<AnyReply> | AnyReply
}

/**
 * Has openapi-backend bind the handlers to the operations and compile the validators of requests. Fastify has matched,
 * parsed and authenticated a request before, so `handleRequest`, which would do so again, is not called.
 *
 * @param document a dereferenced contract that `fastify-contract generate` has checked
 * @param operations those of the document
 * @param handlers one for each operationId
 * @returns the operations in the same order
 */
export async function bindOperations(
  document: ContractDocument,
  operations: ContractOperation[],
  handlers: Partial<Record<string, AnyHandler>>,
): Promise<HandledOperation[]> {
  const schemas = document.components?.schemas ?? {}
  const rewriter = new SchemaRewriter(schemas, 'request')
  const ajvs = { json: createAjv('json', rewriter), text: createAjv('text', rewriter) }
  for (const ajv of Object.values(ajvs)) ajv.addSchema(requestSchemas(rewriter, operations), requestsId)
  const known = new Map(operations.map((operation, index) => [nameOf(index), described(operation, index, rewriter)]))
  const backend = new OpenAPIBackend({
    definition: emptyDefinition,
    // Compiles a validator when it is first used, and leaves out the check of the document, which was checked.
    quick: true,
    strict: true,
    customizeAjv: (_ajv, _options, context: string) => ajvs[context === 'requestBodyValidator' ? 'json' : 'text'],
  })
  await backend.init()
  backend.router.getOperation = (name) => known.get(name)
  backend.validator.router = backend.router
  // Its types declare the arguments that handleRequest would pass.
  for (const [index, { id }] of operations.entries()) backend.register(nameOf(index), handlers[id] as Handler)

  return operations.map(({ parameters }, index) => {
    const name = nameOf(index)
    const lists = listParametersOf(parameters, schemas)
    const headerNames = parameters.filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name)
    return {
      // The one that was registered under this name. What it takes is valid, and so of the type that it declares.
      handler: backend.handlers[name] as unknown as HandledOperation['handler'],
      validateRequest({ headers, path, query, url, body, accept }) {
        const parts = {
          path,
          query,
          // Coerced values are put in the place of texts. No header is inherited.
          header: headerNames.length > 0 ? withoutPrototype(headers) : headers,
          cookie: {},
          requestBody: body?.value,
        }
        const repeated = lists.length > 0 ? splitLists(lists, query, url) : []
        if (repeated.length > 0) throw new Refusal('invalid_request', repeated.join('; '))
        const validators = backend.validator.getRequestValidatorsForOperation(name)
        const errors = validateValue(validators, parts, 'request', body?.sources)
        if (errors.length > 0) throw new Refusal('invalid_request', describeErrors(errors))
        // Node gives the names of headers in lower case; the contract's types have them as the contract writes them.
        const given = headerNames.map((name) => [name, parts.header[name.toLowerCase()]] as const)
        const header = Object.fromEntries(given.filter(([, value]) => value !== undefined))
        const input = { path, query, header, body: parts.requestBody }
        return accept === undefined ? input : { ...input, accept }
      },
    }
  })
}

function withoutPrototype(headers: OperationRequest['headers']): OperationRequest['headers'] {
  // The types of Object.create and Object.assign do not say what they give.
  return Object.assign(Object.create(null) as object, headers)
}

/** Its router would write out what a definition refers to, and search it for every handler. */
const emptyDefinition: Document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }

/**
 * The name of an operation in openapi-backend. It keeps some names for its hooks, and looks names up in objects that
 * inherit `toString`, so that it cannot have every operationId.
 */
function nameOf(index: number): string {
  return `operation${String(index)}`
}

/** The name under which Ajv knows the schemas of requests. */
const requestsId = 'requests'

/** The schemas of each operation's requests, rewritten for Ajv: of the parameters in their order, and of the body. */
function requestSchemas(rewriter: SchemaRewriter, operations: ContractOperation[]): object {
  return {
    $defs: operations.map(({ parameters, object }) => ({
      $defs: [...parameters.map(({ schema }) => schema), bodySchemaOf(object)].map((each) => rewriter.ofValue(each)),
    })),
  }
}

/** A contract without problems has one media type of a request's body. */
function bodySchemaOf({ requestBody }: ContractOperation['object']): unknown {
  const [content] = Object.entries(requestBody?.content ?? {}).filter(([type]) => isJson(type))
  return content === undefined ? undefined : (content[1].schema ?? true)
}

/** An operation for openapi-backend, each schema as a reference to one that Ajv knows. */
function described(
  { method, path, parameters, object }: ContractOperation,
  index: number,
  rewriter: SchemaRewriter,
): Operation {
  const schemaAt = (place: number) => ({ $ref: `${requestsId}#/$defs/${String(index)}/$defs/${String(place)}` })
  const content = { 'application/json': { schema: schemaAt(parameters.length) } }
  return {
    operationId: nameOf(index),
    method,
    path,
    parameters: parameters.map(({ name, in: place, required = false, schema }, at) => {
      const value = rewriter.defaultOf(schema)
      // openapi-backend's types know the JSON values of a default, not that it is one.
      const withDefault = value === undefined ? {} : { default: value as string }
      return { name, in: place, required, schema: { ...schemaAt(at), ...withDefault } }
    }),
    ...(object.requestBody === undefined
      ? {}
      : { requestBody: { required: object.requestBody.required === true, content } }),
    responses: {},
  }
}
