import type { ErrorObject, ValidateFunction } from 'ajv'
import { type Context, type Document, OpenAPIBackend, OpenAPIRouter } from 'openapi-backend'
import type { Operation, ParsedRequest, Request, ValidationResult } from 'openapi-backend'
import { createAjv } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { SchemaRewriter } from '../schema/rewrite-schema.ts'
import type { ContractDocument, ContractOperation } from '../document/document.ts'
import type { AnyReply, OperationRequest } from './engine.ts'
import { failure } from '../server/refusal.ts'
import { type ListParameter, listParametersOf, splitLists } from './list-parameters.ts'
import { isJson } from '../document/media-types.ts'
import type { Caller } from '../types/handler-types.ts'

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
export type InputHandler = (input: AnyInput, caller: Caller | undefined) => Promise<AnyReply>

/** Validates a request to one operation, and passes it to its handler or gives the failure `invalid_request`. */
type Dispatch = (request: OperationRequest) => Promise<AnyReply>

/**
 * Sets openapi-backend up for requests that the HTTP server has matched, parsed and authenticated: it validates them
 * with Ajv and dispatches them to the handlers. By itself it would match, parse and authenticate each request again.
 *
 * @param document a dereferenced contract that `npm run generate` has checked
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
  const backend = createBackend(operations, rewriter)
  await backend.init()
  const known = knownOperations(operations, rewriter)
  const { validator } = backend
  backend.router = new MatchedRouter(known)
  validator.router = backend.router
  // Its own parses the request once more, and knows one style of parameters.
  validator.validateRequest = (request) => {
    // The functions below make the requests.
    const matched = request as MatchedRequest
    return validate(validator.getRequestValidatorsForOperation(String(matched.operation.operationId)), matched)
  }
  backend.register(Object.fromEntries(handlers.map((handle, index) => [nameOf(index), handlerOf(handle)])))

  return operations.map(({ parameters }, index) => {
    const operation = known[index]!
    const lists = listParametersOf(parameters, schemas)
    const headerNames = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
    return ({ headers, path, query, url, body, accept, caller }) => {
      const request: MatchedRequest = {
        operation,
        lists,
        headerNames,
        method: operation.method,
        path: operation.path,
        // Validation replaces each text by the value that it has read. No header is inherited.
        headers: (headerNames.length > 0 ? Object.assign(Object.create(null), headers) : headers) as Request['headers'],
        params: path,
        query,
        cookies: {},
        requestBody: body,
        url,
        accept,
      }
      return backend.handleRequest(request, caller) as Promise<AnyReply>
    }
  })
}

/** The name under which Ajv knows the schemas of requests. */
const requestsId = 'requests'

/** The schemas of each operation's requests, rewritten for Ajv: of the parameters in their order, and of the body. */
function requestSchemas(rewriter: SchemaRewriter, operations: ContractOperation[]): object[] {
  return operations.map(({ parameters, object }) => ({
    $defs: [...parameters.map(({ schema }) => schema), bodySchemaOf(object)].map((schema) => rewriter.ofValue(schema)),
  }))
}

/** A contract without problems has one media type of a request's body. */
function bodySchemaOf({ requestBody }: ContractOperation['object']): unknown {
  const [content] = Object.entries(requestBody?.content ?? {}).filter(([type]) => isJson(type))
  return content === undefined ? undefined : (content[1].schema ?? true)
}

function createBackend(operations: ContractOperation[], rewriter: SchemaRewriter): OpenAPIBackend {
  const schemas = requestSchemas(rewriter, operations)
  const validators = { json: createAjv('json', rewriter), text: createAjv('text', rewriter) }
  for (const ajv of Object.values(validators)) ajv.addSchema({ $defs: schemas }, requestsId)
  return new OpenAPIBackend({
    // It would write out what a definition refers to, and search it for every handler. MatchedRouter has the
    // operations.
    definition: emptyDefinition,
    // Skips the check of the document, which knows OpenAPI 3.0 only, and compiles validators when they are first used.
    quick: true,
    strict: true,
    ignoreTrailingSlashes: false,
    customizeAjv: (_ajv, _options, context: string) => validators[context === 'requestBodyValidator' ? 'json' : 'text'],
    handlers: {
      // An operation may declare this status in another media type first, or not at all.
      validationFail: ({ validation }: Context): AnyReply => ({
        ...failure('invalid_request', describeErrors(validation.errors ?? [])),
        contentType: 'application/json',
      }),
    },
  })
}

/**
 * The name of an operation in openapi-backend. It keeps some names for its hooks, and looks names up in objects that
 * inherit `toString`, so that it cannot have every operationId.
 */
function nameOf(index: number): string {
  return `operation${String(index)}`
}

const emptyDefinition: Document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }

/** The operations for openapi-backend, each schema as a reference to one that Ajv knows. */
function knownOperations(operations: ContractOperation[], rewriter: SchemaRewriter): Operation[] {
  return operations.map(({ method, path, parameters, object }, index) => {
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
  })
}

function handlerOf(handle: InputHandler) {
  return (context: Context<unknown, unknown, unknown, unknown>, caller: Caller | undefined): Promise<AnyReply> => {
    // createDispatch makes the requests.
    const { headers, headerNames, params, query, requestBody, accept } = context.request as unknown as MatchedRequest
    // Node gives the names of headers in lower case; the contract's types have them as the contract writes them.
    const given = headerNames.map((name) => [name, headers[name.toLowerCase()]] as const)
    const header = Object.fromEntries(given.filter(([, value]) => value !== undefined))
    const input = { path: params, query, header, body: requestBody }
    return handle(accept === undefined ? input : { ...input, accept }, caller)
  }
}

/** A request whose operation is known and whose parts are parsed. */
interface MatchedRequest extends ParsedRequest {
  headers: Request['headers']
  params: OperationRequest['path']
  query: OperationRequest['query']
  requestBody: unknown
  operation: Operation
  /** The parameters that are arrays. */
  lists: ListParameter[]
  /** The names of the header parameters, as the contract writes them. */
  headerNames: string[]
  url: string
  accept: string | undefined
}

/**
 * Replaces openapi-backend's router, which compiles a pattern for every operation on every request and parses each
 * request three times. Its methods declare `Request` and receive a `MatchedRequest`.
 */
class MatchedRouter extends OpenAPIRouter {
  readonly #operations: Map<string, Operation>

  constructor(operations: Operation[]) {
    super({ definition: emptyDefinition })
    this.#operations = new Map(operations.map((operation) => [String(operation.operationId), operation]))
  }

  override matchOperation(request: Request): Operation {
    return (request as MatchedRequest).operation
  }

  override parseRequest(request: Request): ParsedRequest {
    return request as MatchedRequest
  }

  override getOperations(): Operation[] {
    return [...this.#operations.values()]
  }

  override getOperation(name: string): Operation | undefined {
    return this.#operations.get(name)
  }
}

function validate(validators: ValidateFunction[], request: MatchedRequest): ValidationResult<Request> {
  // Ajv writes the values that it has read into the parts.
  const parts: Record<'path' | 'query' | 'header' | 'cookie' | 'requestBody', unknown> &
    Record<'query' | 'header', Record<string, unknown>> = {
    path: request.params,
    query: request.query,
    header: request.headers,
    cookie: {},
    requestBody: request.requestBody,
  }
  const repeated = splitLists(request.lists, parts, request.url)
  const errorsOfLists = repeated.map(({ name, problem }): ErrorObject => ({
    instancePath: `/query/${name}`,
    keyword: 'style',
    schemaPath: '',
    params: {},
    message: problem,
  }))
  // The items of a repeated list are not known.
  if (errorsOfLists.length > 0) return { valid: false, errors: errorsOfLists }
  const errors = validators.flatMap((isValid) => (isValid(parts) ? [] : (isValid.errors ?? [])))
  return errors.length === 0 ? { valid: true } : { valid: false, errors }
}
