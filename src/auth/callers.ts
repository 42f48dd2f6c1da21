import type { Caller } from '../contract/types.ts'

/** By this beginning the callers of JSON Web Tokens are told from all others, which never have it. */
const jwtPrefix = 'jwt:'

/** The longest `sub` that OpenID Connect Core, section 2, allows, in UTF-16 code units here. */
const longestSubject = 255

/**
 * The caller that a subject is within its issuer: no other issuer's subject is the same, because an issuer has no space, and
 * no opaque token's caller is, because it may not begin so.
 *
 * @param subject the claim `sub`
 * @returns undefined where a store could not tell the subject from another: empty, too long, or no text that is kept exactly
 */
export function jwtCaller(issuer: string, subject: unknown): Caller | undefined {
  if (typeof subject !== 'string' || subject === '' || subject.length > longestSubject) return undefined
  return subject.isWellFormed() && !subject.includes('\0') ? `${jwtPrefix}${issuer} ${subject}` : undefined
}

/** Whether an opaque token may be this caller's. */
export function isOpaqueCaller(caller: Caller): boolean {
  return caller !== '' && !caller.startsWith(jwtPrefix)
}
