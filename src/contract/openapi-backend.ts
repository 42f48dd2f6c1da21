import type { ErrorObject, ValidateFunction } from 'ajv'
import { type Context, type Document, OpenAPIBackend, OpenAPIRouter } from 'openapi-backend'
import type { Operation, ParsedRequest, Request, ValidationResult } from 'openapi-backend'
import { createAjv } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { withExactScalars } from '../schema/rewrite-schema.ts'
import { type ContractDocument, type ContractOperation, type PathItem, contractMethods } from './document.ts'
import type { AnyReply, OperationRequest } from './engine.ts'
import { failure } from './errors.ts'
import type { Caller } from './types.ts'

/** The parts of a valid request, each value of its declared type. */
export interface AnyInput {
  path: unknown
  query: unknown
  header: unknown
  body: unknown
}

/** Handles the valid requests of one operation. */
export type InputHandler = (input: AnyInput, caller: Caller) => Promise<AnyReply>

/** Validates a request to an operation, and passes it to its handler or gives the failure `invalid_request`. */
export type Dispatch = (operationId: string, request: OperationRequest) => Promise<AnyReply>

/**
 * Sets openapi-backend up for requests that the HTTP server has matched, parsed and authenticated: it validates them
 * with Ajv and dispatches them to the handlers. By itself it would match, parse and authenticate each request again.
 *
 * @param document a dereferenced contract without problems (`checkContract`)
 * @param operations those of the document
 * @param handlers one for each operation
 */
export async function createDispatch(
  document: ContractDocument,
  operations: ContractOperation[],
  handlers: Map<string, InputHandler>,
): Promise<Dispatch> {
  const backend = createBackend(document, operations, handlers)
  await backend.init()
  const matched = new Map(backend.router.getOperations().map((operation) => [String(operation.operationId), operation]))
  backend.router = new MatchedRouter(matched)
  backend.validator.router = backend.router
  replaceValidation(backend, operations)
  const withHeaders = new Set(operations.filter((operation) => headerNames(operation).length > 0).map(({ id }) => id))

  return (operationId, { headers, path, query, body, caller }) => {
    // The engine dispatches the operations of this document only.
    const operation = matched.get(operationId)!
    const request: MatchedRequest = {
      operation,
      method: operation.method,
      path: operation.path,
      // Validation replaces each text by the value that it has read.
      headers: (withHeaders.has(operationId) ? { ...headers } : headers) as Request['headers'],
      params: path,
      query,
      cookies: {},
      requestBody: body,
    }
    return backend.handleRequest(request, caller) as Promise<AnyReply>
  }
}

function createBackend(
  document: ContractDocument,
  operations: ContractOperation[],
  handlers: Map<string, InputHandler>,
): OpenAPIBackend {
  const operationHandlers = operations.map(
    (operation) => [operation.id, handlerOf(operation, handlers.get(operation.id)!)] as const,
  )
  return new OpenAPIBackend({
    definition: definitionOf(document),
    // Skips the check of the document, which knows OpenAPI 3.0 only; `checkContract` is the check for 3.1.
    quick: true,
    strict: true,
    ignoreTrailingSlashes: false,
    customizeAjv: (_ajv, _options, context: string) => createAjv(context === 'requestBodyValidator' ? 'json' : 'text'),
    handlers: {
      ...Object.fromEntries(operationHandlers),
      validationFail: ({ validation }: Context) => failure('invalid_request', describeErrors(validation.errors ?? [])),
    },
  })
}

/** Whether openapi-backend keeps this name for a hook, so that no operation can have it. */
export function isReservedName(operationId: string): boolean {
  return reservedNames.includes(operationId)
}

const emptyDefinition: Document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }
const reservedNames = new OpenAPIBackend({ definition: emptyDefinition, quick: true }).allowedHandlers

/** The contract for openapi-backend, without `security`: the HTTP server has authenticated the caller. */
function definitionOf(document: ContractDocument): Document {
  const { security: _, ...rest } = document
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [path, withoutSecurity(item)] as const)
  // The rewritten document is OpenAPI but for the keyword `scalar`, which openapi-backend passes to Ajv.
  return withExactScalars({ ...rest, paths: Object.fromEntries(paths) }) as Document
}

function withoutSecurity(item: PathItem): PathItem {
  const copy = { ...item }
  for (const method of contractMethods) {
    const operation = item[method]
    if (operation === undefined) continue
    const { security: _, ...open } = operation
    copy[method] = open
  }
  return copy
}

function handlerOf(operation: ContractOperation, handle: InputHandler) {
  const names = headerNames(operation)
  return ({ request }: Context<unknown, unknown, unknown, unknown>, caller: Caller): Promise<AnyReply> => {
    // Node gives the names of headers in lower case; the contract's types have them as the contract writes them.
    const headers = request.headers as Record<string, unknown>
    const present = names.filter((name) => headers[name.toLowerCase()] !== undefined)
    const header = Object.fromEntries(present.map((name) => [name, headers[name.toLowerCase()]]))
    return handle({ path: request.params, query: request.query, header, body: request.requestBody }, caller)
  }
}

function headerNames({ parameters }: ContractOperation): string[] {
  return parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
}

/** A request whose operation is known and whose parts are parsed. */
interface MatchedRequest extends ParsedRequest {
  headers: Request['headers']
  operation: Operation
}

/**
 * Replaces openapi-backend's router, which compiles a pattern for every operation on every request and parses each
 * request three times. Its methods declare `Request` and receive a `MatchedRequest`.
 */
class MatchedRouter extends OpenAPIRouter {
  readonly #operations: Map<string, Operation>

  constructor(operations: Map<string, Operation>) {
    super({ definition: emptyDefinition })
    this.#operations = operations
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

  override getOperation(operationId: string): Operation | undefined {
    return this.#operations.get(operationId)
  }
}

/** How the requests of one operation are validated. */
interface RequestValidation {
  validators: ValidateFunction[]
  /** The query parameters that are arrays. */
  arrays: string[]
}

/**
 * Replaces openapi-backend's `validateRequest`, which parses the request once more and reads styles of parameters that
 * no contract of this service has. The validators are those that openapi-backend has compiled.
 */
function replaceValidation({ validator }: OpenAPIBackend, operations: ContractOperation[]): void {
  const byId = new Map(
    operations.map(({ id, parameters }): [string, RequestValidation] => {
      const inQuery = parameters.filter((parameter) => parameter.in === 'query')
      const arrays = inQuery.filter(({ schema }) => schema?.['type'] === 'array').map(({ name }) => name)
      return [id, { validators: validator.getRequestValidatorsForOperation(id), arrays }]
    }),
  )
  validator.validateRequest = (request) => {
    const matched = request as MatchedRequest
    // Each operation of the router is one of the document.
    return validate(byId.get(String(matched.operation.operationId))!, matched)
  }
}

function validate({ validators, arrays }: RequestValidation, request: MatchedRequest): ValidationResult<Request> {
  // Ajv writes the values that it has read into the parts.
  const query = request.query as Record<string, unknown>
  for (const name of arrays) {
    const value = query[name]
    if (typeof value === 'string') query[name] = [value]
  }
  const parts: Record<string, unknown> = {
    path: request.params,
    query,
    header: request.headers,
    cookie: {},
    requestBody: request.requestBody,
  }
  const errors: ErrorObject[] = []
  for (const isValid of validators) if (!isValid(parts)) errors.push(...(isValid.errors ?? []))
  return errors.length === 0 ? { valid: true } : { valid: false, errors }
}
