import type { FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import type { SecurityScheme } from '../document/security.ts'
import type { BoundOperation } from '../engine/engine.ts'
import type { Caller } from '../types/handler-types.ts'
import { challenged, placeOf } from './challenges.ts'
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
 * One satisfied alternative of the contract's security requirements is enough. All schemes of an alternative must name
 * the same caller, and their tokens must have the scopes that it lists. Where an alternative is empty, a request
 * without any credentials has no caller.
 *
 * @returns no hook for an operation that everybody may call
 */
export function authenticate(
  { security }: Pick<BoundOperation, 'security'>,
  { schemes: verified, realm, onRefused }: AuthenticationOptions,
): onRequestAsyncHookHandler[] {
  const names = [...new Set(security.flat().map(({ scheme }) => scheme))]
  if (names.length === 0) return []
  // createEngine has refused a contract with a scheme that has no verifier.
  const schemes = names.map((name) => verified.get(name)!)
  const alternatives = security
    .filter((required) => required.length > 0)
    .map((required) => required.map(({ scheme, scopes }) => ({ index: names.indexOf(scheme), scopes })))
  const schemesOf = (alternative: Alternative) => alternative.map(({ index }) => schemes[index]!)
  const keys = schemes.filter((scheme) => scheme.in === 'query')
  const isOptional = alternatives.length < security.length
  const places = [...new Set(alternatives.map((each) => schemesOf(each).map(placeOf).join(' and ')))].join(', or ')

  function unauthorized(results: Result[]): Refusal {
    const error = ', error="invalid_token"'
    if (results.includes('unknown')) {
      const reason = 'token is unknown, malformed, expired or revoked'
      const described = `${error}, error_description="The ${reason}"`
      const errors = results.map((result) => (result === 'unknown' ? described : ''))
      return challenged('token_invalid', `the ${reason}`, realm, schemes, errors)
    }
    if (results.includes('missing')) return challenged('credentials_missing', `send ${places}`, realm, schemes)
    const errors = schemes.map(() => error)
    return challenged('token_invalid', 'the credentials belong to different callers', realm, schemes, errors)
  }

  const authenticateRequest: onRequestAsyncHookHandler = async (request) => {
    const credentials = schemes.map((scheme) => readCredentials(request, scheme))
    // A key is no parameter of the operation. Fastify's query is an object.
    for (const { name } of keys) Reflect.deleteProperty(request.query as object, name)
    if (isOptional && credentials.every((text) => text === undefined)) return
    const pending = schemes.map(async ({ verify }, index) => {
      const text = credentials[index]
      return text === undefined ? 'missing' : verify(text)
    })
    // A promise of all would cost more where there is one.
    const results = pending.length === 1 ? [await pending[0]!] : await Promise.all(pending)

    let forbidden: Alternative | undefined
    for (const alternative of alternatives) {
      const found = findCaller(alternative, results)
      if (found === undefined) continue
      request.caller = found.caller
      if (found.hasScopes) return
      forbidden ??= alternative
    }
    if (results.includes('unavailable')) throw unavailable('tokens cannot be checked now; try again in a second')
    if (forbidden !== undefined) {
      const scope = [...new Set(forbidden.flatMap(({ scopes }) => scopes))].join(' ')
      const message = `the token lacks a scope of: ${scope}`
      const errors = forbidden.map(() => `, error="insufficient_scope", scope="${scope}"`)
      request.lackingScope = challenged('insufficient_scope', message, realm, schemesOf(forbidden), errors)
      return
    }
    if (results.includes('unknown') || !results.includes('missing')) onRefused?.(request)
    throw unauthorized(results)
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

/** An alternative of security requirements: the indices of its schemes, and the scopes that each must have. */
type Alternative = { index: number; scopes: readonly string[] }[]

/** Reads the credentials of a scheme; undefined where the request has none. */
function readCredentials({ headers, query }: FastifyRequest, { in: place, name }: SecurityScheme): string | undefined {
  // Fastify's parser gives texts, and lists of them for a parameter that is repeated.
  const parameters = query as Record<string, string | string[] | undefined>
  return (place === 'query' ? parameters[name] : headers[name.toLowerCase()])?.toString()
}

/** The caller whom all schemes of an alternative name, and whether their credentials have its scopes. */
function findCaller(alternative: Alternative, results: Result[]): { caller: Caller; hasScopes: boolean } | undefined {
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
