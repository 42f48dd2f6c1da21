import type { ContractDocument, ContractOperation, SecurityRequirement } from './document.ts'

/** A supported security scheme: the form of its credentials, and their place in a request. */
export interface SecurityScheme {
  /** `jwt` is OAuth 2.0 or OpenID Connect; `bearer` is any bearer token. */
  kind: 'bearer' | 'basic' | 'apiKey' | 'jwt'
  in: 'header' | 'query'
  /** The name of the header or the query parameter. */
  name: string
}

/** One scheme of an alternative, with its required scopes or roles. */
export interface RequiredScheme {
  scheme: string
  scopes: readonly string[]
}

/** Whether requests of an operation have a caller: always, only with credentials, or never. */
export type CallerKind = 'required' | 'optional' | 'none'

export function callerKindOf(security: SecurityRequirement[]): CallerKind {
  const asking = security.filter((requirement) => Object.keys(requirement).length > 0)
  return asking.length === 0 ? 'none' : asking.length === security.length ? 'required' : 'optional'
}

/** The security alternatives of an operation. All schemes of an alternative are required. */
export function alternativesOf({ security }: Pick<ContractOperation, 'security'>): RequiredScheme[][] {
  return security.map((requirement) => Object.entries(requirement).map(([scheme, scopes]) => ({ scheme, scopes })))
}

/** The supported security schemes of a contract, by name. */
export function securitySchemesOf({ components }: ContractDocument): Map<string, SecurityScheme> {
  return new Map(
    Object.entries(components?.securitySchemes ?? {}).flatMap(([name, described]) => {
      const scheme = readScheme(described)
      return typeof scheme === 'string' ? [] : [[name, scheme]]
    }),
  )
}

/** Reads a Security Scheme Object (OpenAPI 3.1, section 4.8.27). @returns a description if it is not supported */
function readScheme(described: unknown): SecurityScheme | string {
  const { type, scheme, in: place, name } = (described ?? {}) as Partial<Record<string, unknown>>
  const authorization = { in: 'header', name: 'Authorization' } as const
  switch (type) {
    case 'http': {
      const kind = String(scheme).toLowerCase()
      return kind === 'bearer' || kind === 'basic' ? { kind, ...authorization } : `http ${kind}`
    }
    case 'apiKey':
      return place === 'header' || place === 'query'
        ? { kind: 'apiKey', in: place, name: String(name) }
        : `an apiKey in a ${String(place)}`
    case 'oauth2':
    case 'openIdConnect':
      return { kind: 'jwt', ...authorization }
    default:
      return String(type)
  }
}

/** A problem of the security of a contract. */
export interface SecurityProblem {
  /** The name of its scheme. */
  scheme?: string
  operation?: ContractOperation
  /** The place, the problem and the remedy. */
  text: string
}

/**
 * Finds schemes without a verifier, invalid scopes, and operations without security.
 *
 * @param unverified the supported schemes without a verifier, by name, each with the reason and the remedy
 */
export function securityProblems(
  document: ContractDocument,
  operations: ContractOperation[],
  unverified: ReadonlyMap<string, string> = new Map(),
): SecurityProblem[] {
  const required = operations.flatMap((operation) => alternativesOf(operation).flat())
  const supported = securitySchemesOf(document)
  const names = [...new Set(required.map(({ scheme }) => scheme))]
  return [
    ...names.flatMap((scheme) => {
      const problem = supported.has(scheme) ? unverified.get(scheme) : unsupportedProblem(document, scheme)
      return problem === undefined ? [] : { scheme, text: `components/securitySchemes/${scheme}: ${problem}` }
    }),
    ...operations.flatMap((operation) =>
      [...openProblems(operation, document), ...scopeProblems(operation), ...keyProblems(operation, document)].map(
        (problem) => ({ operation, text: `operation ${operation.id}: ${problem}` }),
      ),
    ),
  ]
}

function unsupportedProblem({ components }: ContractDocument, name: string): string {
  const described = components?.securitySchemes?.[name]
  if (described === undefined) return 'an operation requires this scheme; describe it'
  const remedy = 'use http bearer, http basic, an apiKey in a header or in the query, oauth2 or openIdConnect'
  const scheme = readScheme(described)
  return `${typeof scheme === 'string' ? scheme : scheme.kind} is not supported; ${remedy}`
}

/** In OpenAPI an operation without `security` is public, which may be an oversight. */
function openProblems({ object }: ContractOperation, { security }: ContractDocument): string[] {
  if (object.security !== undefined || security !== undefined) return []
  return ['has no security; add it, or security: [] for a public operation']
}

/** An API key is removed from the request before its parameters are validated. */
function keyProblems({ security, parameters }: ContractOperation, document: ContractDocument): string[] {
  const schemes = securitySchemesOf(document)
  const keys = alternativesOf({ security })
    .flat()
    .flatMap(({ scheme }) => schemes.get(scheme) ?? [])
  return keys
    .filter(
      (key) => key.kind === 'apiKey' && parameters.some(({ in: place, name }) => place === key.in && name === key.name),
    )
    .map((key) => `the ${key.in} parameter ${key.name} is its API key; remove the parameter`)
}

/** The scopes that fit in a `WWW-Authenticate` header (RFC 6749, section 3.3). */
const scopeSyntax = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether a text is one scope (RFC 6749, section 3.3). */
export function isScope(text: string): boolean {
  return scopeSyntax.test(text)
}

function scopeProblems(operation: ContractOperation): string[] {
  const scopes = alternativesOf(operation).flatMap((schemes) => schemes.flatMap((required) => required.scopes))
  return scopes
    .filter((scope) => !isScope(scope))
    .map((scope) => `the scope ${JSON.stringify(scope)} is not valid; use printable ASCII without space, " and \\`)
}
