import type { ContractOperation } from 'fastify-contract/document'

/** The names of the library's failures, with their usual statuses. */
export const refusals = {
  path_not_found: 404,
  method_not_allowed: 405,
  malformed_http: 400,
  credentials_missing: 401,
  token_invalid: 401,
  unsupported_media_type: 415,
  body_too_large: 413,
  malformed_body: 400,
  invalid_request: 400,
} as const
export type RefusalName = keyof typeof refusals

/** The statuses of a refusal: 422 (RFC 9110, section 15.5.21) in place of 400 where the operation declares it alone. */
export function statusesOfRefusal({ object }: ContractOperation, name: RefusalName): number[] {
  const status = refusals[name]
  if (status !== 400 || !('422' in object.responses)) return [status]
  return '400' in object.responses ? [400, 422] : [422]
}

/** Faults of an earlier stage are told before those of a later one. */
export type Stage = 'target' | 'credentials' | 'content' | 'JSON' | 'contract'
