import { type Failure, failure } from '../contract/errors.ts'
import type { Caller } from '../contract/types.ts'
import type { Awaitable, TokenStore } from '../store/store.ts'
import { hashToken } from './tokens.ts'

/** Why credentials were refused. */
export type Refusal = Failure<'credentials_missing' | 'token_invalid', { 'WWW-Authenticate': string }> | Failure<'unavailable', { 'Retry-After': number }>

/** For whom a request acts, or why it does not. */
export type Verdict = { caller: Caller } | Refusal

/** Judges the credentials of one request. */
export type Verifier = (authorization: string | undefined) => Awaitable<Verdict>

/** `credentials` of RFC 9110, section 11.4: the scheme in any case, then spaces, then the token. */
const bearerCredentials = /^bearer(?: +(.*))?$/i

/** `b64token` of RFC 6750, section 2.1. */
const tokenSyntax = /^[A-Za-z0-9\-._~+/]+=*$/

const challenge = 'Bearer realm="plant-store"'

/**
 * Makes the verifier of the contract's security scheme `bearer`.
 *
 * @param tokens where the tokens are kept
 * @param now gives milliseconds since 1970-01-01T00:00:00Z
 */
export function createBearerVerifier(tokens: Pick<TokenStore, 'findCaller'>, now: () => number): Verifier {
  function judge(found: { caller: Caller } | 'unknown' | 'unavailable'): { caller: Caller } | Refusal {
    if (found === 'unavailable') return failure('unavailable', 'tokens cannot be checked now; try again in a second', { 'Retry-After': 1 })
    return found === 'unknown' ? invalid() : found
  }

  return (authorization) => {
    const token = bearerCredentials.exec(authorization ?? '')?.[1]
    if (token === undefined) return failure('credentials_missing', 'send the header Authorization: Bearer TOKEN', { 'WWW-Authenticate': challenge })
    if (!tokenSyntax.test(token)) return invalid()
    const found = tokens.findCaller(hashToken(token), now())
    return found instanceof Promise ? found.then(judge) : judge(found)
  }
}

function invalid(): Failure<'token_invalid', { 'WWW-Authenticate': string }> {
  return failure('token_invalid', 'the token is unknown, malformed, expired or revoked', {
    'WWW-Authenticate': `${challenge}, error="invalid_token", error_description="The token is unknown, malformed, expired or revoked"`,
  })
}
