import type { Caller } from 'fastify-contract'

/** The callers of JSON Web Tokens begin with this, and no others do. */
const jwtPrefix = 'jwt:'

/** The longest `sub` that OpenID Connect Core, section 2, allows; here in UTF-16 code units. */
const maxSubjectLength = 255

/**
 * The caller for a subject of an issuer: `jwt:ISSUER SUB`. Unique, because an issuer contains no space, and the caller
 * of an opaque token never begins with `jwt:`.
 *
 * @param subject the claim `sub`
 * @returns undefined if a store could not keep the subject exactly: it is not text, empty or too long, or contains
 *   U+0000 or a lone surrogate
 */
export function jwtCaller(issuer: string, subject: unknown): Caller | undefined {
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectLength) return undefined
  return subject.isWellFormed() && !subject.includes('\0') ? `${jwtPrefix}${issuer} ${subject}` : undefined
}

/** Whether an opaque token may belong to this caller. */
export function isOpaqueCaller(caller: Caller): boolean {
  return caller !== '' && !caller.startsWith(jwtPrefix)
}

/**
 * Whether a token may be issued for a caller. PostgreSQL has no room in an index for thousands of bytes, and a control
 * character could make one line of a list look like several.
 */
export function isIssuable(caller: Caller): boolean {
  return isOpaqueCaller(caller) && /^\P{Cc}{1,255}$/u.test(caller)
}
