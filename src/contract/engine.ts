import { type Context, type Document, OpenAPIBackend } from 'openapi-backend'
import { createAjv } from '../schema/ajv.ts'
import { type ContractDocument, type ContractMethod, type ContractOperation, dereference, operationsOf } from './document.ts'
import { failure } from './errors.ts'
import { withExactScalars } from '../schema/rewrite-schema.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { problemsOf } from './check-contract.ts'
import { ContractViolation, createReplyJudge } from './response-validation.ts'
import { MatchedRouter, type MatchedRequest } from './router.ts'
import type { Caller } from './types.ts'
import { validateMatched } from './validation.ts'

/** A contract that is not served. The message says why in one line. */
export class UnservableContract extends Error {}

/** A request to one operation, as the HTTP server has parsed it. */
export interface OperationRequest {
  headers: Record<string, string | string[] | undefined>
  path: Record<string, string>
  query: Record<string, string | string[]>
  /** The parsed JSON body; undefined when there is none. */
  body: unknown
  /** For whom each security scheme that was satisfied lets the request act. */
  callers: Record<string, Caller>
}

/** Any operation's reply, without what its type says beyond that. */
export interface AnyReply {
  status: number
  headers?: Record<string, string | number>
  body?: unknown
}

/** Any operation's handler. `Handlers` is the type that a handler is written against. */
type AnyHandler<Services> = (input: never, context: Services & { caller: Caller }) => Promise<AnyReply> | AnyReply

/** One operation, ready to be served. */
export interface BoundOperation {
  id: string
  method: ContractMethod
  /** The path template, such as `/plants/{id}`. */
  path: string
  takesBody: boolean
  requiresBody: boolean
  /** Alternatives, each a set of security schemes that must all be satisfied. */
  security: string[][]
  /**
   * Judges the request against the contract and hands it to the operation's handler.
   *
   * @returns the handler's reply, or the failure that the contract calls for
   * @throws whatever the handler throws, and ContractViolation when its reply is not as the contract declares it
   */
  handle: (request: OperationRequest) => Promise<AnyReply>
}

export interface EngineOptions<Services> {
  contract: ContractDocument
  /** A handler for each operationId. */
  handlers: Record<string, AnyHandler<Services> | undefined>
  /** What each handler receives beside the caller. */
  services: Services
  /** The security schemes for which the caller of this function has a verifier. */
  securitySchemes: readonly string[]
  /** Told of each reply of a handler that breaks the contract, before it is thrown. */
  onViolation?: ((operationId: string) => void) | undefined
}

/**
 * Makes a contract executable: openapi-backend checks security, validates with Ajv and dispatches to the handlers.
 *
 * @returns the operations of the contract, each bound to its handler
 * @throws UnservableContract when the contract has a problem, an operation has no handler, a handler has no operation,
 *   or a security scheme has no verifier
 */
export async function createEngine<Services extends object>({ contract, handlers, services, securitySchemes, onViolation }: EngineOptions<Services>): Promise<BoundOperation[]> {
  const document = readable(contract)
  const operations = operationsOf(document)
  refuse(problemsOf(document))
  refuse(bindingProblems(operations, handlers, securitySchemes))

  const judgeReply = createReplyJudge()
  function judged(operation: ContractOperation, reply: AnyReply): AnyReply {
    const problem = judgeReply(operation, reply)
    if (problem === undefined) return reply
    onViolation?.(operation.id)
    throw new ContractViolation(`${operation.id} was to answer ${String(reply.status)}: ${problem}`)
  }

  const backend = new OpenAPIBackend({
    // The rewritten document is OpenAPI but for the keyword `scalar`, which openapi-backend hands to Ajv.
    definition: withExactScalars(document) as Document,
    // Its own check of the document knows OpenAPI 3.0 alone; problemsOf has made the one for 3.1.
    quick: true,
    strict: true,
    ignoreTrailingSlashes: false,
    customizeAjv: (_ajv, _options, context: string) => createAjv(context === 'requestBodyValidator' ? 'json' : 'text'),
    handlers: {
      ...Object.fromEntries(
        operations.map((operation) => {
          const { id, parameters } = operation
          const headerNames = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
          return [id, async (context: Context) => judged(operation, await call(handlers[id]!, headerNames, services, context))]
        }),
      ),
      validationFail: ({ validation }: Context) => failure('invalid_request', describeErrors(validation.errors ?? [])),
      unauthorizedHandler: () => failure('credentials_missing', 'this operation needs credentials', { 'WWW-Authenticate': 'Bearer' }),
    },
    securityHandlers: Object.fromEntries(
      // The credentials were judged before the body was read; here the engine makes sure that they were.
      Object.keys(document.components?.securitySchemes ?? {}).map((scheme) => [scheme, ({ request }: Context) => (request as unknown as MatchedRequestWithCallers).callers[scheme]]),
    ),
  })
  refuse(operations.filter(({ id }) => backend.allowedHandlers.includes(id)).map(({ id }) => `operation ${id}: has a name that openapi-backend keeps for itself`))
  await backend.init()
  const router = new MatchedRouter(backend.router.getOperations())
  backend.router = router
  backend.validator.router = router
  validateMatched(backend.validator, operations)

  return operations.map(({ id, method, path, parameters, security, object }) => {
    const operation = router.getOperation(id)!
    const readsHeaders = parameters.some((parameter) => parameter.in === 'header')
    return {
      id,
      method,
      path,
      takesBody: object.requestBody !== undefined,
      requiresBody: object.requestBody?.required === true,
      security: security.map((requirement) => Object.keys(requirement)),
      handle: ({ headers, path: params, query, body, callers }) => {
        const request: MatchedRequestWithCallers = {
          operation,
          callers,
          method,
          path,
          // Validation writes the values that it has read over their text.
          headers: (readsHeaders ? { ...headers } : headers) as Record<string, string | string[]>,
          params,
          query,
          cookies: {},
          requestBody: body,
        }
        return backend.handleRequest(request) as Promise<AnyReply>
      },
    }
  })
}

interface MatchedRequestWithCallers extends MatchedRequest {
  callers: Record<string, Caller>
}

function readable(contract: ContractDocument): ContractDocument {
  try {
    return dereference(contract)
  } catch (error) {
    throw new UnservableContract(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function bindingProblems(operations: { id: string; security: Record<string, unknown>[] }[], handlers: Record<string, unknown>, securitySchemes: readonly string[]): string[] {
  const ids = operations.map(({ id }) => id)
  const required = new Set(operations.flatMap(({ security }) => security.flatMap((requirement) => Object.keys(requirement))))
  return [
    ...ids.filter((id) => !Object.hasOwn(handlers, id) || handlers[id] === undefined).map((id) => `operation ${id}: has no handler; npm run generate -- --scaffold writes one`),
    ...Object.keys(handlers).filter((id) => handlers[id] !== undefined && !ids.includes(id)).map((id) => `handler ${id}: the contract has no such operation`),
    ...[...required].filter((scheme) => !securitySchemes.includes(scheme)).map((scheme) => `security scheme ${scheme}: has no verifier`),
  ]
}

function refuse(problems: string[]): void {
  if (problems.length > 0) throw new UnservableContract(problems.join('; '))
}

function call<Services extends object>(handler: AnyHandler<Services>, headerNames: string[], services: Services, { request, security }: Context<unknown, unknown, unknown, unknown>): Promise<AnyReply> | AnyReply {
  // Node gives the names of headers in lower case, the contract's types give them as the contract writes them.
  const headers = request.headers as Record<string, unknown>
  const present = headerNames.filter((name) => headers[name.toLowerCase()] !== undefined)
  const header = Object.fromEntries(present.map((name) => [name, headers[name.toLowerCase()]]))
  const input = { path: request.params, query: request.query, header, body: request.requestBody }
  const caller = Object.values(security).find((value): value is Caller => typeof value === 'string')
  if (caller === undefined) throw new Error('openapi-backend let a request through without credentials')
  // Validation has just shown that the input is what the handler's type says.
  return handler(input as never, { ...services, caller })
}
