import { type JWTPayload, errors, jwtVerify } from 'jose'
import { jwtCaller } from './callers.ts'
import { createKeySet } from './key-set.ts'
import { scopeOfClaims } from './scopes.ts'
import type { TokenFinder } from './verifiers.ts'

/** The identity provider whose tokens are accepted. */
export interface IdentityProvider {
  /** The URL of its JSON Web Key Set (RFC 7517). */
  jwksUrl: string
  /** The required value of the claim `iss`. */
  issuer: string
  /** The value that the claim `aud` must be or contain. */
  audience: string
}

/**
 * The accepted algorithms (RFC 8725, section 3.1). With a symmetric one, everyone who can check a token could make one;
 * with `none`, anyone could.
 */
const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** How much the clocks of the provider and this machine may differ (RFC 7519, section 4.1.4). */
const clockSkewSeconds = 30

/** The shortest time between two reports of faults. Each report says how many tokens were affected. */
const reportMilliseconds = 10_000

/**
 * Creates a verifier of the JSON Web Tokens (RFC 7519) that an identity provider signed. A token needs `sub` and `exp`.
 *
 * @param now returns milliseconds since 1970-01-01T00:00:00Z
 * @param onFault receives the first fault of the key server that made it impossible to check a token, and then at most
 *   one every ten seconds
 */
export function createJwtVerifier(
  { jwksUrl, issuer, audience }: IdentityProvider,
  now: () => number,
  onFault: (error: Error) => void,
): TokenFinder {
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
      // The key is not available, or jose rejects it because it is weak.
      report(error)
      return 'unavailable'
    }
  }

  return async (token) => {
    const payload = await verify(token)
    if (typeof payload === 'string') return payload
    const caller = jwtCaller(issuer, payload.sub)
    const claimed = scopeOfClaims(payload)
    return caller === undefined || claimed === undefined ? 'unknown' : { caller, ...claimed }
  }
}

function createReporter(host: string, onFault: (error: Error) => void): (cause: unknown) => void {
  let unchecked = 0
  let reportedAt = -Infinity
  return (cause) => {
    unchecked++
    if (performance.now() - reportedAt < reportMilliseconds) return
    const count = String(unchecked)
    const message = `the keys of ${host} are not available; JSON Web Tokens that could not be checked: ${count}`
    onFault(new Error(message, { cause }))
    unchecked = 0
    reportedAt = performance.now()
  }
}
