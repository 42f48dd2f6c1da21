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
  noteUse?: (hash: Buffer, now: number) => void
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
  { tokens, now, noteUse, verifyJwt, onRejected }: VerifierOptions,
): AuthByKind<Types, FoundCaller> {
  type Verifier<Credentials> = (credentials: Credentials, request: FastifyRequest) => Promise<FoundCaller | undefined>

  /** Finds nobody. */
  function refuse(reason: 'unknown' | 'unavailable', request: FastifyRequest): FoundCaller | undefined {
    if (reason === 'unavailable') throw unavailable('tokens cannot be checked now; try again in a second')
    onRejected?.(request)
    return undefined
  }

  const opaque: Verifier<string> = async (token, request) => {
    const hash = hashToken(token)
    const time = now()
    const found = await tokens.findCaller(hash, time)
    if (typeof found === 'string') return refuse(found, request)
    if (!isOpaqueCaller(found.caller)) return refuse('unknown', request)
    noteUse?.(hash, time)
    return foundCaller(found)
  }

  /** Looks up the password as a token. The user is empty or the caller. */
  const basic: Verifier<BasicCredentials> = async ({ user, password }, request) => {
    const found = await opaque(password, request)
    return found === undefined || user === '' || user === found.caller ? found : refuse('unknown', request)
  }

  const jwt: Verifier<string> | undefined =
    verifyJwt &&
    (async (token, request) => {
      const found = await verifyJwt(token)
      return typeof found === 'string' ? refuse(found, request) : foundCaller(found)
    })

  return authByKind(contract, {
    bearer: jwt === undefined ? opaque : (token, request) => (isOpaqueToken(token) ? opaque : jwt)(token, request),
    basic,
    apiKey: opaque,
    jwt: jwt ?? noProvider,
    http: 'is not supported; use http bearer or http basic',
  })
}

function foundCaller({ caller, scope }: Exclude<CallerOfToken, string>): FoundCaller {
  return { caller, scopes: scope?.split(' ') ?? 'all' }
}
