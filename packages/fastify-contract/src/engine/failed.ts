import { brand } from '../brand.ts'
import type { AnyReply } from './reply-validation.ts'

/** What `failed` makes. */
export class FailedOperation extends Error {
  readonly reply: AnyReply

  constructor(reply: AnyReply) {
    super(`the operation failed with the status ${String(reply.status)}`)
    this.reply = reply
  }
}
brand(FailedOperation, 'FailedOperation')

/** The failures among the replies of an operation: those with a status from 400. */
type Failures<Reply> = Reply extends { status: infer Status }
  ? FailureStatus<Status> extends never
    ? never
    : Omit<Reply, 'status'> & { status: FailureStatus<Status> }
  : never

type FailureStatus<Status> = Status extends number
  ? `${Status}` extends `4${string}` | `5${string}`
    ? Status
    : never
  : never

/**
 * Makes an error of a declared failure. Where a handler throws it, its reply is validated and sent like one that the
 * handler returns. Thrown elsewhere, it is a fault of the service.
 *
 * @typeParam Reply the replies of the operation, which the compiler cannot infer
 * @example
 * throw failed<Reply<'getPet'>>({ status: 404, body: { message: `there is no pet ${name}` } })
 */
export function failed<Reply extends AnyReply = never>(
  reply: NoInfer<Failures<Reply>>,
): Error & { readonly reply: Failures<Reply> } {
  // The reply of the error is this one.
  return new FailedOperation(reply) as Error & { readonly reply: Failures<Reply> }
}
