import Database from 'better-sqlite3'
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OpenOptions } from '../schema-version.ts'
import { UnusableStore } from '../store.ts'
import { OpenFiles, makeFolder, realPathOf, removeLeftIndex, restrictToOwner } from './open-files.ts'
import { assertTables, assertUsable, damageRemedy, integerOf, migrate, readHeader, readVersions } from './schema.ts'
import { isBusy } from './statements.ts'

/** How long the start waits for another process that migrates or recovers the file. */
const openTimeoutMilliseconds = 5_000

/** The largest file whose pages are all checked at the start, which takes about 0.1 s at this size. */
const maxCheckedBytes = 64 * 1_024 * 1_024

/**
 * SQLite truncates a longer log to this many bytes when it restarts the log. It restarts the log after about 4 MB, unless
 * a long read such as a backup prevents it.
 */
const logLimitBytes = 8 * 1_024 * 1_024

/** An open database and its files. */
export interface OpenDatabase {
  /**
   * The only connection: a second one for reads would read every written page again. It fails at once with SQLITE_BUSY
   * if another process holds a lock that it needs.
   */
  database: Database.Database
  files: OpenFiles
}

/**
 * Opens the database file and brings its schema up to date. Creates a missing file and its folder. If this user may
 * change the modes, only the owner can then read the file and SQLite's own files.
 *
 * @param file a path, which may be a symbolic link
 * @throws UnusableStore when the file cannot be opened, is not an SQLite database, is damaged, belongs to another
 *   program, has the schema of a newer release, or is the target of an unfinished move; the file is unchanged then
 */
export function openDatabase(file: string, options: OpenOptions = {}): OpenDatabase {
  try {
    const realPath = realPathOf(file)
    makeFolder(dirname(realPath))
    const hasLog = prepareFile(file, realPath, options)
    const database = new Database(file, { timeout: openTimeoutMilliseconds })
    try {
      assertUndamaged(database, file)
      assertUsable(file, readVersions(database), options)
      configure(database)
      migrate(database, file)
      assertTables(database, file)
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
  if ('code' in error && error.code === 'EISDIR') return 'it is a folder; name a file in it'
  return isBusy(error) ? 'another process has locked it, as a migration does; try again when it is done' : error.message
}

/**
 * Prepares the file for SQLite, or refuses it before SQLite could change it.
 *
 * @returns whether the database has a write-ahead log that is not empty
 */
function prepareFile(file: string, realPath: string, options: OpenOptions): boolean {
  // Checked before the header, because another process that creates the database creates the file before the log.
  const hasLog = (statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const header = readHeader(file)
  if (header !== undefined) {
    assertUsable(file, header, options)
    // SQLite would open a read-only file, and every write would fail.
    accessSync(file, constants.W_OK)
  }
  removeLeftIndex(file)
  if (header === undefined && hasLog) {
    // SQLite would remove the log, which may hold acknowledged writes.
    throw new UnusableStore(
      `${file} is missing or empty, but its write-ahead log ${realPath}-wal is not: put the database back, ` +
        'or remove the log to start empty; nothing was changed',
    )
  }
  // SQLite gives its own files the same mode.
  if (header === undefined) closeSync(openSync(file, 'a', 0o600))
  return hasLog
}

/** Configures the connection. WAL mode is stored in the file. */
function configure(database: Database.Database): void {
  enterWalMode(database)
  // Syncs each commit. Without that, a power failure can lose the latest commits in WAL mode.
  database.pragma('synchronous = FULL')
  database.pragma('trusted_schema = OFF')
  database.pragma(`journal_size_limit = ${String(logLimitBytes)}`)
}

/**
 * Waits for other processes' locks. SQLite itself does not wait when it changes the mode: it holds a read lock by then,
 * and two processes would wait for each other forever.
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

/** Skips large files, which would delay each start. Their damaged pages cause errors when read. */
function assertUndamaged(database: Database.Database, file: string): void {
  if (integerOf(database, 'page_count') * integerOf(database, 'page_size') > maxCheckedBytes) return
  // One row: 'ok', or the first fault, maybe of several lines.
  const result = database.pragma('quick_check(1)', { simple: true }) as string
  if (result !== 'ok') {
    const fault = result.replaceAll(/\s+/g, ' ')
    throw new UnusableStore(`${file} is damaged (${fault}); ${damageRemedy}; nothing was changed`)
  }
}

/**
 * Closes the database while a read-only connection is open, because otherwise SQLite would copy the log into the file.
 */
function closeKeepingLog(database: Database.Database, file: string): void {
  const last = new Database(file, { readonly: true })
  try {
    last.pragma('user_version')
  } finally {
    database.close()
    last.close()
  }
}
