import type { FastifyRequest } from 'fastify'
import type { AuthenticationFailure, AuthenticationResult, Verifier } from '../auth/bearer.ts'
import type { BoundOperation } from '../contract/engine.ts'
import { type Failure, failure, isFailure } from '../contract/errors.ts'
import type { Caller } from '../contract/types.ts'
import { fieldValues } from './raw-headers.ts'
import type { Stage } from './stage.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set when the credentials are valid. */
    caller: Caller
  }
}

/**
 * Makes the stage that authenticates the requests of an operation. It alone decides who the caller is.
 *
 * One satisfied alternative of the contract's security requirements is enough. The schemes of an alternative must name
 * the same caller.
 *
 * @param verifiers by the names of the security schemes
 * @param onRefused receives a request whose token was refused; returns the failure to answer in its place, if there is
 *   one
 */
export function authenticate(
  { security }: Pick<BoundOperation, 'security'>,
  verifiers: Record<string, Verifier>,
  onRefused: (request: FastifyRequest) => Failure | undefined,
): Stage {
  const schemes = [...new Set(security.flat())]

  function decide(request: FastifyRequest, results: AuthenticationResult[]): Failure | undefined {
    const callerBy = (scheme: string): Caller | undefined => {
      const result = results[schemes.indexOf(scheme)]
      return result !== undefined && 'caller' in result ? result.caller : undefined
    }
    for (const [first = '', ...others] of security) {
      const caller = callerBy(first)
      if (caller === undefined || others.some((scheme) => callerBy(scheme) !== caller)) continue
      request.caller = caller
      return undefined
    }
    const refusal = results.find((result): result is AuthenticationFailure => !('caller' in result)) ?? differentCallers
    return (isFailure(refusal, 'token_invalid') ? onRefused(request) : undefined) ?? refusal
  }

  return async (request) => {
    // Node takes the first of two fields. Combined (RFC 9110, section 5.2) they are not valid credentials.
    const authorization =
      request.headers.authorization && fieldValues(request.raw.rawHeaders, 'authorization').join(', ')
    // createEngine has refused a contract with a scheme that has no verifier.
    return decide(request, await Promise.all(schemes.map((scheme) => verifiers[scheme]!(authorization))))
  }
}

const differentCallers: Failure = failure('token_invalid', 'the credentials belong to different callers', {
  'WWW-Authenticate': 'Bearer realm="plant-store", error="invalid_token"',
})
