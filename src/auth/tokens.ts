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

/** Takes tokens out of a text that is to be logged: those of this service, and JSON Web Tokens, whose header is a JSON object in Base64. */
export function withoutTokens(text: string): string {
  return text.replaceAll(/plst_[\w-]*|eyJ[\w-]*\.[\w.-]*/g, '[token]')
}
