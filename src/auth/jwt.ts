import { type JWTVerifyGetKey, createRemoteJWKSet, errors, jwtVerify } from 'jose'
import type { Caller } from '../contract/types.ts'
import { jwtCaller } from './callers.ts'

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

/** How long the provider may take to send its keys. */
const timeoutMilliseconds = 2_000

/** How long keys are kept. A token with a key that is not among them has them fetched again, at most each half a minute. */
const keysLiveMilliseconds = 600_000

/** The keys cannot be had now, which says nothing about the token. */
class KeysUnavailable extends Error {}

/**
 * Makes the verifier of JSON Web Tokens (RFC 7519) that an identity provider signed. A token needs `sub` and `exp`.
 *
 * @param now gives milliseconds since 1970-01-01T00:00:00Z
 * @param onFault told of each fault of the key server that made tokens impossible to check
 */
export function createJwtVerifier({ jwksUrl, issuer, audience }: IdentityProvider, now: () => number, onFault: (error: Error) => void): JwtVerifier {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: timeoutMilliseconds, cacheMaxAge: keysLiveMilliseconds })
  const findKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      // The keys are there, and the token's is not among them or not named.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      throw new KeysUnavailable(`the keys of ${new URL(jwksUrl).host} cannot be had now`, { cause: error })
    }
  }

  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        issuer,
        audience,
        algorithms: asymmetricAlgorithms,
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now()),
      })
      const caller = jwtCaller(issuer, payload.sub)
      return caller === undefined ? 'unknown' : { caller }
    } catch (error) {
      if (error instanceof KeysUnavailable) {
        onFault(error)
        return 'unavailable'
      }
      if (error instanceof errors.JOSEError) return 'unknown'
      throw error
    }
  }
}
