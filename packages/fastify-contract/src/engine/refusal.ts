import { brand } from '../brand.ts'

/** The failures that a server sends by itself, and their statuses (RFC 9110, section 15; RFC 6585). */
export const failureStatuses = {
  malformed_body: 400,
  invalid_request: 400,
  malformed_http: 400,
  credentials_missing: 401,
  token_invalid: 401,
  insufficient_scope: 403,
  path_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
  /** What a hook of another plugin refuses, with any status from 400 to 499. */
  request_refused: 400,
} as const

export type FailureName = keyof typeof failureStatuses

type RefusalHeaders = Readonly<Record<string, string | number>>

/** Ends a request with a failure. Hooks, parsers and the engine throw it; the error handler sends it. */
export class Refusal extends Error {
  readonly failure: FailureName
  readonly headers: RefusalHeaders
  /** As in the errors of Fastify, for whatever else sees the error. */
  readonly statusCode: number
  /** Such as `FST_CONTRACT_INVALID_REQUEST`. */
  readonly code: `FST_CONTRACT_${Uppercase<FailureName>}`

  /** @param message for a person: the problem, its place and the remedy */
  constructor(
    failure: FailureName,
    message: string,
    headers: RefusalHeaders = {},
    statusCode: number = failureStatuses[failure],
  ) {
    super(message)
    this.failure = failure
    this.headers = headers
    this.statusCode = statusCode
    // The compiler does not know what toUpperCase makes of a name.
    this.code = `FST_CONTRACT_${failure.toUpperCase() as Uppercase<FailureName>}`
  }
}
brand(Refusal, 'Refusal')

/** A refusal of a request that may succeed a second later. @param reason what is not available */
export function unavailable(reason: string): Refusal {
  return new Refusal('unavailable', reason, { 'Retry-After': 1 })
}

/** The refusal of an unknown path. @param page the path of a docs page; undefined without one */
export function noSuchPath(page?: string): Refusal {
  return new Refusal('path_not_found', `the path does not exist${page === undefined ? '' : `; see ${page}`}`)
}
