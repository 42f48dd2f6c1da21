import { errors as contractErrors } from '../../../../generated/errors.ts'
import { insufficientScope } from '../document/security.ts'
import type { HeaderName } from '../types/handler-types.ts'

const errors = { ...contractErrors, insufficient_scope: insufficientScope } as const

/** The failures that the contract names, and those of the service that it names where they can happen. */
export type ErrorName = keyof typeof errors

type StatusOf<Name extends ErrorName> = (typeof errors)[Name]['status']
type NumberOf<Name extends ErrorName> = (typeof errors)[Name]['error']

/** A reply that says that a request failed, with its status as a literal type. */
export interface Failure<Name extends ErrorName = ErrorName, Headers = Record<string, string | number>> {
  status: StatusOf<Name>
  headers: Headers
  body: { error: NumberOf<Name>; message: string }
}

/** Leaves no value for a header that the contract does not name. */
type Known<Headers> = Record<Exclude<keyof Headers, HeaderName>, never>

/**
 * Makes the reply for an expected failure. The type of the reply names the one status that it has, so an operation
 * that does not declare this status cannot return it.
 *
 * @param name which error number
 * @param message what happened, for a person: the place and the remedy
 * @param headers the headers that the contract declares for this status
 */
export function failure<Name extends ErrorName>(name: Name, message: string): Failure<Name, Record<never, never>>
export function failure<Name extends ErrorName, Headers extends Record<string, string | number>>(
  name: Name,
  message: string,
  headers: Headers & Known<Headers>,
): Failure<Name, Headers>
export function failure(name: ErrorName, message: string, headers: Record<string, string | number> = {}): Failure {
  const { error, status } = errors[name]
  return { status, headers, body: { error, message } }
}

/** The failure of a request that could succeed in a moment. Its `Retry-After` is one second. */
export type Unavailable = Failure<'unavailable', { 'Retry-After': number }>

/** Makes that failure. @param reason what is not available, and the remedy if there is one */
export function unavailable(reason: string): Unavailable {
  return failure('unavailable', reason, { 'Retry-After': 1 })
}
