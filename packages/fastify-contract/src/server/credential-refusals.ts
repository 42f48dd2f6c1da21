import type { SecurityScheme } from '../document/security.ts'
import { Refusal } from '../engine/refusal.ts'

/** An alternative of security requirements: the indices of its schemes, and the scopes that each must have. */
export type Alternative = { index: number; scopes: readonly string[] }[]

/** The refusals of missing or insufficient credentials, each with a challenge (RFC 9110, section 11.6.1). */
export class CredentialRefusals {
  readonly #realm: string
  readonly #schemes: readonly SecurityScheme[]

  /**
   * @param realm the protection space that challenges name
   * @param schemes those of the operation
   */
  constructor(realm: string, schemes: readonly SecurityScheme[]) {
    this.#realm = `realm="${realm}"`
    this.#schemes = schemes
  }

  /** There are no credentials. @param alternatives those of the operation */
  missing(alternatives: readonly Alternative[]): Refusal {
    const places = alternatives.map((alternative) =>
      alternative.map(({ index }) => placeOf(this.#schemes[index]!)).join(' and '),
    )
    const challenges = this.#schemes.map((scheme) => this.#challengeOf(scheme))
    return refusal('credentials_missing', `send ${[...new Set(places)].join(', or ')}`, challenges)
  }

  /** The credentials are not valid. @param isUnknown says for each scheme whether its credentials were refused */
  invalid(isUnknown: readonly boolean[]): Refusal {
    const error = ', error="invalid_token"'
    if (!isUnknown.includes(true)) {
      const challenges = this.#schemes.map((scheme) => this.#challengeOf(scheme, error))
      return refusal('token_invalid', 'the credentials belong to different callers', challenges)
    }
    const reason = 'token is unknown, malformed, expired or revoked'
    const described = `${error}, error_description="The ${reason}"`
    const challenges = this.#schemes.map((scheme, index) =>
      this.#challengeOf(scheme, isUnknown[index] === true ? described : ''),
    )
    return refusal('token_invalid', `the ${reason}`, challenges)
  }

  /** The credentials lack a scope (RFC 6750, section 3.1). */
  lackingScope(alternative: Alternative): Refusal {
    const scope = [...new Set(alternative.flatMap(({ scopes }) => scopes))].join(' ')
    const error = `, error="insufficient_scope", scope="${scope}"`
    const challenges = alternative.map(({ index }) => this.#challengeOf(this.#schemes[index]!, error))
    return refusal('insufficient_scope', `the token lacks a scope of: ${scope}`, challenges)
  }

  /** The challenge of a scheme. Only a Bearer challenge can say what is wrong. */
  #challengeOf({ kind }: SecurityScheme, error = ''): string {
    switch (kind) {
      case 'bearer':
      case 'jwt':
        return `Bearer ${this.#realm}${error}`
      case 'basic':
        return `Basic ${this.#realm}, charset="UTF-8"`
      case 'apiKey':
        // Not a registered scheme; but each 401 must have a challenge.
        return `ApiKey ${this.#realm}`
    }
  }
}

function refusal(
  failure: 'credentials_missing' | 'token_invalid' | 'insufficient_scope',
  message: string,
  challenges: string[],
): Refusal {
  return new Refusal(failure, message, { 'WWW-Authenticate': [...new Set(challenges)].join(', ') })
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
