import type { SecurityScheme } from '../document/security.ts'
import { Refusal } from '../engine/refusal.ts'

type Alternative = readonly { scheme: SecurityScheme; scopes: readonly string[] }[]

/** The refusal of a request without credentials. @param realm the protection space (RFC 9110, section 11.5) */
export function missingCredentials(realm: string, alternatives: readonly Alternative[]): Refusal {
  const places = alternatives.map((alternative) => alternative.map(({ scheme }) => placeOf(scheme)).join(' and '))
  const schemes = alternatives.flat().map(({ scheme }) => scheme)
  return challenged(
    'credentials_missing',
    `credentials are missing; send ${[...new Set(places)].join(', or ')}`,
    realm,
    schemes,
  )
}

/** @param unknown the schemes with invalid credentials */
export function invalidCredentials(
  realm: string,
  schemes: readonly SecurityScheme[],
  unknown: readonly SecurityScheme[],
): Refusal {
  const reason = 'is unknown, malformed, expired or revoked'
  const described = `, error="invalid_token", error_description="The token ${reason}"`
  const errorOf = (scheme: SecurityScheme) => (unknown.includes(scheme) ? described : '')
  return challenged('token_invalid', `the ${namesOf(unknown)} ${reason}`, realm, schemes, errorOf)
}

/** The refusal of valid credentials of different callers. */
export function mixedCredentials(realm: string, alternative: Alternative): Refusal {
  const schemes = alternative.map(({ scheme }) => scheme)
  const reason = 'the credentials are of different callers; send those of one'
  return challenged('token_invalid', reason, realm, schemes, () => ', error="invalid_token"')
}

/** The refusal of credentials without a scope (RFC 6750, section 3.1). */
export function lackingScopes(realm: string, alternative: Alternative): Refusal {
  const scope = [...new Set(alternative.flatMap(({ scopes }) => scopes))].join(' ')
  const schemes = alternative.map(({ scheme }) => scheme)
  const error = `, error="insufficient_scope", scope="${scope}"`
  return challenged(
    'insufficient_scope',
    `the ${namesOf(schemes)} lacks a required scope; required: ${scope}`,
    realm,
    schemes,
    () => error,
  )
}

/** What the credentials of schemes are called. */
function namesOf(schemes: readonly SecurityScheme[]): string {
  return [...new Set(schemes.map(({ kind }) => (kind === 'apiKey' ? 'key' : 'token')))].join(' or ')
}

/** @param errorOf the error parameters of a scheme's challenge; only Bearer has them (RFC 6750) */
function challenged(
  failure: 'credentials_missing' | 'token_invalid' | 'insufficient_scope',
  message: string,
  realm: string,
  schemes: readonly SecurityScheme[],
  errorOf: (scheme: SecurityScheme) => string = () => '',
): Refusal {
  const challenges = schemes.map((scheme) => challengeOf(scheme, `realm="${realm}"`, errorOf(scheme)))
  return new Refusal(failure, message, { 'WWW-Authenticate': [...new Set(challenges)].join(', ') })
}

function challengeOf({ kind, scheme }: SecurityScheme, realm: string, error: string): string {
  switch (kind) {
    case 'bearer':
    case 'jwt':
      return `Bearer ${realm}${error}`
    case 'basic':
      return `Basic ${realm}, charset="UTF-8"`
    case 'apiKey':
    case 'http':
      // ApiKey is not a registered scheme, but each 401 must have a challenge (RFC 9110, section 11.6.1).
      return `${scheme} ${realm}`
  }
}

function placeOf({ kind, in: place, name, scheme }: SecurityScheme): string {
  switch (kind) {
    case 'bearer':
    case 'jwt':
      return 'the header Authorization: Bearer TOKEN'
    case 'basic':
      return 'the header Authorization: Basic with CALLER:TOKEN in Base64'
    case 'http':
      return `the header Authorization: ${scheme}`
    case 'apiKey':
      return {
        header: `the header ${name}: KEY`,
        query: `the query parameter ${name}=KEY`,
        cookie: `the cookie ${name}=KEY`,
      }[place]
  }
}
