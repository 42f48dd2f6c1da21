import type { FastifyRequest } from 'fastify'
import { type AuthByKind, type BasicCredentials, type Contract, type ContractTypes } from 'fastify-contract'
import { authByKind, unavailable } from 'fastify-contract'
import type { Caller, CallerOfToken, TokenStore } from '../store/store.ts'
import { hashToken, isOpaqueCaller, isOpaqueToken } from './tokens.ts'

/** Finds the caller of a token: `unknown` if it is not valid, `unavailable` if it cannot be checked now. */
export type TokenFinder = (token: string) => Promise<CallerOfToken>

/** The caller of valid credentials. */
export interface FoundCaller {
  caller: Caller
  scopes: readonly string[] | 'all'
}

export interface VerifierOptions {
  /** The store of the opaque tokens. */
  tokens: Pick<TokenStore, 'findCaller'>
  /** Returns milliseconds since 1970-01-01T00:00:00Z. */
  now: () => number
  /** Receives the hash of each valid opaque token and the time of the request. */
  noteUse?: (hash: Uint8Array, now: number) => void
  /** Verifies JSON Web Tokens; undefined without an identity provider. */
  verifyJwt?: TokenFinder | undefined
  /** Receives each request with a rejected token. */
  onRejected?: ((request: FastifyRequest) => void) | undefined
}

const noProvider = 'needs an identity provider; set AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE'

/**
 * Creates a verifier for each security scheme of the contract, by its kind. Passwords and API keys are opaque tokens, so
 * they expire, can be revoked and have scopes.
 *
 * @throws UnservableContract if the contract asks for a kind of credentials that is not configured
 */
export function createVerifiers<const Types extends ContractTypes>(
  contract: Contract<Types>,
  { verifyJwt, onRejected, ...options }: VerifierOptions,
): AuthByKind<Types, FoundCaller> {
  const findOpaque = createOpaqueFinder(options)
  const findAny: TokenFinder =
    verifyJwt === undefined ? findOpaque : (token) => (isOpaqueToken(token) ? findOpaque(token) : verifyJwt(token))
  const verifierOf =
    <Credentials>(find: (credentials: Credentials) => Promise<CallerOfToken>) =>
    async (credentials: Credentials, request: FastifyRequest): Promise<FoundCaller | undefined> => {
      const found = await find(credentials)
      if (found === 'unavailable') throw unavailable('tokens cannot be checked now; try again in a second')
      if (found !== 'unknown') return { caller: found.caller, scopes: found.scope?.split(' ') ?? 'all' }
      onRejected?.(request)
      return undefined
    }
  return authByKind(contract, {
    bearer: verifierOf(findAny),
    basic: verifierOf((credentials: BasicCredentials) => findByPassword(credentials, findOpaque)),
    apiKey: verifierOf(findOpaque),
    jwt: verifyJwt === undefined ? noProvider : verifierOf(verifyJwt),
    http: 'is not supported; use http bearer or http basic',
  })
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

/** Looks up the password as a token. The user is empty or the caller. */
async function findByPassword({ user, password }: BasicCredentials, find: TokenFinder): Promise<CallerOfToken> {
  const found = await find(password)
  return typeof found === 'string' || user === '' || user === found.caller ? found : 'unknown'
}
