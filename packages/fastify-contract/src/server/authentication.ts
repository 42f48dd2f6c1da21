import { inspect, types } from 'node:util'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { SecurityScheme } from '../document/security.ts'
import type { BoundOperation } from '../engine/engine.ts'
import { Refusal } from '../engine/refusal.ts'
import { createMembers } from '../json/json.ts'
import { invalidCredentials, lackingScopes, missingCredentials, mixedCredentials } from './challenges.ts'
import { fieldOf, readCredentials, takeCredentials } from './credentials.ts'

/** Verifies the credentials of one scheme; `Auth` has its exact type. */
export type Verify = (credentials: unknown, request: FastifyRequest) => unknown

/** What is known of the credentials of a request. */
interface Authenticated {
  /** What the verifiers of an alternative returned, by scheme. */
  auth: Readonly<Record<string, unknown>>
  /** The refusal for a missing scope; undefined if the scopes suffice. */
  lacking: Refusal | undefined
}

/** The name under which a request keeps it, for every copy of the library. */
export const authenticated: unique symbol = Symbol.for('fastify-contract.authenticated')

declare module 'fastify' {
  interface FastifyRequest {
    [authenticated]: Authenticated | undefined
  }
}

const nobody: Authenticated['auth'] = createMembers(null)

/**
 * What the verifiers of a request's credentials returned, by scheme, for hooks on `preParsing` and later. Empty without
 * credentials.
 */
export function authOf(request: FastifyRequest): Authenticated['auth'] {
  return request[authenticated]?.auth ?? nobody
}

/** A security scheme with its verifier. */
export interface VerifiedScheme extends SecurityScheme {
  verify: Verify
}

export interface AuthenticationOptions {
  /** Every scheme that an operation requires. */
  schemes: ReadonlyMap<string, VerifiedScheme>
  /** The protection space of the challenges (RFC 9110, section 11.5). */
  realm: string
  /** Names whom credentials are of, by the result of their verifier; undefined where those of several may be combined. */
  callerOf?: ((found: never) => unknown) | undefined
}

/**
 * Makes the hook that authenticates the requests of an operation.
 *
 * One satisfied alternative of the security requirements is enough. All schemes of an alternative must accept their
 * credentials. With an empty alternative, a request without credentials is let in.
 *
 * @returns no hook for a public operation
 */
export function authenticate(
  { security }: Pick<BoundOperation, 'security'>,
  { schemes: verified, realm, callerOf }: AuthenticationOptions,
): onRequestAsyncHookHandler[] {
  const names = [...new Set(security.flat().map(({ scheme }) => scheme))]
  // The start rejects schemes without a verifier.
  const schemes = names.map((name) => verified.get(name)!)
  if (schemes.length === 0) return []
  const fields = schemes.map(fieldOf)
  const all = security.map((required) =>
    required.map(({ scheme: name, scopes }) => {
      const index = names.indexOf(name)
      return { name, index, scheme: schemes[index]!, scopes }
    }),
  )
  const alternatives = all.filter((alternative) => alternative.length > 0)
  const isOptional = alternatives.length < all.length
  const needsScopes = asksForScopes(security)

  const authenticateRequest: onRequestAsyncHookHandler = async (request) => {
    const texts = takeCredentials(request, fields)
    if (isOptional && texts.every((text) => text === undefined)) return
    /** By the index of the scheme, like the texts. */
    const results: Result[] = []
    let forbidden: Alternative | undefined
    let mixed: Alternative | undefined
    for (const alternative of alternatives) {
      for (const { index, name, scheme } of alternative) {
        if (results[index] !== undefined) continue
        const read = readCredentials(scheme.kind, texts[index])
        if (typeof read === 'string') {
          results[index] = read
          continue
        }
        try {
          results[index] = resultOf(await scheme.verify(read.credentials, request))
        } catch (error) {
          results[index] = unavailabilityOf(error, name)
        }
      }
      const auth = foundBy(alternative, results)
      if (auth === undefined) continue
      if (callerOf !== undefined && alternative.length > 1 && !areOfOne(Object.values(auth), callerOf)) {
        mixed ??= alternative
        continue
      }
      if (!needsScopes || hasScopes(auth, alternative)) {
        request[authenticated] = { auth, lacking: undefined }
        return
      }
      forbidden ??= alternative
      request[authenticated] = { auth, lacking: lackingScopes(realm, forbidden) }
    }
    const unavailable = results.find((result) => result instanceof Refusal)
    if (unavailable !== undefined) throw unavailable
    if (forbidden !== undefined) return
    if (mixed !== undefined) throw mixedCredentials(realm, mixed)
    const unknown = schemes.filter((_scheme, index) => results[index] === 'unknown')
    if (unknown.length === 0) throw missingCredentials(realm, alternatives)
    throw invalidCredentials(realm, schemes, unknown)
  }
  return [authenticateRequest]
}

/**
 * Makes the check that refuses credentials without a required scope. It runs after `authenticate` and after the `preParsing`
 * hooks of the service, which may count the requests of a caller.
 *
 * @returns no check for an operation without scopes
 */
export function requireScopes({ security }: Pick<BoundOperation, 'security'>): ((request: FastifyRequest) => void)[] {
  return asksForScopes(security) ? [refuseLackingScope] : []
}

function asksForScopes(security: BoundOperation['security']): boolean {
  return security.flat().some(({ scopes }) => scopes.length > 0)
}

function refuseLackingScope(request: FastifyRequest): void {
  const lacking = request[authenticated]?.lacking
  if (lacking !== undefined) throw lacking
}

/** What came of the credentials of a scheme. A refusal says that they cannot be checked now. */
type Result = { found: unknown } | 'missing' | 'unknown' | Refusal

/** An alternative of the security requirements: its schemes, with their required scopes. */
type Alternative = { name: string; index: number; scheme: VerifiedScheme; scopes: readonly string[] }[]

/**
 * What a verifier says: an object or a text names whom it knows, and what is falsy nobody. A list, such as the rows of a
 * look-up, may be empty, and a boxed boolean false, so that neither says whom.
 *
 * @throws what is returned in place of being thrown, and an error for any other value, such as true
 */
function resultOf(found: unknown): Result {
  if (typeof found === 'string' && found !== '') return { found }
  if (!Boolean(found)) return 'unknown'
  if (found instanceof Error) throw found
  if (typeof found === 'object' && found !== null) {
    const isList = Symbol.iterator in found || Symbol.asyncIterator in found
    if (!isList && !types.isBoxedPrimitive(found)) return { found }
  }
  throw new TypeError(`it returned ${inspect(found)}; return an object, a text or undefined`)
}

/** The refusal of credentials that cannot be checked now. @throws every other refusal, and an error for any other */
function unavailabilityOf(error: unknown, scheme: string): Refusal {
  if (!(error instanceof Refusal)) {
    // Without the status that it may have: it is no error of a hook, but a fault of the service.
    throw new Error(`the verifier of ${scheme} failed`, { cause: error })
  }
  if (error.failure === 'unavailable') return error
  throw error
}

/** What the verifiers of an alternative returned, by scheme; undefined unless all accept. */
function foundBy(alternative: Alternative, results: readonly Result[]): Authenticated['auth'] | undefined {
  const auth = createMembers(null)
  for (const { name, index } of alternative) {
    const result = results[index]!
    if (typeof result === 'string' || !('found' in result)) return undefined
    auth[name] = result.found
  }
  return auth
}

function areOfOne(found: unknown[], callerOf: (found: never) => unknown): boolean {
  // They are what the verifiers returned.
  const [first, ...others] = found.map((one) => callerOf(one as never))
  // Two that have no caller, as a verifier says it, are not of one.
  return Boolean(first) && others.every((other) => other === first)
}

function hasScopes(auth: Authenticated['auth'], alternative: Alternative): boolean {
  return alternative.every(({ name, scopes }) => scopes.length === 0 || grants(auth[name], scopes))
}

/** Whether a verifier's result has the scopes. One without `scopes` has none. */
function grants(found: unknown, required: readonly string[]): boolean {
  const scopes = typeof found === 'object' && found !== null && 'scopes' in found ? found.scopes : undefined
  return scopes === 'all' || (Array.isArray(scopes) && required.every((scope) => scopes.includes(scope)))
}
