import type { ContractDocument, ContractMethod, ContractOperation } from '../document/document.ts'
import { offeredTypes, operationsOf } from '../document/document.ts'
import { UnservableContract } from '../document/contract.ts'
import { type RequiredScheme, alternativesOf } from '../document/security.ts'
import { Encoded, decode } from '../types/encoded.ts'
import { closeBody } from './body-stream.ts'
import { CompileQueue, type CompileSteps, type Preparation } from './compile-queue.ts'
import { type AnyHandler, type OperationRequest, bindOperations } from './openapi-backend.ts'
import { type AnyReply, ContractViolation, type ValidBody, createReplyValidators } from './reply-validation.ts'

export type { AnyHandler, OperationRequest }

/** A validated reply. */
export interface ValidReply extends AnyReply, ValidBody {
  body: unknown
}

/** An operation, ready to be served. */
export interface BoundOperation {
  id: string
  method: ContractMethod
  /** The path template, such as `/plants/{id}`. */
  path: string
  /** The media types of the body, which may be ranges; empty if the operation takes no body. */
  bodyTypes: string[]
  requiresBody: boolean
  /** The media types of its successful responses; the Accept header selects one. */
  offeredTypes: string[]
  /** Alternatives, each a list of required schemes. Empty for a public operation. */
  security: RequiredScheme[][]
  /** Its validators. `handle` waits for them. */
  validators: Record<'requests' | 'replies', Preparation>
  /**
   * Validates the request and passes it to the operation's handler.
   *
   * @throws Refusal if the request breaks the contract, ContractViolation if the reply does, and any error of the handler
   */
  handle: (request: OperationRequest) => Promise<ValidReply>
  /** Describes how a failure breaks the declared response; undefined if it fits. Headers may be undeclared. */
  failureProblem: (reply: AnyReply) => string | undefined
}

export interface EngineOptions {
  /** A dereferenced contract, checked by `fastify-contract generate`. */
  document: ContractDocument
  /** A handler for each operationId. */
  handlers: Partial<Record<string, AnyHandler>>
  /** Passed to every handler, together with `auth` and the request. */
  services: object
  /** What to do if a schema cannot be compiled. */
  remedy: string
  /** Further reasons not to serve the contract. */
  problems: readonly string[]
  /** The maximum nesting depth of objects and arrays of JSON in forms and parameters. */
  bodyLevels?: number
  /** Whether `Encoded` bodies are parsed and validated like others. */
  checksEncoded?: boolean | undefined
  /** Receives the operationId of each reply that breaks the contract. */
  onContractBroken?: ((operationId: string) => void) | undefined
}

/**
 * Binds each operation of a contract to its handler, with validation of requests and replies.
 *
 * @throws UnservableContract if an operation has no handler, a handler has no operation, or there are other problems
 */
export async function createEngine(options: EngineOptions): Promise<BoundOperation[]> {
  const { document, handlers, services, remedy, onContractBroken, checksEncoded = false } = options
  const operations = operationsOf(document)
  const problems = bindingProblems(operations, options)
  if (problems.length > 0) throw new UnservableContract(problems.join('; '))
  const bound = await bindOperations(document, operations, handlers, options.bodyLevels)
  const validatorOf = createReplyValidators(document)
  const queue = new CompileQueue()
  return operations.map(({ id, method, path, security, object }, index) => {
    // There is one for each operation.
    const operation = bound[index]!
    const replyValidator = validatorOf(object)
    const validators = {
      requests: queue.prepare(() => compiling(id, operation.compile(), remedy)),
      replies: queue.prepare(() => compiling(id, replyValidator.compile(), remedy)),
    }
    const validReply = (reply: AnyReply): ValidReply => {
      try {
        const { undeclared, ...valid } = replyValidator.validate(reply)
        if (undeclared === undefined) return { ...reply, ...valid }
        onContractBroken?.(id)
        const place = `the ${String(reply.status)} reply of ${id}`
        return { ...reply, ...valid, undeclared: `${place} was sent without an undeclared property: ${undeclared}` }
      } catch (error) {
        if (!(error instanceof ContractViolation)) throw error
        closeBody(reply.body)
        onContractBroken?.(id)
        throw new ContractViolation(`the ${String(reply.status)} reply of ${id} breaks the contract: ${error.message}`)
      }
    }
    const bodyTypes = Object.keys(object.requestBody?.content ?? {})
    return {
      id,
      method,
      path,
      bodyTypes,
      requiresBody: object.requestBody?.required === true && bodyTypes.length > 0,
      offeredTypes: offeredTypes(object),
      security: alternativesOf({ security }),
      validators,
      handle: async (request) => {
        if (!validators.requests.isDone) await validators.requests.run()
        const input = operation.validateRequest(request)
        // Before the handler is called: a stream in its reply must not wait, because nobody listens to its errors yet.
        if (!validators.replies.isDone) await validators.replies.run()
        const reply = await operation.handler(input, { ...services, auth: request.auth, request: request.request })
        const { body } = reply
        return validReply(checksEncoded && body instanceof Encoded ? { ...reply, body: await decode(body) } : reply)
      },
      failureProblem: (reply) => violationOf(() => replyValidator.validate(reply, 'failure').undeclared),
    }
  })
}

/** Names the operation in the error of a step. @throws UnservableContract */
function* compiling(id: string, steps: CompileSteps, remedy: string): CompileSteps {
  try {
    yield* steps
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnservableContract(`operation ${id}: a schema cannot be compiled (${reason}); ${remedy}`, {
      cause: error,
    })
  }
}

/** The problem that a check returns, or the message of the violation that it throws; undefined without one. */
function violationOf(check: () => string | undefined): string | undefined {
  try {
    return check()
  } catch (error) {
    if (error instanceof ContractViolation) return error.message
    throw error
  }
}

function bindingProblems(operations: ContractOperation[], { handlers, problems }: EngineOptions): string[] {
  const ids = operations.map(({ id }) => id)
  const unhandled = ids.filter((id) => !Object.hasOwn(handlers, id) || handlers[id] === undefined)
  const leftOver = Object.keys(handlers).filter((id) => handlers[id] !== undefined && !ids.includes(id))
  return [
    ...unhandled.map((id) => `operation ${id}: has no handler; add one, or notImplemented`),
    ...leftOver.map((id) => `handler ${id}: the contract has no such operation`),
    ...problems,
  ]
}
