import { isScope } from 'fastify-contract/security'

/**
 * Whether a token has all of these scopes.
 *
 * @param scope its scopes, separated by spaces; undefined if it has all rights
 */
export function hasScopes(scope: string | undefined, required: readonly string[]): boolean {
  if (scope === undefined || required.length === 0) return true
  const granted = scope.split(' ')
  return required.every((each) => granted.includes(each))
}

/**
 * Reads scopes that a person wrote with commas between them.
 *
 * @returns each once, separated by spaces; undefined if one is empty or has characters that no scope has
 */
export function readScopes(text: string): string | undefined {
  const scopes = text.split(',')
  return scopes.every(isScope) ? [...new Set(scopes)].join(' ') : undefined
}

/**
 * The scopes of a JSON Web Token: its claim `scope`, separated by spaces (RFC 8693, section 4.2), or where that is
 * missing `scp`, its name at some providers. Both may also be a list.
 *
 * @returns undefined if the claim has another form; a `scope` that is undefined if there is none
 */
export function scopeOfClaims(claims: Record<string, unknown>): { scope: string | undefined } | undefined {
  const claim = claims['scope'] === undefined ? claims['scp'] : claims['scope']
  if (claim === undefined || typeof claim === 'string') return { scope: claim }
  const isList = Array.isArray(claim) && claim.every((each) => typeof each === 'string' && isScope(each))
  return isList ? { scope: claim.join(' ') } : undefined
}
