// Generated from openapi.yaml sha256:407eab73badc9b8e186b3724834088f270eeea06924f4849d918dca1b1949740 by fastify-contract. Do not edit.

/** Every failure that the contract knows, by name. */
export const errors = {
  /** The body is empty, not UTF-8, not exactly one JSON document, or has an object with a duplicate property. */
  malformed_body: { error: 40000, status: 400 },
  /** A parameter or a value in the body breaks this contract; the message names the place and the rule. */
  invalid_request: { error: 40001, status: 400 },
  /** The bytes are not a valid HTTP/1.x request, or the percent-encoding of the path or query is invalid or not UTF-8. */
  malformed_http: { error: 40002, status: 400 },
  /** The Authorization header has no bearer credentials. */
  credentials_missing: { error: 40100, status: 401 },
  /** The token is unknown, malformed, expired or revoked. */
  token_invalid: { error: 40101, status: 401 },
  /** The path does not exist. */
  path_not_found: { error: 40400, status: 404 },
  /** The caller has no plant with this id. */
  plant_not_found: { error: 40401, status: 404 },
  /** The path does not support the method; Allow lists the methods that it supports. */
  method_not_allowed: { error: 40500, status: 405 },
  /** The request did not arrive in time. */
  request_timeout: { error: 40800, status: 408 },
  /** The caller already has a plant with this id; nothing changes. */
  plant_exists: { error: 40900, status: 409 },
  /** The body exceeds the server's limit (64 KiB unless configured otherwise). */
  body_too_large: { error: 41300, status: 413 },
  /** The body is not application/json in UTF-8. */
  unsupported_media_type: { error: 41500, status: 415 },
  /** Too many requests by the caller, or too many rejected tokens from the client's address; try again after Retry-After. */
  rate_limited: { error: 42900, status: 429 },
  /** The request line and headers exceed the server's limit. */
  headers_too_large: { error: 43100, status: 431 },
  /** The service failed; quote the X-Request-Id of the response when reporting it. */
  internal: { error: 50000, status: 500 },
  /** The store is not available, or the server is overloaded or stopping; try again after Retry-After. */
  unavailable: { error: 50300, status: 503 },
} as const

export type ErrorName = keyof typeof errors
