import { type JWTPayload, errors, jwtVerify } from 'jose'
import type { Caller } from '../contract/types.ts'
import { jwtCaller } from './callers.ts'
import { createKeySet } from './key-set.ts'

/** The identity provider whose tokens are taken. */
export interface IdentityProvider {
  /** Where it publishes its keys, as a JSON Web Key Set (RFC 7517). */
  jwksUrl: string
  /** What the claim `iss` must be. */
  issuer: string
  /** What the claim `aud` must be or contain. */
  audience: string
}

/** Judges one JSON Web Token. */
export type JwtVerifier = (token: string) => Promise<{ caller: Caller } | 'unknown' | 'unavailable'>

/** With a symmetric algorithm whoever can check a token can make one, and with `none` anybody (RFC 8725, section 3.1). */
const asymmetricAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** By how much the clocks of the provider and of this machine may differ (RFC 7519, section 4.1.4). */
const clockSkewSeconds = 30

/** How often faults of the key server are reported at most, each time with their number. */
const reportMilliseconds = 10_000

/**
 * Makes the verifier of JSON Web Tokens (RFC 7519) that an identity provider signed. A token needs `sub` and `exp`.
 *
 * @param now gives milliseconds since 1970-01-01T00:00:00Z
 * @param onFault told of faults of the key server that made tokens impossible to check: of the first one, and of those that
 *   follow each ten seconds
 */
export function createJwtVerifier({ jwksUrl, issuer, audience }: IdentityProvider, now: () => number, onFault: (error: Error) => void): JwtVerifier {
  const url = new URL(jwksUrl)
  const findKey = createKeySet(url)
  const report = createReporter(url.host, onFault)

  async function verify(token: string): Promise<JWTPayload | 'unknown' | 'unavailable'> {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        issuer,
        audience,
        algorithms: asymmetricAlgorithms,
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now()),
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return 'unknown'
      // The key cannot be had, or jose refuses it because it is weak.
      report(error)
      return 'unavailable'
    }
  }

  return async (token) => {
    const payload = await verify(token)
    if (typeof payload === 'string') return payload
    const caller = jwtCaller(issuer, payload.sub)
    return caller === undefined ? 'unknown' : { caller }
  }
}

function createReporter(host: string, onFault: (error: Error) => void): (cause: unknown) => void {
  let unchecked = 0
  let reportedAt = -Infinity
  return (cause) => {
    unchecked++
    if (performance.now() - reportedAt < reportMilliseconds) return
    onFault(new Error(`the keys of ${host} cannot be had or used now; JSON Web Tokens that could not be checked: ${String(unchecked)}`, { cause }))
    unchecked = 0
    reportedAt = performance.now()
  }
}
