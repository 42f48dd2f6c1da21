import { type ContractDocument, type ContractOperation, endOf } from './document.ts'

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
export function securitySchemesOf(document: Pick<ContractDocument, 'components'>): Map<string, SecurityScheme> {
  return new Map(
    Object.entries(document.components?.securitySchemes ?? {}).flatMap(([name, described]) => {
      const scheme = readScheme(endOf(document, described ?? {}))
      return scheme === undefined ? [] : [[name, scheme]]
    }),
  )
}

/** The supported security schemes that operations require, by name, and whether one asks for scopes. */
export function requiredSchemesOf(
  document: ContractDocument,
  operations: readonly ContractOperation[],
): Map<string, SecurityScheme & { asksForScopes: boolean }> {
  const required = operations.flatMap(alternativesOf).flat()
  return new Map(
    [...securitySchemesOf(document)].flatMap(([name, scheme]) => {
      const uses = required.filter((each) => each.scheme === name)
      return uses.length === 0
        ? []
        : [[name, { ...scheme, asksForScopes: uses.some(({ scopes }) => scopes.length > 0) }]]
    }),
  )
}

/** Reads a Security Scheme Object (OpenAPI 3.1, section 4.8.27). @returns undefined if it is not supported */
function readScheme(described: object): SecurityScheme | undefined {
  const { type, scheme, in: place, name }: Partial<Record<string, unknown>> = described
  const authorization = { in: 'header', name: 'Authorization' } as const
  switch (type) {
    case 'http': {
      const written = String(scheme)
      const spellings = { bearer: 'Bearer', basic: 'Basic' } as const
      const kind = written.toLowerCase()
      return kind === 'bearer' || kind === 'basic'
        ? { kind, ...authorization, scheme: spellings[kind] }
        : { kind: 'http', ...authorization, scheme: written }
    }
    case 'apiKey':
      return place === 'header' || place === 'query' || place === 'cookie'
        ? { kind: 'apiKey', in: place, name: String(name), scheme: 'ApiKey' }
        : undefined
    case 'oauth2':
    case 'openIdConnect':
      return { kind: 'jwt', ...authorization, scheme: 'Bearer' }
    default:
      return undefined
  }
}

/** The scopes that fit in a `WWW-Authenticate` header (RFC 6749, section 3.3). */
const scopeSyntax = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether a text is one scope (RFC 6749, section 3.3). */
export function isScope(text: string): boolean {
  return scopeSyntax.test(text)
}
