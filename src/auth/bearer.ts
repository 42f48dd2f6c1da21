import { type Failure, type Unavailable, failure, unavailable } from '../contract/errors.ts'
import type { Caller } from '../contract/types.ts'
import type { FoundCaller, TokenStore } from '../store/store.ts'
import { isOpaqueCaller } from './callers.ts'
import type { JwtVerifier } from './jwt.ts'
import { hashToken, isOpaqueToken } from './tokens.ts'

/** The response to a request whose credentials are missing or invalid, or cannot be checked now. */
export type AuthenticationFailure =
  Failure<'credentials_missing' | 'token_invalid', { 'WWW-Authenticate': string }> | Unavailable

/** The caller of a request, or the response to it. */
export type AuthenticationResult = { caller: Caller } | AuthenticationFailure

/** Authenticates a request by its field `Authorization`. */
export type Verifier = (authorization: string | undefined) => Promise<AuthenticationResult>

export interface BearerOptions {
  /** The store of the opaque tokens. */
  tokens: Pick<TokenStore, 'findCaller'>
  /** Returns milliseconds since 1970-01-01T00:00:00Z. */
  now: () => number
  /** Receives the hash of each valid opaque token and the time of the request. */
  noteUse?: (hash: Uint8Array, now: number) => void
  /** Verifies every token that is not opaque; undefined without an identity provider. */
  verifyJwt?: JwtVerifier | undefined
}

/** `credentials` of RFC 9110, section 11.4: the scheme in any case, then spaces, then the token. */
const bearerCredentials = /^bearer(?: +(.*))?$/i

/** `b64token` of RFC 6750, section 2.1. */
const tokenSyntax = /^[A-Za-z0-9\-._~+/]+=*$/

const challenge = 'Bearer realm="plant-store"'

/** Creates the verifier of the contract's security scheme `bearer` (RFC 6750). */
export function createBearerVerifier({ tokens, now, noteUse, verifyJwt }: BearerOptions) {
  async function findOpaque(token: string): Promise<FoundCaller> {
    const hash = hashToken(token)
    const time = now()
    const found = await tokens.findCaller(hash, time)
    if (typeof found === 'string') return found
    if (!isOpaqueCaller(found.caller)) return 'unknown'
    noteUse?.(hash, time)
    return found
  }

  return async (authorization: string | undefined): Promise<AuthenticationResult> => {
    const token = bearerCredentials.exec(authorization ?? '')?.[1]
    if (token === undefined) {
      const message = 'send the header Authorization: Bearer TOKEN'
      return failure('credentials_missing', message, { 'WWW-Authenticate': challenge })
    }
    if (!tokenSyntax.test(token)) return invalid()
    const isOpaque = verifyJwt === undefined || isOpaqueToken(token)
    const found = await (isOpaque ? findOpaque(token) : verifyJwt(token))
    if (found === 'unavailable') {
      return unavailable('tokens cannot be checked now; try again in a second')
    }
    return found === 'unknown' ? invalid() : found
  }
}

function invalid(): AuthenticationFailure {
  const description = 'token is unknown, malformed, expired or revoked'
  return failure('token_invalid', `the ${description}`, {
    'WWW-Authenticate': `${challenge}, error="invalid_token", error_description="The ${description}"`,
  })
}
