import type { SecurityScheme, Verifier } from 'fastify-contract'
import type { CallerOfToken, TokenStore } from '../store/store.ts'
import { hashToken, isOpaqueCaller, isOpaqueToken } from './tokens.ts'

/** Finds the caller of a token: `unknown` if it is not valid, `unavailable` if it cannot be checked now. */
export type TokenFinder = (token: string) => Promise<CallerOfToken>

export interface VerifierOptions {
  /** The store of the opaque tokens. */
  tokens: Pick<TokenStore, 'findCaller'>
  /** Returns milliseconds since 1970-01-01T00:00:00Z. */
  now: () => number
  /** Receives the hash of each valid opaque token and the time of the request. */
  noteUse?: (hash: Uint8Array, now: number) => void
  /** Verifies JSON Web Tokens; undefined without an identity provider. */
  verifyJwt?: TokenFinder | undefined
}

/** `credentials` of RFC 9110, section 11.4: the scheme in any case, then spaces, then the rest. */
const bearerCredentials = /^bearer(?: +(.*))?$/is
const basicCredentials = /^basic(?: +(.*))?$/is

/** `token68` of RFC 9110, section 11.2, which RFC 6750 calls `b64token`. */
const token68 = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Creates the verifier for each kind of security scheme; `jwt` has none without an identity provider. Passwords and API
 * keys are opaque tokens, so they expire, can be revoked and have scopes.
 */
export function createVerifiers(options: VerifierOptions): Record<SecurityScheme['kind'], Verifier | undefined> {
  const findOpaque = createOpaqueFinder(options)
  const { verifyJwt } = options
  const findAny: TokenFinder =
    verifyJwt === undefined ? findOpaque : (token) => (isOpaqueToken(token) ? findOpaque(token) : verifyJwt(token))
  return {
    bearer: createVerifier(bearerCredentials, findAny),
    basic: createVerifier(basicCredentials, (encoded) => findByPassword(encoded, findOpaque)),
    apiKey: findOpaque,
    jwt: verifyJwt && createVerifier(bearerCredentials, verifyJwt),
  }
}

function createVerifier(form: RegExp, find: TokenFinder): Verifier {
  return (credentials) => {
    const token = form.exec(credentials)?.[1]
    if (token === undefined) return Promise.resolve('missing')
    return token68.test(token) ? find(token) : Promise.resolve('unknown')
  }
}

function createOpaqueFinder({ tokens, now, noteUse }: VerifierOptions): TokenFinder {
  return async (token) => {
    const hash = hashToken(token)
    const time = now()
    const found = await tokens.findCaller(hash, time)
    if (typeof found === 'string') return found
    if (!isOpaqueCaller(found.caller)) return 'unknown'
    noteUse?.(hash, time)
    return found
  }
}

/** Looks up the password as a token. The user-id before the colon is empty or the caller (RFC 7617, section 2). */
async function findByPassword(encoded: string, find: TokenFinder): Promise<CallerOfToken> {
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (password === undefined) return 'unknown'
  const found = await find(password)
  return typeof found === 'string' || user === '' || user === found.caller ? found : 'unknown'
}
