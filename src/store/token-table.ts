import type { StoredToken } from './store.ts'

/** A value that both drivers accept. */
export type Value = string | number | bigint | Uint8Array | null

/** An integer as a driver returns it. */
type Integer = number | bigint | string

/** A row of `tokens`. */
export interface TokenRow {
  hash: Buffer
  prefix: string
  caller: string
  issued_at: Integer
  expires_at: Integer | null
  last_used_at: Integer | null
  scope: string | null
}

/** The table `tokens`, which has the same columns in both databases. */
export const tokenTable = {
  columns: ['hash', 'prefix', 'caller', 'issued_at', 'expires_at', 'last_used_at', 'scope'],

  /** The values of the columns. */
  valuesOf: (token: StoredToken): Value[] => [
    token.hash,
    token.prefix,
    token.caller,
    token.issuedAt,
    token.expiresAt ?? null,
    token.lastUsedAt ?? null,
    token.scope ?? null,
  ],

  tokenOf: ({ hash, prefix, caller, issued_at, expires_at, last_used_at, scope }: TokenRow): StoredToken => ({
    hash,
    prefix,
    caller,
    issuedAt: Number(issued_at),
    expiresAt: expires_at === null ? undefined : Number(expires_at),
    lastUsedAt: last_used_at === null ? undefined : Number(last_used_at),
    scope: scope ?? undefined,
  }),
}
