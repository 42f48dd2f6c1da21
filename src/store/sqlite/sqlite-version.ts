import Database from 'better-sqlite3'
import { UnusableStore } from '../store.ts'

/** Older versions can lose acknowledged writes when the write-ahead log is reset (sqlite.org/wal.html, "The WAL-reset bug"). */
const oldestSqlite = '3.51.3'

/** The version of SQLite that runs here. */
export function linkedSqliteVersion(): string {
  const database = new Database(':memory:')
  try {
    // A function without FROM always gives one row.
    return database.prepare<[], string>('SELECT sqlite_version()').pluck().get()!
  } finally {
    database.close()
  }
}

/** @throws UnusableStore when this version of SQLite is not to be trusted with the data */
export function assertSqliteVersion(version: string): void {
  if (version.localeCompare(oldestSqlite, 'en', { numeric: true }) < 0) {
    throw new UnusableStore(`SQLite ${version} can lose acknowledged writes; this service needs ${oldestSqlite} or later, which its own better-sqlite3 has`)
  }
}
