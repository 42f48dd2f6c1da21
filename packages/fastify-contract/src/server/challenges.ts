import type { SecurityScheme } from '../document/security.ts'
import { Refusal } from '../engine/refusal.ts'

/**
 * Refuses credentials, with the challenges of schemes (RFC 9110, section 11.6.1).
 *
 * @param realm the protection space that challenges name
 * @param errors what is wrong with the credentials of each scheme; only a Bearer challenge says it (RFC 6750, section 3)
 */
export function challenged(
  failure: 'credentials_missing' | 'token_invalid' | 'insufficient_scope',
  message: string,
  realm: string,
  schemes: readonly SecurityScheme[],
  errors: readonly string[] = [],
): Refusal {
  const challenges = schemes.map((scheme, index) => challengeOf(scheme, `realm="${realm}"`, errors[index] ?? ''))
  return new Refusal(failure, message, { 'WWW-Authenticate': [...new Set(challenges)].join(', ') })
}

function challengeOf({ kind }: SecurityScheme, realm: string, error: string): string {
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

/** Where a request carries the credentials of a scheme, for a person. */
export function placeOf({ kind, in: place, name }: SecurityScheme): string {
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
