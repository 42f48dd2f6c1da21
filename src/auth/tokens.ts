import { hash, randomBytes } from 'node:crypto'
import { isScope } from 'fastify-contract/security'
import type { Caller, StoredToken } from '../store/store.ts'

/** The prefix by which people and secret scanners recognize opaque tokens. */
const tokenPrefix = 'plst_'

/** The length of the prefix that is stored as plain text to identify a token. Too short to help guess the rest. */
const prefixLength = tokenPrefix.length + 6

const secretBytes = 32

/**
 * Creates a token of 256 random bits.
 *
 * @param caller the token's owner; not empty
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @param ttl milliseconds, or undefined for a token that does not expire
 * @param scope scopes separated by spaces, or undefined for a token with all rights
 * @returns its text, which is never stored, and its stored form
 */
export function createToken(
  caller: Caller,
  now: number,
  ttl?: number,
  scope?: string,
): { text: string; stored: StoredToken } {
  const text = tokenPrefix + randomBytes(secretBytes).toString('base64url')
  return {
    text,
    stored: {
      hash: hashToken(text),
      prefix: prefixOf(text),
      caller,
      issuedAt: now,
      expiresAt: ttl === undefined ? undefined : now + ttl,
      lastUsedAt: undefined,
      scope,
    },
  }
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A hundred years of 365 days. A longer time is probably a typo. */
const maxTtl = 36_500 * units.d

/**
 * Reads a token's time to live.
 *
 * @param text a whole number of seconds, minutes, hours or days: `90s`, `15m`, `12h`, `30d`
 * @returns milliseconds, or undefined if the text has another form or the time is longer than 36500 days
 */
export function readTtl(text: string): number | undefined {
  const [, number, unit] = /^([1-9][0-9]*)([smhd])$/.exec(text) ?? []
  if (number === undefined) return undefined
  // The expression matches only these four units.
  const milliseconds = Number(number) * units[unit as keyof typeof units]
  return milliseconds <= maxTtl ? milliseconds : undefined
}

/**
 * Reads the scopes of a token.
 *
 * @param text scopes separated by commas
 * @returns each scope once, separated by spaces; undefined if one is empty or has an invalid character
 */
export function readScopes(text: string): string | undefined {
  const scopes = text.split(',')
  return scopes.every(isScope) ? [...new Set(scopes)].join(' ') : undefined
}

/** The prefix of the callers of JSON Web Tokens, and of no others. */
export const jwtCallerPrefix = 'jwt:'

/** Whether an opaque token may belong to this caller. */
export function isOpaqueCaller(caller: Caller): boolean {
  return caller !== '' && !caller.startsWith(jwtCallerPrefix)
}

/**
 * Whether a token may be issued for a caller. An index entry of PostgreSQL cannot hold thousands of bytes, and a
 * control character could fake lines of a list.
 */
export function isIssuable(caller: Caller): boolean {
  return isOpaqueCaller(caller) && /^\P{Cc}{1,255}$/u.test(caller)
}

/** The part of a token that is stored as plain text and shown. */
export function prefixOf(text: string): string {
  return text.slice(0, prefixLength)
}

/** Whether a text looks like a token of this service. */
export function isOpaqueToken(text: string): boolean {
  return text.startsWith(tokenPrefix)
}

/** The SHA-256 of a token. A random token cannot be guessed, so it needs no salt and no slow hash. */
export function hashToken(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
