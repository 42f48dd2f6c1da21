import { chunksOf, streamChunks } from './body-stream.ts'
import type { ContractDocument, ContractMethod, ContractOperation } from '../document/document.ts'
import { dereference, operationsOf } from '../document/document.ts'
import { printable } from '../json/printable.ts'
import { offeredTypes } from '../document/media-types.ts'
import { type InputHandler, createDispatch } from './openapi-backend.ts'
import { ContractViolation, createResponseValidator, declaredResponse } from './reply-validation.ts'
import { type RequiredScheme, alternativesOf, securityProblems } from '../document/security.ts'
import type { Caller } from '../types/handler-types.ts'

/** A contract that is not served. The message says why in one line, and what it quotes is printable. */
export class UnservableContract extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(printable(reason), options)
  }
}

/** A request to one operation, authenticated where its security asks for it, as the HTTP server has parsed it. */
export interface OperationRequest {
  headers: Record<string, string | string[] | undefined>
  path: Record<string, string>
  query: Record<string, string | string[]>
  /** The path and query of the request's target. */
  url: string
  /** The parsed JSON body; undefined when there is none. */
  body: unknown
  /** The media type of the response that the client prefers; undefined where the operation offers only one. */
  accept?: string | undefined
  /** Undefined where the operation's security allows it. */
  caller: Caller | undefined
}

/** Any operation's reply, without what its type says beyond that. */
export interface AnyReply {
  status: number
  headers?: Record<string, string | number | bigint>
  body?: unknown
  /** The media type of the body; the one that the response declares unless given. */
  contentType?: string | undefined
}

/** Any operation's handler. `Handlers` is the type that a handler is written against. */
type AnyHandler<Services> = (input: never, context: Services & { caller: Caller }) => Promise<AnyReply> | AnyReply

/** One operation, ready to be served. */
export interface BoundOperation {
  id: string
  method: ContractMethod
  /** The path template, such as `/plants/{id}`. */
  path: string
  /** The media types of the body, which are JSON; none where the operation takes no body. */
  bodyTypes: string[]
  requiresBody: boolean
  /** The media types of its successful responses, of which the header Accept selects one. */
  offeredTypes: string[]
  /** The media type of a response that declares one. */
  typeOf: (status: number) => string
  /** Alternatives, each a list of schemes that must all be satisfied. Without any, everybody may call the operation. */
  security: RequiredScheme[][]
  /**
   * Validates the request and passes it to the operation's handler.
   *
   * @returns the handler's reply, or the failure that the contract calls for
   * @throws whatever the handler throws, and ContractViolation when its reply is not as the contract declares it
   */
  handle: (request: OperationRequest) => Promise<AnyReply>
}

export interface EngineOptions<Services> {
  /** A contract that `npm run generate` has checked. */
  contract: ContractDocument
  /** A handler for each operationId. */
  handlers: Record<string, AnyHandler<Services> | undefined>
  /** What each handler receives beside the caller. */
  services: Services
  /** The security schemes that the caller of this function verifies. */
  securitySchemes: readonly string[]
  /** Receives the operationId of each handler's reply that breaks the contract, before the reply is refused. */
  onViolation?: ((operationId: string) => void) | undefined
}

/**
 * Binds each operation of a contract to its handler: requests are validated before it, replies after it.
 *
 * @throws UnservableContract when an operation has no handler, a handler has no operation, or the security of an
 *   operation cannot be kept (`securityProblems`)
 */
export async function createEngine<Services extends object>(
  options: EngineOptions<Services>,
): Promise<BoundOperation[]> {
  const document = dereference(options.contract)
  const operations = operationsOf(document)
  const problems = bindingProblems(document, operations, options)
  if (problems.length > 0) throw new UnservableContract(problems.join('; '))
  const dispatch = await createDispatch(document, operations, inputHandlers(document, operations, options))
  return operations.map(({ id, method, path, security, object }, index) => ({
    id,
    method,
    path,
    bodyTypes: Object.keys(object.requestBody?.content ?? {}),
    requiresBody: object.requestBody?.required === true,
    offeredTypes: offeredTypes(object),
    // A reply with a body has a declared media type, or says which of several it has.
    typeOf: (status) => Object.keys(declaredResponse(object.responses, status)?.content ?? {})[0]!,
    security: alternativesOf({ security }),
    handle: dispatch[index]!,
  }))
}

function bindingProblems<Services>(
  document: ContractDocument,
  operations: ContractOperation[],
  { handlers, securitySchemes }: EngineOptions<Services>,
): string[] {
  const ids = operations.map(({ id }) => id)
  const unhandled = ids.filter((id) => !Object.hasOwn(handlers, id) || handlers[id] === undefined)
  const leftOver = Object.keys(handlers).filter((id) => handlers[id] !== undefined && !ids.includes(id))
  return [
    ...unhandled.map((id) => `operation ${id}: has no handler; npm run generate -- --scaffold writes one`),
    ...leftOver.map((id) => `handler ${id}: the contract has no such operation`),
    ...securityProblems(document, operations, securitySchemes),
  ]
}

/** The handlers of the operations, each with its context given and its replies validated. */
function inputHandlers<Services extends object>(
  document: ContractDocument,
  operations: ContractOperation[],
  { handlers, services, onViolation }: EngineOptions<Services>,
): InputHandler[] {
  const validateResponse = createResponseValidator(document)
  return operations.map((operation) => {
    // bindingProblems has found none missing.
    const handler = handlers[operation.id]!
    return async (input, caller) => {
      // The input is valid, so it has the type that the handler declares. A request without a caller is authenticated
      // only where the operation's security allows it, and there the handler's type has none.
      const reply = await handler(input as never, { ...services, caller } as Services & { caller: Caller })
      const problem = validateResponse(operation, reply)
      if (problem === undefined) return reply
      onViolation?.(operation.id)
      const chunks = chunksOf(reply.body)
      if (chunks !== undefined) streamChunks(chunks).destroy()
      throw new ContractViolation(`${operation.id} was to answer ${String(reply.status)}: ${problem}`)
    }
  })
}
