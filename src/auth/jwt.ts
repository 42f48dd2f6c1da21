import { isScope } from 'fastify-contract/security'
import { errors, jwtVerify } from 'jose'
import type { Caller } from '../store/store.ts'
import { isCompactJws } from './compact-jws.ts'
import { asymmetricAlgorithms, createKeySet } from './key-set.ts'
import { jwtCallerPrefix } from './tokens.ts'
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

/** The allowed difference between the clocks of the provider and this machine (RFC 7519, section 4.1.4). */
const clockSkewSeconds = 30

/**
 * Creates a verifier for an identity provider's JSON Web Tokens (RFC 7519). Requires `sub` and `exp`.
 *
 * @param now returns milliseconds since 1970-01-01T00:00:00Z
 * @param onFault receives each fault of the key server that left a token unchecked
 */
export function createJwtVerifier(
  { jwksUrl, issuer, audience }: IdentityProvider,
  now: () => number,
  onFault: (error: Error) => void,
): TokenFinder {
  const url = new URL(jwksUrl)
  const findKey = createKeySet(url)

  return async (token) => {
    if (!isCompactJws(token)) return 'unknown'
    try {
      const { payload, protectedHeader } = await jwtVerify(token, findKey, {
        issuer,
        audience,
        algorithms: asymmetricAlgorithms,
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now()),
      })
      // RFC 7797 forbids such tokens. jose refuses them only if `crit` names `b64`.
      if (protectedHeader.b64 === false) return 'unknown'
      const caller = jwtCaller(issuer, payload.sub)
      const claimed = scopeOfClaims(payload)
      return caller === undefined || claimed === undefined ? 'unknown' : { caller, ...claimed }
    } catch (error) {
      if (error instanceof errors.JOSEError) return 'unknown'
      // The key is not available, or jose rejects it because it is weak.
      onFault(new Error(`the keys of ${url.host} are not available`, { cause: error }))
      return 'unavailable'
    }
  }
}

/** The longest `sub` that OpenID Connect Core, section 2, allows; here in UTF-16 code units. */
const maxSubjectLength = 255

/**
 * The caller for a subject of an issuer: `jwt:ISSUER SUB`. Unique, because an issuer contains no space, and the caller
 * of an opaque token never begins with `jwt:`.
 *
 * @param subject the claim `sub`
 * @returns undefined if a store could not keep the subject exactly: not a string, empty, too long, or with U+0000 or a
 *   lone surrogate
 */
function jwtCaller(issuer: string, subject: unknown): Caller | undefined {
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectLength) return undefined
  return subject.isWellFormed() && !subject.includes('\0') ? `${jwtCallerPrefix}${issuer} ${subject}` : undefined
}

/**
 * Reads the scopes of a JSON Web Token from the claim `scope` (RFC 8693, section 4.2), or else from `scp`, which some
 * providers use. Either is a string with spaces, or a list.
 *
 * @returns undefined if the claim has another form; `{ scope: undefined }` without a claim
 */
function scopeOfClaims(claims: Record<string, unknown>): { scope: string | undefined } | undefined {
  const claim = claims['scope'] === undefined ? claims['scp'] : claims['scope']
  if (claim === undefined || typeof claim === 'string') return { scope: claim }
  const isList = Array.isArray(claim) && claim.every((each) => typeof each === 'string' && isScope(each))
  return isList ? { scope: claim.join(' ') } : undefined
}
