import type { FailureForm, FailureName } from 'fastify-contract'
import { named } from '../generated/contract.ts'
import type { components } from '../generated/openapi.ts'

/** The `error` number of each failure, of the server or of a handler. The contract names its numbers. */
export const errors = {
  // This contract asks for no scopes and has no operation without a handler.
  insufficient_scope: 40_300,
  not_implemented: 50_100,
  // No plugin of this service refuses requests; Fastify might, for their HTTP.
  request_refused: 40_002,
  ...named.Error.error,
} as const satisfies Record<FailureName, number>

export type ErrorName = keyof typeof errors

/** The status of a number, which its first three digits are. */
type StatusOf<Number extends number> = `${Number}` extends `${infer A}${infer B}${infer C}${number}`
  ? `${A}${B}${C}` extends `${infer Status extends number}`
    ? Status
    : never
  : never

type NoHeaders = Record<never, never>

/** Allows no value for a header that the contract does not declare. */
type Known<Headers> = Record<Exclude<keyof Headers, keyof components['headers']>, never>

/** A reply to a failed request, with its status as a literal type. */
export interface Failure<Name extends ErrorName, Headers> {
  status: StatusOf<(typeof errors)[Name]>
  headers: Headers
  body: { error: (typeof errors)[Name]; message: string }
}

/**
 * Creates the reply for an expected failure. Its type contains the status, so only operations that declare the status
 * can return it.
 *
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
  // The number begins with its status.
  const status = statusOf(errors[name]) as StatusOf<(typeof errors)[ErrorName]>
  return { status, headers, body: { error: errors[name], message } }
}

/** The status in the first three digits of a number. */
function statusOf(error: number): number {
  return Math.floor(error / 100)
}

/** The reply if the store is not available; the request may succeed in a second. */
export function storeUnavailable() {
  return failure('unavailable', 'the store is not available now; try again in a second', { 'Retry-After': 1 })
}

/** The contract's `Error`, for the failures that the library sends. */
export const failureForm: FailureForm = ({ name, message }) => ({ body: { error: errors[name], message } })
