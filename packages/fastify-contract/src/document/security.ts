import type { ContractDocument, ContractOperation, SecurityRequirement } from './document.ts'

/** A security scheme that this service verifies: the form of its credentials, and where a request carries them. */
export interface SecurityScheme {
  /** `jwt` is OAuth 2.0 or OpenID Connect; `bearer` also takes the tokens that this service issues. */
  kind: 'bearer' | 'basic' | 'apiKey' | 'jwt'
  in: 'header' | 'query'
  /** The name of the header field or of the query parameter. */
  name: string
}

/**
 * The failure of a caller whose token lacks a scope. A contract declares it only if it asks for scopes, so it is not
 * among the generated ones.
 */
const insufficientScope = { error: 40_300, status: 403 } as const

/** One scheme of an alternative, with the scopes or roles that its credentials must have. */
export interface RequiredScheme {
  scheme: string
  scopes: readonly string[]
}

/** Whether the requests of an operation have a caller: always, only those with credentials, or never. */
export type CallerKind = 'required' | 'optional' | 'none'

export function callerKindOf(security: SecurityRequirement[]): CallerKind {
  const asking = security.filter((requirement) => Object.keys(requirement).length > 0)
  return asking.length === 0 ? 'none' : asking.length === security.length ? 'required' : 'optional'
}

/** The alternatives of an operation, each a list of schemes that must all be satisfied. */
export function alternativesOf({ security }: Pick<ContractOperation, 'security'>): RequiredScheme[][] {
  return security.map((requirement) => Object.entries(requirement).map(([scheme, scopes]) => ({ scheme, scopes })))
}

/** The security schemes of a contract that this service can verify, by name. */
export function securitySchemesOf({ components }: ContractDocument): Map<string, SecurityScheme> {
  return new Map(
    Object.entries(components?.securitySchemes ?? {}).flatMap(([name, described]) => {
      const scheme = readScheme(described)
      return typeof scheme === 'string' ? [] : [[name, scheme]]
    }),
  )
}

/** Reads a Security Scheme Object (OpenAPI 3.1, section 4.8.27); what it is in words where it cannot be verified. */
function readScheme(described: unknown): SecurityScheme | string {
  // The structure of a scheme is checked here and by the linter.
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

/**
 * Finds what cannot be kept of the security of a contract: schemes without a verifier, scopes whose absence cannot be
 * answered, and operations that are open by omission.
 *
 * @param verified the names of the schemes that have a verifier; those of `securitySchemesOf` where the configuration
 *   is not known
 * @returns one line for each problem, naming its place and the remedy
 */
export function securityProblems(
  document: ContractDocument,
  operations: ContractOperation[],
  verified: readonly string[],
): string[] {
  const required = operations.flatMap((operation) => alternativesOf(operation).flat())
  const schemes = [...new Set(required.map(({ scheme }) => scheme))].filter((scheme) => !verified.includes(scheme))
  return [
    ...schemes.map((scheme) => unverifiedProblem(document, scheme)),
    ...operations.flatMap((operation) =>
      [
        ...openProblems(operation, document),
        ...scopeProblems(operation, document),
        ...keyProblems(operation, document),
      ].map((problem) => `operation ${operation.id}: ${problem}`),
    ),
  ]
}

function unverifiedProblem({ components }: ContractDocument, name: string): string {
  const place = `components/securitySchemes/${name}`
  const described = components?.securitySchemes?.[name]
  if (described === undefined) return `${place}: is required by an operation and not described`
  const scheme = readScheme(described)
  if (typeof scheme === 'string') {
    const remedy = 'use http bearer, http basic, an apiKey in a header or in the query, oauth2 or openIdConnect'
    return `${place}: is ${scheme}, which this service does not verify; ${remedy}`
  }
  return scheme.kind === 'jwt'
    ? `${place}: needs an identity provider; set AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE`
    : `${place}: has no verifier`
}

/** In OpenAPI an operation without `security` is open to everybody, which may be an oversight. */
function openProblems({ object }: ContractOperation, { security }: ContractDocument): string[] {
  if (object.security !== undefined || security !== undefined) return []
  return ['has no security; write security: [] if everybody may call it']
}

/** A key is taken out of the request before its parameters are validated. */
function keyProblems({ security, parameters }: ContractOperation, document: ContractDocument): string[] {
  const schemes = securitySchemesOf(document)
  const keys = alternativesOf({ security })
    .flat()
    .flatMap(({ scheme }) => schemes.get(scheme) ?? [])
  return keys
    .filter(
      (key) => key.kind === 'apiKey' && parameters.some(({ in: place, name }) => place === key.in && name === key.name),
    )
    .map((key) => `the ${key.in} parameter ${key.name} is the API key that its security asks for; remove the parameter`)
}

/** The scopes that a `WWW-Authenticate` field can carry (RFC 6749, section 3.3). */
const scopeSyntax = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether a text is one scope (RFC 6749, section 3.3). */
export function isScope(text: string): boolean {
  return scopeSyntax.test(text)
}

function scopeProblems(operation: ContractOperation, { components }: ContractDocument): string[] {
  const scopes = alternativesOf(operation).flatMap((schemes) => schemes.flatMap((required) => required.scopes))
  if (scopes.length === 0) return []
  // A schema's `properties` are schemas.
  const { error } = (components?.schemas?.['Error']?.['properties'] ?? {}) as { error?: { enum?: unknown } }
  const numbers = Array.isArray(error?.enum) ? (error.enum as unknown[]) : []
  return [
    ...scopes
      .filter((scope) => !isScope(scope))
      .map((scope) => `asks for the scope ${JSON.stringify(scope)}; use printable ASCII without space, " and \\`),
    ...(numbers.includes(insufficientScope.error)
      ? []
      : ['asks for scopes; add 40300, insufficient_scope, to components/schemas/Error/properties/error']),
  ]
}
