import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'

/** What a log holds when SQLite begins it anew, which it does after 1,000 pages of 4 KiB (`wal_autocheckpoint`). */
const logBytes = 1_000 * 4_096

/**
 * Makes the write-ahead log as long as it is before SQLite begins it anew. A commit that makes a file longer waits for the
 * file system's own journal too, more than twice as long as one that writes over what there is; the first thousand would.
 *
 * @param database open for writing, with a `busy_timeout` of 0
 * @param file its path
 */
export function extendLog(database: Database.Database, file: string): void {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) >= logBytes) return
  try {
    database.exec('BEGIN IMMEDIATE')
  } catch {
    // Another process writes, and so there is a log.
    return
  }
  // A positive cache_size counts pages, a negative one KiB; with few pages the rest goes to the log before there is a commit.
  const cacheSize = database.pragma('cache_size', { simple: true }) as number
  try {
    database.pragma('cache_size = 8')
    database.exec(`CREATE TABLE log_extension (bytes); INSERT INTO log_extension VALUES (zeroblob(${String(logBytes)}))`)
  } catch {
    // Without room for it the log grows as it is used.
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK')
    database.pragma(`cache_size = ${String(cacheSize)}`)
  }
}
