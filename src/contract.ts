import type * as contract from 'fastify-contract'
import { type ErrorName, errors } from '../generated/errors.ts'
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

type NoHeaders = Record<never, never>

/** Allows no value for a header that the contract does not declare. */
type Known<Headers> = Record<Exclude<keyof Headers, keyof components['headers']>, never>

/** A reply to a failed request, with its status as a literal type. */
export interface Failure<Name extends ErrorName, Headers> {
  status: (typeof errors)[Name]['status']
  headers: Headers
  body: { error: (typeof errors)[Name]['error']; message: string }
}

/**
 * Creates the reply for an expected failure. Its type contains the status, so only operations that declare the status
 * can return it.
 *
 * @param name the failure's name in the contract
 * @param message the problem and the remedy, for people
 * @param headers the headers that the contract declares for this status
 */
export function failure<Name extends ErrorName>(name: Name, message: string): Failure<Name, NoHeaders>
export function failure<Name extends ErrorName, Headers extends Record<string, string | number>>(
  name: Name,
  message: string,
  headers: Headers & Known<Headers>,
): Failure<Name, Headers>
export function failure(name: ErrorName, message: string, headers = {}): Failure<ErrorName, NoHeaders> {
  const { error, status } = errors[name]
  return { status, headers, body: { error, message } }
}

/** The reply if the store is not available; the request may succeed in a second. */
export function storeUnavailable() {
  return failure('unavailable', 'the store is not available now; try again in a second', { 'Retry-After': 1 })
}

/** Creates the body of a failure that the library reports. A contract without scopes does not declare 40300. */
export function failureBody(name: ErrorName | 'insufficient_scope', message: string): object {
  return { error: name === 'insufficient_scope' ? 40_300 : errors[name].error, message }
}
