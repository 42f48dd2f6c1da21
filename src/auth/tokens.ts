import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../contract/types.ts'
import type { StoredToken } from '../store/store.ts'

/** By this beginning people and secret scanners recognise a token of this service. */
const tokenPrefix = 'plst_'

/** How much of a token is kept in clear, to tell one from another: too little to guess the rest. */
const shownLength = tokenPrefix.length + 6

const secretBytes = 32

/** A token that was just made. Its text is nowhere else. */
export interface IssuedToken {
  text: string
  stored: StoredToken
}

/**
 * Makes a token of 256 random bits.
 *
 * @param caller whose token it is; not empty
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @param lifetime milliseconds, or undefined for a token that does not expire
 */
export function createToken(caller: Caller, now: number, lifetime?: number): IssuedToken {
  const text = tokenPrefix + randomBytes(secretBytes).toString('base64url')
  return {
    text,
    stored: { hash: hashToken(text), prefix: prefixOf(text), caller, issuedAt: now, expiresAt: lifetime === undefined ? undefined : now + lifetime, lastUsedAt: undefined },
  }
}

/** The part of a token that is kept in clear and shown. */
export function prefixOf(text: string): string {
  return text.slice(0, shownLength)
}

/** Whether a text is meant to be a token of this service. */
export function isOpaqueToken(text: string): boolean {
  return text.startsWith(tokenPrefix)
}

/** The SHA-256 of a token, by which it is kept. A random token needs no salt and no slow hash: it cannot be guessed. */
export function hashToken(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

/**
 * Takes tokens out of a text that is to be logged: those of this service, and JSON Web Tokens, whose header is a JSON object in
 * Base64, so that it begins with `{` and then `"` or white space. They are found in whatever is percent-encoded, too.
 *
 * @returns the text as it is when there is none
 */
export function withoutTokens(text: string): string {
  const decoded = percentDecoded(text)
  if (decoded === undefined) return '[encoded]'
  const left = decoded
    .replaceAll(/plst_[\w-]*/g, '[token]')
    // The point is looked for only once a word has been read to its end, so that the time is linear.
    .replaceAll(/e(?:yJ|yA|wo|w0|wk)[\w-]*(\.[\w.-]*)?/g, (word: string, rest: string | undefined) => (rest === undefined ? word : '[token]'))
  return left === decoded ? text : left
}

/** How often a text may be percent-encoded, one time on top of the other: more often than anybody does. */
const mostEncodings = 5

/** Percent-decodes the characters of tokens as often as they are encoded; undefined where that is more often than `mostEncodings`. */
function percentDecoded(text: string): string | undefined {
  let decoded = text
  for (let count = 0; count <= mostEncodings; count++) {
    const next = decoded.replaceAll(/%([2-7][0-9a-f])/gi, (escape: string, hex: string) => {
      const character = String.fromCharCode(parseInt(hex, 16))
      return /[\w.%-]/.test(character) ? character : escape
    })
    if (next === decoded) return decoded
    decoded = next
  }
  return undefined
}
