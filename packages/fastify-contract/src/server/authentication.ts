import type { FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import type { SecurityScheme } from '../document/security.ts'
import type { BoundOperation } from '../engine/engine.ts'
import type { Caller } from '../types/handler-types.ts'
import { invalidCredentials, lackingScopes, missingCredentials } from './challenges.ts'
import { type Refusal, unavailable } from '../engine/refusal.ts'

/** The caller that credentials belong to. */
export interface FoundCaller {
  caller: Caller
  /** The scopes of the credentials, separated by spaces; undefined if they have all rights. */
  scope: string | undefined
}

/**
 * Verifies credentials as a request carries them: the field Authorization, or an API key. `missing` if they belong to
 * another authentication scheme, `unknown` if they are not valid, `unavailable` if they cannot be checked now.
 */
export type Verifier = (credentials: string) => Promise<FoundCaller | 'missing' | 'unknown' | 'unavailable'>

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom the request acts; undefined until its credentials are verified, and where none are needed. */
    caller: Caller | undefined
    /** Why the credentials of the caller do not suffice; undefined where they do. */
    lackingScope: Refusal | undefined
  }
}

/** A security scheme of the contract with the verifier of its kind. */
export interface VerifiedScheme extends SecurityScheme {
  verify: Verifier
}

export interface AuthenticationOptions {
  /** Every scheme that an operation names. */
  schemes: ReadonlyMap<string, VerifiedScheme>
  /** The protection space that challenges name (RFC 9110, section 11.5). */
  realm: string
  /** Receives a request whose credentials are not valid; what it throws is answered instead of 401. */
  onRefused?: ((request: FastifyRequest) => void) | undefined
}

/**
 * Makes the hook that authenticates the requests of an operation. It alone decides who the caller is.
 *
 * The first satisfied alternative of the contract's security requirements is enough. All schemes of an alternative must
 * name the same caller, and their tokens must have the scopes that it lists. Where an alternative is empty, a request
 * without any credentials has no caller.
 *
 * @returns no hook for an operation that everybody may call
 */
export function authenticate(
  { security }: Pick<BoundOperation, 'security'>,
  { schemes: verified, realm, onRefused }: AuthenticationOptions,
): onRequestAsyncHookHandler[] {
  // createEngine has refused a contract with a scheme that has no verifier.
  const all = security.map((required) =>
    required.map(({ scheme, scopes }) => ({ scheme: verified.get(scheme)!, scopes })),
  )
  const alternatives = all.filter((alternative) => alternative.length > 0)
  const schemes = [...new Set(alternatives.flat().map(({ scheme }) => scheme))]
  if (schemes.length === 0) return []
  const isOptional = alternatives.length < all.length

  const authenticateRequest: onRequestAsyncHookHandler = async (request) => {
    const credentials = takeCredentials(request, schemes)
    if (isOptional && credentials.size === 0) return
    const results = new Map<VerifiedScheme, Result>()
    let forbidden: Alternative | undefined
    for (const alternative of alternatives) {
      for (const { scheme } of alternative) {
        const text = credentials.get(scheme)
        if (!results.has(scheme)) results.set(scheme, text === undefined ? 'missing' : await scheme.verify(text))
      }
      const found = findCaller(alternative, results)
      if (found === undefined) continue
      request.caller = found.caller
      if (found.hasScopes) return
      forbidden ??= alternative
    }
    const outcomes = [...results.values()]
    if (outcomes.includes('unavailable')) throw unavailable('tokens cannot be checked now; try again in a second')
    if (forbidden !== undefined) {
      request.lackingScope = lackingScopes(realm, forbidden)
      return
    }
    const unknown = schemes.filter((scheme) => results.get(scheme) === 'unknown')
    if (unknown.length === 0 && outcomes.includes('missing')) throw missingCredentials(realm, alternatives)
    onRefused?.(request)
    throw invalidCredentials(realm, schemes, unknown)
  }
  return [authenticateRequest]
}

/**
 * Makes the hook that refuses a caller whose credentials lack a scope. It runs after `authenticate`, and after what
 * counts the caller's requests.
 *
 * @returns no hook for an operation that asks for no scopes
 */
export function requireScopes({ security }: Pick<BoundOperation, 'security'>): onRequestHookHandler[] {
  return security.flat().some(({ scopes }) => scopes.length > 0) ? [refuseLackingScope] : []
}

const refuseLackingScope: onRequestHookHandler = ({ lackingScope }, _reply, done) => {
  if (lackingScope !== undefined) throw lackingScope
  done()
}

type Result = Awaited<ReturnType<Verifier>>

/** An alternative of security requirements: its schemes, and the scopes that the credentials of each must have. */
type Alternative = { scheme: VerifiedScheme; scopes: readonly string[] }[]

/** Takes the credentials of schemes out of a request: an API key is no parameter of the operation. */
function takeCredentials({ headers, query }: FastifyRequest, schemes: VerifiedScheme[]): Map<VerifiedScheme, string> {
  const credentials = new Map<VerifiedScheme, string>()
  for (const scheme of schemes) {
    // Fastify's parser gives texts, and lists of them for a parameter that is repeated.
    const fields = scheme.in === 'header' ? headers : (query as Record<string, string | string[] | undefined>)
    const text = fields[scheme.in === 'header' ? scheme.name.toLowerCase() : scheme.name]
    if (text !== undefined) credentials.set(scheme, text.toString())
  }
  for (const { in: place, name } of schemes) if (place === 'query') Reflect.deleteProperty(query as object, name)
  return credentials
}

/** The caller whom all schemes of an alternative name, and whether their credentials have its scopes. */
function findCaller(
  alternative: Alternative,
  results: ReadonlyMap<VerifiedScheme, Result>,
): { caller: Caller; hasScopes: boolean } | undefined {
  let caller: Caller | undefined
  let hasScopes = true
  for (const { scheme, scopes } of alternative) {
    const result = results.get(scheme)!
    if (typeof result === 'string' || (caller !== undefined && result.caller !== caller)) return undefined
    caller = result.caller
    const granted = result.scope?.split(' ')
    hasScopes &&= granted === undefined || scopes.every((scope) => granted.includes(scope))
  }
  return caller === undefined ? undefined : { caller, hasScopes }
}
