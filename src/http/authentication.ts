import type { FastifyRequest } from 'fastify'
import type { AuthenticationFailure, AuthenticationResult, Verifier } from '../auth/bearer.ts'
import type { BoundOperation } from '../contract/engine.ts'
import { type Failure, isFailure } from '../contract/errors.ts'
import type { Caller } from '../contract/types.ts'
import { fieldValues } from './raw-headers.ts'
import type { Stage } from './stage.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom the request acts; set when its credentials are good. */
    caller: Caller
  }
}

/**
 * Makes the stage that authenticates the requests of an operation. It alone decides who the caller is.
 *
 * One satisfied alternative of the contract's security requirements is enough. The schemes of an alternative must name the
 * same caller.
 *
 * @param verifiers of each security scheme
 * @param onRefused receives a request whose token was refused; returns the failure to answer in its place, if there is one
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
    const refusal = results.find((result): result is AuthenticationFailure => !('caller' in result))
    if (refusal === undefined) throw new Error('the security schemes of one alternative name different callers')
    return (isFailure(refusal, 'token_invalid') ? onRefused(request) : undefined) ?? refusal
  }

  return (request) => {
    // Of two fields Node takes the first; combined, as RFC 9110, section 5.2 says, they are no credentials.
    const authorization =
      request.headers.authorization && fieldValues(request.raw.rawHeaders, 'authorization').join(', ')
    // createEngine has refused a contract with a scheme that has no verifier.
    const results = schemes.map((scheme) => verifiers[scheme]!(authorization))
    const settled = results.filter((result): result is AuthenticationResult => !(result instanceof Promise))
    if (settled.length === results.length) return decide(request, settled)
    return Promise.all(results.map((result) => Promise.resolve(result))).then((all) => decide(request, all))
  }
}
