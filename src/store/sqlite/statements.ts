import type Database from 'better-sqlite3'
import type { Caller } from '../../contract/types.ts'

export interface TokenRow {
  hash: Buffer
  prefix: string
  caller: string
  issued_at: number
  expires_at: number | null
  last_used_at: number | null
}

const tokenColumns = 'hash, prefix, caller, issued_at, expires_at, last_used_at'

/** A list of a caller's first plants, with its brackets, which JavaScript could only add in a copy. */
const list = `'[' || ifnull(group_concat(json), '') || ']'`

/**
 * Every statement that reads. The order of the inner query is that of the key, in which `group_concat` takes its rows.
 *
 * `+?` in the place of `?` keeps SQLite from preparing the statement again for each value, which it does where the value of a
 * limit, or of a comparison with a part of a key, could lead it to another plan (sqlite.org/c3ref/prepare.html).
 */
export function prepareReads(database: Database.Database) {
  return {
    shortList: database.prepare<[Caller, number], string>(`SELECT ${list} FROM (SELECT json FROM plants WHERE caller = +? ORDER BY id LIMIT +?)`).pluck(),
    page: database
      .prepare<[Caller, bigint, number], Buffer | null>(
        'SELECT CAST(group_concat(json) AS BLOB) FROM (SELECT json FROM plants WHERE caller = +? AND id >= +? ORDER BY id LIMIT +?)',
      )
      .pluck(),
    idBehind: database
      .prepare<[Caller, bigint, number], bigint>(
        'SELECT id FROM plants WHERE caller = +? AND id >= +? ORDER BY id LIMIT 1 OFFSET +?',
      )
      .pluck()
      .safeIntegers(),
    callerOfToken: database.prepare<[Uint8Array, number], Caller>('SELECT caller FROM tokens WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)').pluck(),
    tokens: database.prepare<[], TokenRow>(`SELECT ${tokenColumns} FROM tokens ORDER BY issued_at, hash`),
    isEmpty: database.prepare<[], number>('SELECT NOT EXISTS (SELECT 1 FROM plants) AND NOT EXISTS (SELECT 1 FROM tokens)').pluck(),
  }
}

/** Every statement that writes. */
export function prepareWrites(database: Database.Database) {
  return {
    createPlant: database.prepare<[Caller, bigint, string, string | null]>('INSERT INTO plants (caller, id, name, tag) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    deletePlant: database.prepare<[Caller, bigint]>('DELETE FROM plants WHERE caller = ? AND id = ?'),
    addToken: database.prepare<[Uint8Array, string, Caller, number, number | null, number | null]>(`INSERT INTO tokens (${tokenColumns}) VALUES (?, ?, ?, ?, ?, ?)`),
    revokeTokens: database.prepare<[string], TokenRow>(`DELETE FROM tokens WHERE prefix = ? RETURNING ${tokenColumns}`),
    recordUse: database.prepare<[{ hash: Uint8Array; usedAt: number }]>(
      'UPDATE tokens SET last_used_at = @usedAt WHERE hash = @hash AND (last_used_at IS NULL OR last_used_at NOT BETWEEN @usedAt - 59999 AND @usedAt + 60000)',
    ),
  }
}
