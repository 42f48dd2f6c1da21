import type { FailureForm, FailureName } from 'fastify-contract'
import type { components } from '../generated/openapi.ts'

type ContractNumber = components['schemas']['Error']['error']

/** This contract asks for no scopes and has no operation without a handler. */
type OtherNumber = 40_300 | 50_100

/** The `error` number of each failure: those of the server, and those of the handlers. */
export const errors = {
  malformed_body: 40_000,
  invalid_request: 40_001,
  malformed_http: 40_002,
  credentials_missing: 40_100,
  token_invalid: 40_101,
  insufficient_scope: 40_300,
  path_not_found: 40_400,
  plant_not_found: 40_401,
  method_not_allowed: 40_500,
  request_timeout: 40_800,
  plant_exists: 40_900,
  body_too_large: 41_300,
  unsupported_media_type: 41_500,
  rate_limited: 42_900,
  headers_too_large: 43_100,
  internal: 50_000,
  not_implemented: 50_100,
  unavailable: 50_300,
} as const satisfies Record<FailureName, ContractNumber | OtherNumber> & Record<string, ContractNumber | OtherNumber>

export type ErrorName = keyof typeof errors

/** Compiles only if each number of the contract has a name. */
export type Named<Number extends (typeof errors)[ErrorName] = ContractNumber> = Number

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
