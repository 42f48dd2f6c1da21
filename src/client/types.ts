import type { operations } from '../../generated/openapi.ts'
import type { BodyIn, ParametersIn } from './request-types.ts'

type Json = 'application/json'

type OperationId = keyof operations

/** A part of a request: left out where the operation has none, optional where everything in it is. */
type Part<Name extends string, Parameters> = keyof Parameters extends never
  ? Record<never, never>
  : Record<never, never> extends Parameters
    ? { [In in Name]?: Parameters }
    : { [In in Name]: Parameters }

type BodyPart<Body> = [Body] extends [undefined]
  ? Record<never, never>
  : undefined extends Body
    ? { body?: Exclude<Body, undefined> }
    : { body: Body }

/** What a client sends to an operation: the parts of the request that the contract describes. */
export type ClientRequest<Id extends OperationId> = Part<'path', ParametersIn<operations[Id], 'path'>> &
  Part<'query', ParametersIn<operations[Id], 'query'>> &
  Part<'header', ParametersIn<operations[Id], 'header'>> &
  BodyPart<BodyIn<operations[Id]>>

type BodyOut<Response> = Response extends { content: Record<Json, infer Body> } ? Body : undefined

/** What a client receives: one of the statuses that the contract declares, with its body. Failures are values too. */
export type ClientReply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: {
    status: Status
    body: BodyOut<operations[Id]['responses'][Status]>
    headers: Headers
  }
}[keyof operations[Id]['responses']]

export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason. */
  signal?: AbortSignal
}

/** A function for each operation, by operationId. A request in which nothing is required may be left out. */
export type Client = {
  [Id in OperationId]: (
    ...call: Record<never, never> extends ClientRequest<Id>
      ? [request?: ClientRequest<Id>, options?: CallOptions]
      : [request: ClientRequest<Id>, options?: CallOptions]
  ) => Promise<ClientReply<Id>>
}
