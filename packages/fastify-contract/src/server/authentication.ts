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
  const schemes = [...new Set(security.flat().map(({ scheme }) => scheme))].map((name) => verified.get(name)!)
  if (schemes.length === 0) return []
  const all = security.map((required) =>
    required.map(({ scheme, scopes }) => ({ index: schemes.indexOf(verified.get(scheme)!), scopes })),
  )
  const alternatives = all.filter((alternative) => alternative.length > 0)
  const isOptional = alternatives.length < all.length
  const named = (alternative: Alternative) =>
    alternative.map(({ index, scopes }) => ({ scheme: schemes[index]!, scopes }))

  const authenticateRequest: onRequestAsyncHookHandler = async (request) => {
    const credentials = takeCredentials(request, schemes)
    if (isOptional && credentials.every((text) => text === undefined)) return
    /** By the place of the scheme in `schemes`, as the credentials are. */
    const results: Result[] = []
    let forbidden: Alternative | undefined
    for (const alternative of alternatives) {
      for (const { index } of alternative) {
        const text = credentials[index]
        results[index] ??= text === undefined ? 'missing' : await schemes[index]!.verify(text)
      }
      const found = findCaller(alternative, results)
      if (found === undefined) continue
      request.caller = found.caller
      if (found.hasScopes) return
      forbidden ??= alternative
    }
    if (results.includes('unavailable')) throw unavailable('tokens cannot be checked now; try again in a second')
    if (forbidden !== undefined) {
      request.lackingScope = lackingScopes(realm, named(forbidden))
      return
    }
    const unknown = schemes.filter((_scheme, index) => results[index] === 'unknown')
    if (unknown.length === 0 && results.includes('missing')) {
      throw missingCredentials(realm, alternatives.map(named))
    }
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
type Alternative = { index: number; scopes: readonly string[] }[]

/** Takes the credentials of schemes out of a request: an API key is no parameter of the operation. */
function takeCredentials({ headers, query }: FastifyRequest, schemes: VerifiedScheme[]): (string | undefined)[] {
  // Fastify's parser gives texts, and lists of them for a parameter that is repeated.
  const parameters = query as Record<string, string | string[] | undefined>
  const credentials = schemes.map(({ in: place, name }) =>
    (place === 'header' ? headers[name.toLowerCase()] : parameters[name])?.toString(),
  )
  for (const { in: place, name } of schemes) if (place === 'query') Reflect.deleteProperty(parameters, name)
  return credentials
}

/** The caller whom all schemes of an alternative name, and whether their credentials have its scopes. */
function findCaller(
  alternative: Alternative,
  results: readonly Result[],
): { caller: Caller; hasScopes: boolean } | undefined {
  let caller: Caller | undefined
  let hasScopes = true
  for (const { index, scopes } of alternative) {
    const result = results[index]!
    if (typeof result === 'string' || (caller !== undefined && result.caller !== caller)) return undefined
    caller = result.caller
    const granted = result.scope?.split(' ')
    hasScopes &&= granted === undefined || scopes.every((scope) => granted.includes(scope))
  }
  return caller === undefined ? undefined : { caller, hasScopes }
}
