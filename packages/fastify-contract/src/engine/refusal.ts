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
} as const

export type FailureName = keyof typeof failureStatuses

/** Ends a request with a failure. Hooks, parsers and the engine throw it; the error handler sends it. */
export class Refusal extends Error {
  readonly failure: FailureName
  readonly headers: Readonly<Record<string, string | number>>

  /** @param message for a person: the problem, its place and the remedy */
  constructor(failure: FailureName, message: string, headers: Readonly<Record<string, string | number>> = {}) {
    super(message)
    this.failure = failure
    this.headers = headers
  }
}

/** A refusal of a request that may succeed a second later. @param reason what is not available */
export function unavailable(reason: string): Refusal {
  return new Refusal('unavailable', reason, { 'Retry-After': 1 })
}

/** A handler that is still to be written. It answers 501 in the form of the contract. */
export function notImplemented(): never {
  throw new Refusal('not_implemented', 'the operation is not implemented')
}
