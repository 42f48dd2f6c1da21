import type { StoredToken, TokenSelection } from './store.ts'
import type { Table, Value } from './table.ts'

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

/** The table of tokens. */
export const tokenTable = {
  name: 'tokens',
  key: { hash: 'bytes' },
  columns: {
    prefix: 'text',
    caller: 'text',
    issued_at: 'integer',
    expires_at: 'integer?',
    last_used_at: 'integer?',
    scope: 'text?',
  },
} as const satisfies Table

/** Its columns, its rows, and the selection of some. */
export const tokenRows = {
  columns: ['hash', ...Object.keys(tokenTable.columns)],

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

  /** A condition with three parameters. Two of them are null, and equal nothing. */
  isSelected: 'prefix = ? OR caller = ? OR expires_at <= ?',

  /** The parameters of `isSelected`. */
  selectionOf: (selection: TokenSelection): [string | null, string | null, number | null] => [
    'prefix' in selection ? selection.prefix : null,
    'caller' in selection ? selection.caller : null,
    'expiredBy' in selection ? selection.expiredBy : null,
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
