import { type Failure, failure } from '../contract/errors.ts'
import type { Caller } from '../contract/types.ts'
import type { Awaitable, FoundCaller, TokenStore } from '../store/store.ts'
import { isOpaqueCaller } from './callers.ts'
import type { JwtVerifier } from './jwt.ts'
import { hashToken, isOpaqueToken } from './tokens.ts'

/** Why credentials were refused. */
export type Refusal = Failure<'credentials_missing' | 'token_invalid', { 'WWW-Authenticate': string }> | Failure<'unavailable', { 'Retry-After': number }>

/** For whom a request acts, or why it does not. */
export type Verdict = { caller: Caller } | Refusal

/** Judges the credentials of one request. */
export type Verifier = (authorization: string | undefined) => Awaitable<Verdict>

export interface BearerOptions {
  /** Where the opaque tokens are kept. */
  tokens: Pick<TokenStore, 'findCaller'>
  /** Gives milliseconds since 1970-01-01T00:00:00Z. */
  now: () => number
  /** Told of each opaque token that was good. */
  noteUse?: (hash: Uint8Array, now: number) => void
  /** Judges what is no opaque token; undefined where there is no identity provider. */
  verifyJwt?: JwtVerifier | undefined
}

/** `credentials` of RFC 9110, section 11.4: the scheme in any case, then spaces, then the token. */
const bearerCredentials = /^bearer(?: +(.*))?$/i

/** `b64token` of RFC 6750, section 2.1. */
const tokenSyntax = /^[A-Za-z0-9\-._~+/]+=*$/

const challenge = 'Bearer realm="plant-store"'

/** Makes the verifier of the contract's security scheme `bearer`. */
export function createBearerVerifier({ tokens, now, noteUse, verifyJwt }: BearerOptions): Verifier {
  function findOpaque(token: string): Awaitable<FoundCaller> {
    const hash = hashToken(token)
    const time = now()
    const accept = (found: FoundCaller): FoundCaller => {
      if (typeof found === 'string') return found
      if (!isOpaqueCaller(found.caller)) return 'unknown'
      noteUse?.(hash, time)
      return found
    }
    const found = tokens.findCaller(hash, time)
    return found instanceof Promise ? found.then(accept) : accept(found)
  }

  return (authorization) => {
    const token = bearerCredentials.exec(authorization ?? '')?.[1]
    if (token === undefined) return failure('credentials_missing', 'send the header Authorization: Bearer TOKEN', { 'WWW-Authenticate': challenge })
    if (!tokenSyntax.test(token)) return invalid()
    const found = verifyJwt === undefined || isOpaqueToken(token) ? findOpaque(token) : verifyJwt(token)
    return found instanceof Promise ? found.then(judge) : judge(found)
  }
}

function judge(found: FoundCaller): Verdict {
  if (found === 'unavailable') return failure('unavailable', 'tokens cannot be checked now; try again in a second', { 'Retry-After': 1 })
  return found === 'unknown' ? invalid() : found
}

function invalid(): Failure<'token_invalid', { 'WWW-Authenticate': string }> {
  return failure('token_invalid', 'the token is unknown, malformed, expired or revoked', {
    'WWW-Authenticate': `${challenge}, error="invalid_token", error_description="The token is unknown, malformed, expired or revoked"`,
  })
}
