import { type Document, type Handler, OpenAPIBackend, type Operation } from 'openapi-backend'
import type { ContractDocument, ContractOperation } from '../document/document.ts'
import { isJson } from '../document/media-types.ts'
import { createAjv } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { readValue } from '../schema/reading.ts'
import { SchemaRewriter } from '../schema/rewrite-schema.ts'
import { Refusal } from './refusal.ts'
import type { Caller } from '../types/handler-types.ts'
import type { OperationRequest, ValidReply } from './engine.ts'
import { type RepeatedList, listParametersOf, splitLists } from './list-parameters.ts'

/** The parts of a valid request, each value of its declared type. */
export interface AnyInput {
  path: unknown
  query: unknown
  header: unknown
  body: unknown
  /** Only where the operation offers several media types. */
  accept?: string
}

/** Handles the valid requests of one operation. */
export type InputHandler = (input: AnyInput, caller: Caller | undefined) => Promise<ValidReply>

/** Validates a request to one operation and passes it to its handler. @throws Refusal */
type Dispatch = (request: OperationRequest) => Promise<ValidReply>

/**
 * Has openapi-backend bind the handlers to the operations, compile the validators of requests, and dispatch. Fastify has
 * matched, parsed and authenticated a request before, so `handleRequest`, which would do so again, is not called.
 *
 * @param document a dereferenced contract that `fastify-contract generate` has checked
 * @param operations those of the document
 * @param handlers one for each operation, in the same order
 * @returns the function that handles the requests of each operation, in the same order
 */
export async function createDispatch(
  document: ContractDocument,
  operations: ContractOperation[],
  handlers: InputHandler[],
): Promise<Dispatch[]> {
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
  backend.register(Object.fromEntries(handlers.map((handle, index) => [nameOf(index), handle as unknown as Handler])))

  return operations.map(({ parameters }, index) => {
    const name = nameOf(index)
    // The one that was registered under this name.
    const handle = backend.handlers[name] as unknown as InputHandler
    const lists = listParametersOf(parameters, schemas)
    const headerNames = parameters.filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name)
    return ({ headers, path, query, url, body, accept, caller }) => {
      const parts = {
        path,
        query,
        // What validation has read is put in the place of a text. No header is inherited.
        header: headerNames.length > 0 ? withoutPrototype(headers) : headers,
        cookie: {},
        requestBody: body?.value,
      }
      if (lists.length > 0) refuseRepeated(splitLists(lists, parts, url))
      const validators = backend.validator.getRequestValidatorsForOperation(name)
      const errors = readValue(validators, parts, 'request', body?.sources)
      if (errors.length > 0) throw new Refusal('invalid_request', describeErrors(errors))
      // Node gives the names of headers in lower case; the contract's types have them as the contract writes them.
      const given = headerNames.map((each) => [each, parts.header[each.toLowerCase()]] as const)
      const header = Object.fromEntries(given.filter(([, value]) => value !== undefined))
      const input = { path, query, header, body: parts.requestBody }
      return handle(accept === undefined ? input : { ...input, accept }, caller)
    }
  })
}

function withoutPrototype(headers: OperationRequest['headers']): OperationRequest['headers'] {
  // The types of Object.create and Object.assign do not say what they give.
  return Object.assign(Object.create(null) as object, headers)
}

/** @throws Refusal where a list of the query is repeated although one text has all its items */
function refuseRepeated(lists: RepeatedList[]): void {
  const problems = lists.map(({ name, problem }) => `query/${name} ${problem}`)
  if (problems.length > 0) throw new Refusal('invalid_request', problems.join('; '))
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
