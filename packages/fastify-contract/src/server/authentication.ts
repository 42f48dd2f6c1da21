import type { FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import type { SecurityScheme } from '../document/security.ts'
import type { BoundOperation } from '../engine/engine.ts'
import type { Caller } from '../types/handler-types.ts'
import { fieldValues } from './raw-headers.ts'
import { type Alternative, CredentialRefusals } from './credential-refusals.ts'
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
  { schemes, realm, onRefused }: AuthenticationOptions,
): onRequestAsyncHookHandler[] {
  const names = [...new Set(security.flat().map(({ scheme }) => scheme))]
  if (names.length === 0) return []
  // createEngine has refused a contract with a scheme that has no verifier.
  const declared = names.map((name) => schemes.get(name)!)
  const alternatives = security
    .filter((required) => required.length > 0)
    .map((required) => required.map(({ scheme, scopes }) => ({ index: names.indexOf(scheme), scopes })))
  const isOptional = alternatives.length < security.length
  const readers = declared.map(readerOf)
  const keyParameters = declared.filter((scheme) => scheme.in === 'query').map(({ name }) => name)
  const refusals = new CredentialRefusals(realm, declared)

  const authenticateRequest: onRequestAsyncHookHandler = async (request) => {
    const credentials = readers.map((read) => read(request))
    // A key is no parameter of the operation. Fastify's query is an object.
    for (const name of keyParameters) Reflect.deleteProperty(request.query as object, name)
    if (isOptional && credentials.every((text) => text === undefined)) return
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
      if (alternative.every((required) => isInScope(required, results))) return
      forbidden ??= alternative
    }
    if (results.includes('unavailable')) throw unavailable('tokens cannot be checked now; try again in a second')
    if (forbidden !== undefined) {
      request.lackingScope = refusals.lackingScope(forbidden)
      return
    }
    if (results.includes('missing') && !results.includes('unknown')) {
      throw refusals.missing(alternatives)
    }
    onRefused?.(request)
    throw refusals.invalid(results.map((result) => result === 'unknown'))
  }
  return [authenticateRequest]
}

/** Refuses a caller whose credentials lack a scope. Runs after `authenticate` and what counts the caller's requests. */
export const requireScopes: onRequestHookHandler = ({ lackingScope }, _reply, done) => {
  if (lackingScope !== undefined) throw lackingScope
  done()
}

/** Whether credentials have all of these scopes. */
function hasScopes(scope: string | undefined, required: readonly string[]): boolean {
  if (scope === undefined || required.length === 0) return true
  const granted = scope.split(' ')
  return required.every((each) => granted.includes(each))
}

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
