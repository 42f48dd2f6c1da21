import type { ContractDocument, ContractOperation } from './document.ts'

/** A supported security scheme: the form of its credentials, and their place in a request. */
export interface SecurityScheme {
  /** `jwt` is OAuth 2.0 or OpenID Connect; `bearer` is any bearer token; `http` is another scheme of `Authorization`. */
  kind: 'bearer' | 'basic' | 'apiKey' | 'jwt' | 'http'
  in: 'header' | 'query' | 'cookie'
  /** The name of the header, the query parameter or the cookie. */
  name: string
  /** The authentication scheme of `Authorization`, such as `Bearer` (RFC 9110, section 11.1). */
  scheme: string
}

/** One scheme of an alternative, with its required scopes or roles. */
export interface RequiredScheme {
  scheme: string
  scopes: readonly string[]
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

/** The supported security schemes that operations require, by name. */
export function requiredSchemesOf(
  document: ContractDocument,
  operations: readonly ContractOperation[],
): Map<string, SecurityScheme> {
  const required = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)))
  return new Map([...securitySchemesOf(document)].filter(([name]) => required.has(name)))
}

/** Reads a Security Scheme Object (OpenAPI 3.1, section 4.8.27). @returns a description if it is not supported */
function readScheme(described: unknown): SecurityScheme | string {
  const { type, scheme, in: place, name } = (described ?? {}) as Partial<Record<string, unknown>>
  const authorization = { in: 'header', name: 'Authorization' } as const
  switch (type) {
    case 'http': {
      const written = String(scheme)
      const known = { bearer: 'Bearer', basic: 'Basic' } as const
      const kind = written.toLowerCase()
      return kind === 'bearer' || kind === 'basic'
        ? { kind, ...authorization, scheme: known[kind] }
        : { kind: 'http', ...authorization, scheme: written }
    }
    case 'apiKey':
      return place === 'header' || place === 'query' || place === 'cookie'
        ? { kind: 'apiKey', in: place, name: String(name), scheme: 'ApiKey' }
        : `an apiKey in a ${String(place)}`
    case 'oauth2':
    case 'openIdConnect':
      return { kind: 'jwt', ...authorization, scheme: 'Bearer' }
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

/** Finds schemes that are not supported, and invalid scopes. */
export function securityProblems(document: ContractDocument, operations: ContractOperation[]): SecurityProblem[] {
  const required = operations.flatMap((operation) => alternativesOf(operation).flat())
  const supported = securitySchemesOf(document)
  const names = [...new Set(required.map(({ scheme }) => scheme))].filter((name) => !supported.has(name))
  return [
    ...names.map((scheme) => ({
      scheme,
      text: `components/securitySchemes/${scheme}: ${unsupportedProblem(document, scheme)}`,
    })),
    ...operations.flatMap((operation) =>
      scopeProblems(operation).map((problem) => ({ operation, text: `operation ${operation.id}: ${problem}` })),
    ),
  ]
}

function unsupportedProblem({ components }: ContractDocument, name: string): string {
  const described = components?.securitySchemes?.[name]
  if (described === undefined) return 'an operation requires this scheme; describe it'
  const remedy = 'use http, an apiKey in a header, in the query or in a cookie, oauth2 or openIdConnect'
  const kind = readScheme(described)
  return `${typeof kind === 'string' ? kind : kind.kind} is not supported; ${remedy}`
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
