import Database from 'better-sqlite3'
import { plantColumns, plantTable } from '../../plants/plant.ts'
import { type Caller, type TokenUse, lastUsedResolutionMilliseconds } from '../store.ts'
import type { Row, Value } from '../table.ts'
import { noRows, tableNames } from '../tables.ts'
import { type TokenRow, tokenRows } from '../token-table.ts'

/** A JSON array of plants. SQLite adds the brackets, because JavaScript would copy the text to add them. */
const list = `'[' || ifnull(group_concat(json), '') || ']'`

/**
 * Every statement that reads for the server. `group_concat` keeps the order of the inner query.
 *
 * With `?`, SQLite prepares a statement again whenever the value of a limit or a key column could change the plan
 * (sqlite.org/c3ref/prepare.html). `+?` prevents that.
 */
export function prepareReads(database: Database.Database) {
  return {
    begin: database.prepare('BEGIN'),
    // Nothing to commit, and COMMIT fails on a damaged file.
    end: database.prepare('ROLLBACK'),
    shortList: database
      .prepare<[Caller, number], string>(
        `SELECT ${list} FROM (SELECT json FROM plants WHERE caller = +? ORDER BY id LIMIT +?)`,
      )
      .pluck(),
    page: database
      .prepare<[Caller, bigint, number], Buffer | null>(
        `SELECT CAST(group_concat(json) AS BLOB)
         FROM (SELECT json FROM plants WHERE caller = +? AND id >= +? ORDER BY id LIMIT +?)`,
      )
      .pluck(),
    idBehind: database
      .prepare<[Caller, bigint, number], bigint>(
        'SELECT id FROM plants WHERE caller = +? AND id >= +? ORDER BY id LIMIT 1 OFFSET +?',
      )
      .pluck()
      .safeIntegers(),
    callerOfToken: database
      .prepare<[Uint8Array, number], [Caller, string | null]>(
        'SELECT caller, scope FROM tokens WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)',
      )
      .raw(),
    tokens: database.prepare<[], TokenRow>(`SELECT ${tokenRows.columns.join()} FROM tokens ORDER BY issued_at, hash`),
    // Needs the tables, but none of their pages.
    isReadable: database.prepare(`SELECT 1 FROM ${tableNames.join()} LIMIT 0`),
    isEmpty: database.prepare<[], number>(`SELECT ${noRows}`).pluck(),
  }
}

/** Every statement that writes for the server. */
export function prepareWrites(database: Database.Database) {
  const tokenColumns = tokenRows.columns.join()
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
    createPlant: database.prepare<Value[]>(
      `INSERT INTO plants (caller, id, ${plantColumns})
       VALUES (?, ?, ${placeholders(plantTable.properties)}) ON CONFLICT DO NOTHING`,
    ),
    deletePlant: database.prepare<[Caller, bigint]>('DELETE FROM plants WHERE caller = ? AND id = ?'),
    addToken: database.prepare<Value[]>(
      `INSERT INTO tokens (${tokenColumns}) VALUES (${placeholders(tokenRows.columns)})`,
    ),
    revokeTokens: database.prepare<Value[], TokenRow>(
      `DELETE FROM tokens WHERE ${tokenRows.isSelected} RETURNING ${tokenColumns}`,
    ),
    recordUse: database.prepare<[TokenUse]>(
      `UPDATE tokens SET last_used_at = @usedAt
       WHERE hash = @hash AND (last_used_at IS NULL OR last_used_at NOT BETWEEN
         @usedAt - ${String(lastUsedResolutionMilliseconds - 1)} AND
         @usedAt + ${String(lastUsedResolutionMilliseconds)})`,
    ),
  }
}

/** Prepares statements when they first run, and runs them. Integers are bigints. */
export function sqlRunner(database: Database.Database): (text: string, values: readonly Value[]) => Row[] {
  const prepared = new Map<string, Database.Statement<Value[], Row>>()
  return (text, values) => {
    const statement = prepared.get(text) ?? database.prepare<Value[], Row>(text).safeIntegers()
    prepared.set(text, statement)
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  }
}

/** A `?` for each column. */
function placeholders(columns: readonly string[]): string {
  return columns.map(() => '?').join()
}

/**
 * Result codes of faults of the file, the disk or another process, with their extended codes (sqlite.org/rescode.html).
 * The statements were prepared at the start, so ERROR means that a table has been dropped since.
 */
const environmental =
  /^SQLITE_(ERROR|BUSY|LOCKED|NOMEM|READONLY|IOERR|CORRUPT|FULL|CANTOPEN|PROTOCOL|NOTADB|INTERRUPT)(_|$)/

/** Whether the database cannot be read or written now, whatever the statement. */
export function isUnavailable(error: unknown): error is Error {
  return error instanceof Database.SqliteError && environmental.test(error.code)
}

/** Whether a statement met a page or a table that it cannot read. Statements that do not need it may still work. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Database.SqliteError && /^SQLITE_(ERROR|CORRUPT|IOERR_READ)(_|$)/.test(error.code)
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_BUSY(_|$)/.test(error.code)
}
