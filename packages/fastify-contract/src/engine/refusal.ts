/** The server's own failures and their statuses (RFC 9110, section 15; RFC 6585). */
export const refusalStatuses = {
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
  unavailable: 503,
} as const

export type RefusalName = keyof typeof refusalStatuses

/**
 * Builds the body of a server failure in the form of the contract. It is sent as `application/json`.
 *
 * @param message for a person: the problem, its place and the remedy
 */
export type FailureBody = (name: RefusalName, message: string) => object

/** Ends a request with a failure. Hooks, parsers and the engine throw it; the error handler sends it. */
export class Refusal extends Error {
  readonly failure: RefusalName
  readonly headers: Readonly<Record<string, string | number>>

  /** @param message for a person: the problem, its place and the remedy */
  constructor(failure: RefusalName, message: string, headers: Readonly<Record<string, string | number>> = {}) {
    super(message)
    this.failure = failure
    this.headers = headers
  }

  get status(): number {
    return refusalStatuses[this.failure]
  }
}

/** A refusal of a request that may succeed a second later. @param reason what is not available */
export function unavailable(reason: string): Refusal {
  return new Refusal('unavailable', reason, { 'Retry-After': 1 })
}
