import Database from 'better-sqlite3'
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UnusableStore } from '../store.ts'
import { OpenFiles, makeFolder, realPathOf, removeLeftIndex, restrictToOwner } from './open-files.ts'
import { assertUsable, integerOf, migrate, readHeader, readVersions } from './schema.ts'
import { isBusy, prepareReads, prepareWrites } from './statements.ts'

/** How long the start waits for another process that migrates or recovers the same file. */
const openTimeoutMilliseconds = 5_000

/** The largest file of which every page is checked when it is opened. The check of this size takes about 0.1 s. */
const maxCheckedBytes = 64 * 1_024 * 1_024

/**
 * The size in bytes to which SQLite truncates a longer log when it restarts the log. It restarts the log after about
 * 4 MB; only a long read, such as a backup, lets it grow further.
 */
const logLimitBytes = 8 * 1_024 * 1_024

/** A database, and the files that its connection has open. */
export interface OpenDatabase {
  /**
   * The one connection for reads and writes: a second one would read again what this one has written. It fails at once
   * with SQLITE_BUSY when another process holds the lock that it needs.
   */
  database: Database.Database
  files: OpenFiles
}

/**
 * Opens the database file and brings its schema up to date. A missing file is created, with its folder. Where this user
 * may change their modes, only the owner can then read the file and those that SQLite keeps beside it.
 *
 * @param file a path, which may be a symbolic link
 * @throws UnusableStore when the file cannot be opened, is not an SQLite database, is damaged, belongs to another
 *   program, or has a schema of a newer release; the file is unchanged then
 */
export function openDatabase(file: string): OpenDatabase {
  try {
    const realPath = realPathOf(file)
    makeFolder(dirname(realPath))
    const hasLog = prepareFile(file, realPath)
    const database = new Database(file, { timeout: openTimeoutMilliseconds })
    try {
      assertUndamaged(database, file)
      assertUsable(file, readVersions(database))
      configure(database)
      migrate(database)
      assertComplete(database, file)
      // SQLite opens the log at the first read in WAL mode.
      database.pragma('user_version')
      restrictToOwner(realPath)
      database.pragma('busy_timeout = 0')
      return { database, files: new OpenFiles(file, realPath) }
    } catch (error) {
      if (hasLog) closeKeepingLog(database, file)
      else database.close()
      throw error
    }
  } catch (error) {
    if (error instanceof UnusableStore) throw error
    throw new UnusableStore(`cannot open the database ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && error.code === 'EISDIR' ? 'it is a folder; name a file in it' : error.message
}

/**
 * Makes the file ready for SQLite, or refuses it before SQLite could change it.
 *
 * @returns whether the database has a write-ahead log with something in it
 */
function prepareFile(file: string, realPath: string): boolean {
  // Read before the header: another process that creates the database now creates the file before the log.
  const hasLog = (statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const header = readHeader(file)
  if (header !== undefined) {
    assertUsable(file, header)
    // SQLite would open a read-only file too, and every write would fail.
    accessSync(file, constants.W_OK)
  }
  removeLeftIndex(file)
  if (header === undefined && hasLog) {
    // SQLite would remove the log, which may hold acknowledged writes.
    throw new UnusableStore(
      `${file} is missing or empty, and its write-ahead log ${realPath}-wal is not: put the database back, ` +
        'or remove the log to begin anew; nothing was changed',
    )
  }
  // SQLite gives its own files the mode of this one.
  if (header === undefined) closeSync(openSync(file, 'a', 0o600))
  return hasLog
}

/** These settings belong to the connection, except WAL mode, which stays in the file. */
function configure(database: Database.Database): void {
  enterWalMode(database)
  // Waits for the disk at each commit; the default in WAL mode can lose the latest commits at a power failure.
  database.pragma('synchronous = FULL')
  database.pragma('trusted_schema = OFF')
  database.pragma(`journal_size_limit = ${String(logLimitBytes)}`)
}

/**
 * Waits for the locks of other processes. SQLite itself does not wait when it changes the mode: it has read the file
 * then, and two that wait for each other would wait for ever.
 */
function enterWalMode(database: Database.Database): void {
  const deadline = performance.now() + openTimeoutMilliseconds
  for (;;) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      // Waits until there is no other lock, or throws.
      database.exec('BEGIN EXCLUSIVE; COMMIT')
    }
  }
}

/** Skips large files, which would delay each start. Their damaged pages cause errors when they are read. */
function assertUndamaged(database: Database.Database, file: string): void {
  if (integerOf(database, 'page_count') * integerOf(database, 'page_size') > maxCheckedBytes) return
  // One row: 'ok' or the first fault, which may have several lines.
  const result = database.pragma('quick_check(1)', { simple: true }) as string
  if (result !== 'ok') {
    const fault = result.replaceAll(/\s+/g, ' ')
    throw new UnusableStore(`${file} is damaged (${fault}); restore a backup; nothing was changed`)
  }
}

/** A statement cannot be prepared where a table or a column of it is missing. */
function assertComplete(database: Database.Database, file: string): void {
  try {
    prepareReads(database)
    prepareWrites(database)
  } catch (error) {
    throw new UnusableStore(`${file} lacks a part of its schema (${reasonOf(error)}); restore a backup`, {
      cause: error,
    })
  }
}

/** Closes the database before a read-only connection: the last connection that can write copies the log into the file. */
function closeKeepingLog(database: Database.Database, file: string): void {
  const last = new Database(file, { readonly: true })
  try {
    last.pragma('user_version')
  } finally {
    database.close()
    last.close()
  }
}
