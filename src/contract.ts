import type * as contract from 'fastify-contract'
import type { callers, components, operations } from '../generated/openapi.ts'

/** The operations of the contract, by their operationId. */
export type OperationId = keyof operations
export type Schemas = contract.Schemas<components>
export type Caller = contract.Caller
export type Input<Id extends OperationId> = contract.Input<operations[Id]>
export type Reply<Id extends OperationId> = contract.Reply<operations[Id]>
/** The context that the handler of an operation receives. */
export type ContextOf<Id extends OperationId, Context> = contract.ContextWith<callers[Id], Context>
export type Handlers<Context> = contract.Handlers<operations, callers, Context>
