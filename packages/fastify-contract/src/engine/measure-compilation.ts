import type { ContractDocument, ContractOperation } from '../document/document.ts'
import type { CompileSteps } from './compile-queue.ts'
import { bindOperations } from './openapi-backend.ts'
import { createReplyValidators } from './reply-validation.ts'

/** How an operation's validators of requests, or of replies, were compiled. */
export interface Compilation {
  operation: ContractOperation
  part: 'requests' | 'replies'
  /** The longest step, in milliseconds of CPU time. A step blocks every client. */
  longest: number
  /** Why a schema cannot be compiled; undefined if all can. */
  error: unknown
}

/** Compiles the validators of the operations of a contract as the server does. */
export function measureCompilation(document: ContractDocument, operations: ContractOperation[]): Compilation[] {
  const handlers = Object.fromEntries(operations.map(({ id }) => [id, () => ({ status: 500 })]))
  const bound = bindOperations(document, operations, handlers)
  const validatorOf = createReplyValidators(document)
  return operations.flatMap((operation, index) => [
    // There is one for each operation.
    { operation, part: 'requests' as const, ...measure(bound[index]!.compile()) },
    { operation, part: 'replies' as const, ...measure(validatorOf(operation.object).compile()) },
  ])
}

function measure(steps: CompileSteps): Pick<Compilation, 'longest' | 'error'> {
  let longest = 0
  try {
    for (let isDone = false; !isDone;) {
      const start = process.cpuUsage()
      isDone = steps.next().done === true
      const { user, system } = process.cpuUsage(start)
      longest = Math.max(longest, (user + system) / 1_000)
    }
    return { longest, error: undefined }
  } catch (error) {
    return { longest, error }
  }
}
