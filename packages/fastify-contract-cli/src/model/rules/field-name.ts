/** Whether a text is a token, as the name of a header is (RFC 9110, section 5.1). */
export function isFieldName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name)
}

/** Why a parameter or an API key cannot have its name. */
export function misnamedParameter(name: string, place: unknown): string | undefined {
  if (name === '__proto__') return 'JavaScript objects cannot have the name __proto__; choose another'
  return place !== 'header' || isFieldName(name) ? undefined : `${name} is not a header name; use letters, digits and -`
}
