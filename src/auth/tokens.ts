import { hash, randomBytes } from 'node:crypto'
import type { Caller } from 'fastify-contract'
import type { StoredToken } from '../store/store.ts'

/** Tokens begin with this, so that people and secret scanners recognize them. */
const tokenPrefix = 'plst_'

/** How much of a token is stored as plain text to identify it. Too little to guess the rest. */
const prefixLength = tokenPrefix.length + 6

const secretBytes = 32

/** A new token. Its text is stored nowhere else. */
export interface IssuedToken {
  text: string
  stored: StoredToken
}

/**
 * Creates a token of 256 random bits.
 *
 * @param caller the token's owner; not empty
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @param ttl milliseconds, or undefined for a token that does not expire
 * @param scope scopes separated by spaces, or undefined for a token with all rights
 */
export function createToken(caller: Caller, now: number, ttl?: number, scope?: string): IssuedToken {
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

/** A hundred years of 365 days. A longer time is probably a typing error. */
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
  // The expression matches these four units only.
  const milliseconds = Number(number) * units[unit as keyof typeof units]
  return milliseconds <= maxTtl ? milliseconds : undefined
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
export function hashToken(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

/**
 * Removes tokens from a text that is to be logged: those of this service, and JSON Web Tokens. A JSON Web Token begins
 * with a JSON object in Base64, and so with `{` and then `"` or white space. Percent-encoded tokens are found too.
 *
 * @returns the same text if it contains no token; `[encoded]` if it is percent-encoded too many times to check
 */
export function withoutTokens(text: string): string {
  const decoded = percentDecoded(text)
  if (decoded === undefined) return '[encoded]'
  const redacted = decoded
    .replaceAll(/plst_[\w-]*/g, '[token]')
    // Reads each word to its end before it looks for the point, so that the time is linear.
    .replaceAll(/e(?:yJ|yA|wo|w0|wk)[\w-]*(\.[\w.-]*)?/g, (word: string, rest: string | undefined) =>
      rest === undefined ? word : '[token]',
    )
  return redacted === decoded ? text : redacted
}

/** The most times that a text may be percent-encoded. Nobody needs as many. */
const maxEncodings = 5

/** Percent-decodes the characters of tokens repeatedly; undefined after more than `maxEncodings` times. */
function percentDecoded(text: string): string | undefined {
  let decoded = text
  for (let count = 0; count <= maxEncodings; count++) {
    const next = decoded.replaceAll(/%([2-7][0-9a-f])/gi, (escape: string, hex: string) => {
      const character = String.fromCharCode(parseInt(hex, 16))
      return /[\w.%-]/.test(character) ? character : escape
    })
    if (next === decoded) return decoded
    decoded = next
  }
  return undefined
}
