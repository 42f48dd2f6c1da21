import type { FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import type { SecurityScheme } from '../document/security.ts'
import type { BoundOperation } from '../engine/engine.ts'
import type { Caller } from '../types/handler-types.ts'
import { invalidCredentials, lackingScopes, missingCredentials } from './challenges.ts'
import { type Refusal, unavailable } from '../engine/refusal.ts'

/** The caller of valid credentials. */
export interface FoundCaller {
  caller: Caller
  /** The scopes of the credentials, separated by spaces; undefined for all rights. */
  scope: string | undefined
}

/**
 * Verifies the credentials of a request: the Authorization header, or an API key. Returns `missing` if they belong to
 * another authentication scheme, `unknown` if they are not valid, `unavailable` if they cannot be checked now.
 */
export type Verifier = (credentials: string) => Promise<FoundCaller | 'missing' | 'unknown' | 'unavailable'>

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the credentials; undefined until they are verified, and if there are none. */
    caller: Caller | undefined
    /** The refusal for a missing scope; undefined if the scopes suffice. */
    lackingScope: Refusal | undefined
  }
}

/** A security scheme with its verifier. */
export interface VerifiedScheme extends SecurityScheme {
  verify: Verifier
}

export interface AuthenticationOptions {
  /** Every scheme that an operation requires. */
  schemes: ReadonlyMap<string, VerifiedScheme>
  /** The protection space of the challenges (RFC 9110, section 11.5). */
  realm: string
  /** Receives a request with invalid credentials; a refusal that it throws replaces the 401. */
  onCredentialsRefused?: ((request: FastifyRequest) => void) | undefined
}

/**
 * Makes the hook that authenticates the requests of an operation.
 *
 * One satisfied alternative of the security requirements is enough. All schemes of an alternative must have the same
 * caller, and their tokens the listed scopes. With an empty alternative, a request without credentials has no caller.
 *
 * @returns no hook for a public operation
 */
export function authenticate(
  { security }: Pick<BoundOperation, 'security'>,
  { schemes: verified, realm, onCredentialsRefused }: AuthenticationOptions,
): onRequestAsyncHookHandler[] {
  // createEngine rejects schemes without a verifier.
  const schemes = [...new Set(security.flat().map(({ scheme }) => scheme))].map((name) => verified.get(name)!)
  if (schemes.length === 0) return []
  // Node gives the names of headers in lower case.
  const fields = schemes.map(({ in: place, name }) => ({ place, name: place === 'header' ? name.toLowerCase() : name }))
  const all = security.map((required) =>
    required.map(({ scheme, scopes }) => ({ index: schemes.indexOf(verified.get(scheme)!), scopes })),
  )
  const alternatives = all.filter((alternative) => alternative.length > 0)
  const isOptional = alternatives.length < all.length
  const named = (alternative: Alternative) =>
    alternative.map(({ index, scopes }) => ({ scheme: schemes[index]!, scopes }))

  const authenticateRequest: onRequestAsyncHookHandler = async (request) => {
    const credentials = takeCredentials(request, fields)
    if (isOptional && credentials.every((text) => text === undefined)) return
    /** By the index of the scheme, like the credentials. */
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
    onCredentialsRefused?.(request)
    throw invalidCredentials(realm, schemes, unknown)
  }
  return [authenticateRequest]
}

/**
 * Makes the hook that refuses credentials without a required scope. It runs after `authenticate` and after the hooks that
 * count the caller's requests.
 *
 * @returns no hook for an operation without scopes
 */
export function requireScopes({ security }: Pick<BoundOperation, 'security'>): onRequestHookHandler[] {
  return security.flat().some(({ scopes }) => scopes.length > 0) ? [refuseLackingScope] : []
}

const refuseLackingScope: onRequestHookHandler = ({ lackingScope }, _reply, done) => {
  if (lackingScope !== undefined) throw lackingScope
  done()
}

type Result = Awaited<ReturnType<Verifier>>

/** An alternative of the security requirements: its schemes, with their required scopes. */
type Alternative = { index: number; scopes: readonly string[] }[]

/** The header or query parameter with the credentials of a scheme. */
interface CredentialField {
  place: SecurityScheme['in']
  name: string
}

/** Takes the credentials out of a request: an API key is not a parameter of the operation. */
function takeCredentials({ headers, query }: FastifyRequest, fields: CredentialField[]): (string | undefined)[] {
  // Fastify's parser returns a list for a repeated parameter.
  const parameters = query as Record<string, string | string[] | undefined>
  const credentials = fields.map(({ place, name }) => (place === 'header' ? headers : parameters)[name]?.toString())
  for (const { place, name } of fields) if (place === 'query') Reflect.deleteProperty(parameters, name)
  return credentials
}

/** The common caller of all schemes of an alternative, and whether the credentials have its scopes. */
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
