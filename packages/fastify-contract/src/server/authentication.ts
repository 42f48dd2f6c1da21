import type { FastifyRequest } from 'fastify'
import { hasScopes } from '../../../../src/auth/scopes.ts'
import type { Verifier } from '../../../../src/auth/verifiers.ts'
import type { BoundOperation } from '../engine/engine.ts'
import { type Failure, failure, unavailable } from './refusal.ts'
import type { SecurityScheme } from '../document/security.ts'
import type { Caller } from '../types/handler-types.ts'
import { fieldValues } from './raw-headers.ts'
import type { Stage } from './hooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom the request acts; undefined until its credentials are verified, and where none are needed. */
    caller: Caller | undefined
  }
}

/** A security scheme of the contract with the verifier of its kind. */
export interface VerifiedScheme extends SecurityScheme {
  verify: Verifier
}

export interface AuthenticationOptions {
  /** Every scheme that an operation names. */
  schemes: ReadonlyMap<string, VerifiedScheme>
  /** Receives a request whose credentials are not valid; returns the failure to answer in place of 401, if any. */
  onRefused?: ((request: FastifyRequest) => Failure | undefined) | undefined
  /** Runs before a caller whose token lacks a scope is answered 403; returns the failure to answer in its place. */
  onForbidden?: Stage | undefined
}

/**
 * Makes the stage that authenticates the requests of an operation. It alone decides who the caller is.
 *
 * One satisfied alternative of the contract's security requirements is enough. All schemes of an alternative must name
 * the same caller, and their tokens must have the scopes that it lists. Where an alternative is empty, a request
 * without any credentials has no caller.
 *
 * @returns undefined for an operation that everybody may call
 */
export function authenticate(
  { security }: Pick<BoundOperation, 'security'>,
  { schemes, onRefused, onForbidden }: AuthenticationOptions,
): Stage | undefined {
  const names = [...new Set(security.flat().map(({ scheme }) => scheme))]
  if (names.length === 0) return undefined
  // createEngine has refused a contract with a scheme that has no verifier.
  const declared = names.map((name) => schemes.get(name)!)
  const alternatives = security
    .filter((required) => required.length > 0)
    .map((required) => required.map(({ scheme, scopes }) => ({ index: names.indexOf(scheme), scopes })))
  const isOptional = alternatives.length < security.length
  const readers = declared.map(readerOf)
  const keyParameters = declared.filter((scheme) => scheme.in === 'query').map(({ name }) => name)
  const missing = missingCredentials(security, schemes)

  return async (request, reply) => {
    const credentials = readers.map((read) => read(request))
    // A key is no parameter of the operation. Fastify's query is an object.
    for (const name of keyParameters) Reflect.deleteProperty(request.query as object, name)
    if (isOptional && credentials.every((text) => text === undefined)) return undefined
    const pending = declared.map(({ verify }, index) => {
      const text = credentials[index]
      return text === undefined ? Promise.resolve('missing' as const) : verify(text)
    })
    // A promise of all would cost more where there is one.
    const results = pending.length === 1 ? [await pending[0]!] : await Promise.all(pending)

    let forbidden: Alternative | undefined
    for (const alternative of alternatives) {
      const caller = callerOf(alternative, results)
      if (caller === undefined) continue
      request.caller = caller
      if (alternative.every((required) => isInScope(required, results))) return undefined
      forbidden ??= alternative
    }
    if (results.includes('unavailable')) return unavailable('tokens cannot be checked now; try again in a second')
    if (forbidden !== undefined) return (await onForbidden?.(request, reply)) ?? lackingScope(forbidden, declared)
    if (results.includes('missing') && !results.includes('unknown')) return missing
    return onRefused?.(request) ?? invalidToken(declared, results)
  }
}

/** The indices of the schemes of an alternative, and the scopes that each must have. */
type Alternative = { index: number; scopes: readonly string[] }[]

type Result = Awaited<ReturnType<Verifier>>

/** Makes the function that reads the credentials of a scheme; undefined where the request has none. */
function readerOf({ in: place, name }: SecurityScheme): (request: FastifyRequest) => string | undefined {
  if (place === 'query') {
    // Fastify's parser gives texts, and lists of them for a parameter that is repeated.
    return ({ query }) => (query as Record<string, string | string[] | undefined>)[name]?.toString()
  }
  const field = name.toLowerCase()
  // Of two fields Node takes the first; combined, as RFC 9110, section 5.2 says, they are no credentials.
  return ({ headers, raw }) =>
    headers[field] === undefined ? undefined : fieldValues(raw.rawHeaders, field).join(', ')
}

/** The caller whom all schemes of an alternative name. */
function callerOf(alternative: Alternative, results: Result[]): Caller | undefined {
  let caller: Caller | undefined
  for (const { index } of alternative) {
    const result = results[index]!
    if (typeof result === 'string' || (caller !== undefined && result.caller !== caller)) return undefined
    caller = result.caller
  }
  return caller
}

function isInScope({ index, scopes }: Alternative[number], results: Result[]): boolean {
  const result = results[index]!
  return typeof result !== 'string' && hasScopes(result.scope, scopes)
}

const realm = 'realm="plant-store"'

/** The challenge of a scheme (RFC 9110, section 11.6.1). Only a Bearer challenge can say what is wrong. */
function challengeOf({ kind }: SecurityScheme, error = ''): string {
  switch (kind) {
    case 'bearer':
    case 'jwt':
      return `Bearer ${realm}${error}`
    case 'basic':
      return `Basic ${realm}, charset="UTF-8"`
    case 'apiKey':
      // Not a registered scheme; but each 401 must have a challenge.
      return `ApiKey ${realm}`
  }
}

function withChallenges(challenges: string[]): { 'WWW-Authenticate': string } {
  return { 'WWW-Authenticate': [...new Set(challenges)].join(', ') }
}

function missingCredentials(security: BoundOperation['security'], schemes: AuthenticationOptions['schemes']): Failure {
  const declared = security.map((required) => required.map(({ scheme }) => schemes.get(scheme)!))
  const places = declared.filter(({ length }) => length > 0).map((all) => all.map(placeOf).join(' and '))
  const challenges = declared.flat().map((scheme) => challengeOf(scheme))
  return failure('credentials_missing', `send ${[...new Set(places)].join(', or ')}`, withChallenges(challenges))
}

function placeOf({ kind, in: place, name }: SecurityScheme): string {
  switch (kind) {
    case 'bearer':
    case 'jwt':
      return 'the header Authorization: Bearer TOKEN'
    case 'basic':
      return 'the header Authorization: Basic with CALLER:TOKEN in Base64'
    case 'apiKey':
      return place === 'header' ? `the header ${name}: TOKEN` : `the query parameter ${name}=TOKEN`
  }
}

function invalidToken(declared: readonly SecurityScheme[], results: Result[]): Failure {
  const reason = 'token is unknown, malformed, expired or revoked'
  if (!results.includes('unknown')) {
    const challenges = declared.map((scheme) => challengeOf(scheme, ', error="invalid_token"'))
    return failure('token_invalid', 'the credentials belong to different callers', withChallenges(challenges))
  }
  const error = `, error="invalid_token", error_description="The ${reason}"`
  const challenges = declared.map((scheme, index) => challengeOf(scheme, results[index] === 'unknown' ? error : ''))
  return failure('token_invalid', `the ${reason}`, withChallenges(challenges))
}

/** RFC 6750, section 3.1. */
function lackingScope(alternative: Alternative, declared: readonly SecurityScheme[]): Failure {
  const scope = [...new Set(alternative.flatMap(({ scopes }) => scopes))].join(' ')
  const error = `, error="insufficient_scope", scope="${scope}"`
  const challenges = alternative.map(({ index }) => challengeOf(declared[index]!, error))
  return failure('insufficient_scope', `the token lacks a scope of: ${scope}`, withChallenges(challenges))
}
