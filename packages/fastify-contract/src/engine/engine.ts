import type { ContractDocument, ContractOperation } from '../document/document.ts'
import { offeredTypes, operationsOf } from '../document/document.ts'
import { UnservableContract } from '../document/contract.ts'
import { type RequiredScheme, alternativesOf } from '../document/security.ts'
import { maxBytesOf } from '../schema/read/meaning.ts'
import { Encoded, chunksOf, decode } from '../types/encoded.ts'
import { closeBody } from './body-stream.ts'
import { CompileQueue, type CompileSteps, type Preparation } from './compile-queue.ts'
import { FailedOperation } from './failed.ts'
import { type ItemReports, ItemStream } from './item-stream.ts'
import { type AnyHandler, type OperationInput, type OperationRequest, bindOperations } from './openapi-backend.ts'
import { type AnyReply, ContractViolation, type ValidReply, createReplyValidators } from './reply-validation.ts'
import { Refusal } from './refusal.ts'
import type { SplitTarget } from './request-target.ts'

export type { AnyHandler, OperationInput, OperationRequest, ValidReply }

/** What a handler receives besides its input and the services. */
export interface OperationContext {
  /** What the verifiers of the credentials returned, by scheme. */
  auth: object
  request: object
}

/** An operation, ready to be served. */
export interface BoundOperation {
  id: string
  /** In lower case. */
  method: string
  /** The path template, such as `/plants/{id}`. */
  path: string
  /** What comes before it, such as `/v1`; empty for the root. */
  basePaths: string[]
  tags: string[] | undefined
  summary: string | undefined
  /** The media types of the body, which may be ranges; empty if the operation takes no body. */
  bodyTypes: string[]
  /** The most bytes of content of each of them, if it is binary; undefined for the limit of the server. */
  bodyLimits: (number | undefined)[]
  requiresBody: boolean
  /** The media types of its successful responses; the Accept header selects one. */
  offeredTypes: string[]
  /** Alternatives, each a list of required schemes. Empty for a public operation. */
  security: RequiredScheme[][]
  /** Its validators. `call` waits for those of replies. */
  validators: Record<'requests' | 'replies', Preparation>
  /**
   * Validates a request, when the validators of requests are compiled.
   *
   * @returns the input of the handler
   * @throws Refusal if the request breaks the contract
   */
  read: (request: OperationRequest) => OperationInput
  /**
   * Calls the handler and validates its reply, also one that it throws by `failed`.
   *
   * @param failureOf makes a reply of what else the handler throws; undefined for a fault
   * @param log that of the request, for `failureOf`
   * @throws ContractViolation if the reply breaks the contract, and any other error of the handler
   */
  call: <Log>(
    input: OperationInput,
    context: OperationContext,
    failureOf: (thrown: unknown, log: Log) => AnyReply | undefined,
    log: Log,
  ) => Promise<ValidReply>
  /** Describes how a failure breaks the declared response; undefined if it fits. Headers may be undeclared. */
  failureProblem: (reply: AnyReply) => string | undefined
}

export interface EngineOptions {
  /** A contract, checked by `fastify-contract generate`. */
  document: ContractDocument
  handlers: Partial<Record<string, AnyHandler>>
  /** Passed to every handler, together with `auth` and the request. */
  services: object
  /** What to do if a schema cannot be compiled. */
  remedy: string
  problems: readonly string[]
  /** The maximum nesting depth of objects and arrays of JSON in forms and parameters. */
  bodyLevels?: number
  /** Splits request targets as the router does. */
  splitTarget?: SplitTarget
  /** Whether `Encoded` bodies are parsed and validated like others, for development; false by default. */
  checksEncoded?: boolean | undefined
  /**
   * Whether an operation is compiled at its first request, which is answered 501 if that fails; by default, all are compiled
   * as soon as the server listens. For a contract of which few operations are called, such as that of a mock.
   */
  compilesOnDemand?: boolean | undefined
  /** Receives the operationId of each reply that breaks the contract. */
  onContractBroken?: ((operationId: string) => void) | undefined
}

/**
 * Binds each operation of a contract to its handler, with validation of requests and replies.
 *
 * @throws UnservableContract if an operation has no handler, a handler has no operation, or there are other problems
 */
export function createEngine(options: EngineOptions): BoundOperation[] {
  const { document, handlers, services, onContractBroken, checksEncoded = false } = options
  const operations = operationsOf(document)
  const { schemas = {} } = document.components ?? {}
  const problems = bindingProblems(operations, options)
  if (problems.length > 0) throw new UnservableContract(problems.join('; '))
  const bound = bindOperations(document, operations, handlers, options.bodyLevels, options.splitTarget)
  const validatorOf = createReplyValidators(document)
  const queue = new CompileQueue()
  return operations.map(({ id, method, path, basePaths, security, object }, index) => {
    // There is one for each operation.
    const operation = bound[index]!
    const replyValidator = validatorOf(object)
    const validators = {
      requests: queue.prepare(() => compiling(id, operation.compile(), options)),
      replies: queue.prepare(() => compiling(id, replyValidator.compile(), options)),
    }
    const reportsOn = ({ status }: AnyReply, cause?: ErrorOptions): ItemReports => ({
      violation: (problem) => {
        onContractBroken?.(id)
        return new ContractViolation(`the ${String(status)} reply of ${id} breaks the contract: ${problem}`, cause)
      },
      dropped: (undeclared) => {
        onContractBroken?.(id)
        return `dropped from the ${String(status)} reply of ${id}: ${undeclared}`
      },
    })
    /** @param cause the error of the handler of which this reply was made */
    const validReply = (reply: AnyReply, cause: ErrorOptions | undefined): ValidReply => {
      try {
        const valid = replyValidator.validate(reply)
        const { media, body, undeclared } = valid
        const items = media?.items === undefined ? undefined : chunksOf(body)
        if (media?.items !== undefined && items !== undefined)
          valid.body = new ItemStream(items, media.items, reportsOn(reply))
        if (undeclared !== undefined) valid.undeclared = reportsOn(reply).dropped(undeclared)
        return valid
      } catch (error) {
        if (!(error instanceof ContractViolation)) throw error
        closeBody(reply.body)
        throw reportsOn(reply, cause).violation(error.message)
      }
    }
    const bodies = Object.entries(object.requestBody?.content ?? {})
    const { tags, summary } = object
    return {
      id,
      method,
      path,
      basePaths,
      tags,
      summary: typeof summary === 'string' ? summary : undefined,
      bodyTypes: bodies.map(([type]) => type),
      bodyLimits: bodies.map(([, { schema }]) => maxBytesOf(schema, schemas)),
      requiresBody: object.requestBody?.required === true && bodies.length > 0,
      offeredTypes: offeredTypes(object),
      security: alternativesOf({ security }),
      validators,
      read: operation.validateRequest,
      call: async (input, { auth, request }, failureOf, log) => {
        // Before the handler is called: a stream in its reply must not wait, because nobody listens to its errors yet.
        if (!validators.replies.isDone) await validators.replies.run()
        let reply: AnyReply
        let cause: ErrorOptions | undefined
        try {
          reply = await operation.handler(input, { ...services, auth, request })
        } catch (error) {
          if (error instanceof FailedOperation) reply = error.reply
          else {
            const failure = failureOf(error, log)
            if (failure === undefined) throw error
            reply = failure
            cause = { cause: error }
          }
        }
        const { body } = reply
        const isRead = checksEncoded && body instanceof Encoded
        return validReply(isRead ? { ...reply, body: await decode(body) } : reply, cause)
      },
      failureProblem: (reply) => violationOf(() => replyValidator.validate(reply, 'failure').undeclared),
    }
  })
}

/** Names the operation in the error of a step. @throws UnservableContract, or Refusal on demand */
function* compiling(
  id: string,
  steps: CompileSteps,
  { remedy, compilesOnDemand = false }: EngineOptions,
): CompileSteps {
  try {
    yield* steps
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const text = `operation ${id}: a schema cannot be compiled (${reason})`
    if (compilesOnDemand) throw new Refusal('not_implemented', `${text}; split it into named schemas`)
    throw new UnservableContract(`${text}; ${remedy}`, { cause: error })
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
    ...leftOver.map((id) => `handler ${id}: no operation that is served has this name`),
    ...problems,
  ]
}
