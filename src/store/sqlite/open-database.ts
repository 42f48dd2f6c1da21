import Database from 'better-sqlite3'
import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UnusableStore } from '../store.ts'
import { applicationId, assertPaired, assertUsable, readHeader, readVersions } from './database-header.ts'
import { migrations } from './migrations.ts'
import { OpenFiles } from './open-files.ts'
import { realPathOf } from './real-path.ts'

/** How long the start waits for another process that migrates or recovers the same file. */
const openTimeoutMilliseconds = 5_000

/** How long a read waits for another process that recovers or closes the same file. */
const readTimeoutMilliseconds = 1_000

/** Up to this size every page of a file is looked at when it is opened, which takes about 0.1 s then. */
const checkedBytes = 64 * 1_024 * 1_024

/**
 * To what a longer log is cut when SQLite begins it anew, in bytes. SQLite does so after about 4 MB; only a long read,
 * such as a backup, lets it grow further.
 */
const logLimitBytes = 8 * 1_024 * 1_024

/** Two connections to one file: what is read never waits for what is being written. */
export interface SqliteConnections {
  reader: Database.Database
  /** Refuses at once when another process holds the write lock; whoever writes waits without holding up the process. */
  writer: Database.Database
  files: OpenFiles
}

/**
 * Opens the database file, made with its folder when there is none, and brings its schema up to date. The file and
 * those that SQLite keeps beside it are made readable for their owner alone; so are those that there are, if this user
 * may do so.
 *
 * @param file a path, which may be a symbolic link
 * @throws UnusableStore when the file cannot be opened, is no SQLite database, is damaged, is another
 *   program's, or has a schema from the future; the file is as it was then
 */
export function openDatabase(file: string): SqliteConnections {
  try {
    const realPath = realPathOf(file)
    mkdirSync(dirname(realPath), { recursive: true, mode: 0o700 })
    assertPaired(file)
    // Asked first: another process that makes the database now makes the file before the log.
    const logBytes = statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size ?? 0
    const header = readHeader(file)
    if (header !== undefined) {
      assertUsable(file, header)
      // SQLite would open it all the same, and be able to read alone for as long as the server runs.
      accessSync(file, constants.W_OK)
    } else if (logBytes > 0) {
      // SQLite would remove the log, in which there may be acknowledged writes.
      throw new UnusableStore(
        `${file} is missing or empty, and its write-ahead log ${realPath}-wal is not: put the database back, ` +
          'or remove the log to begin anew; nothing was changed',
      )
    } else {
      // SQLite gives its own files the mode of this one.
      closeSync(openSync(file, 'a', 0o600))
    }
    const writer = new Database(file, { timeout: openTimeoutMilliseconds })
    try {
      assertUndamaged(writer, file)
      migrate(writer, file)
      // SQLite opens the log at the first read in this mode, which a file that was in another mode has not had yet.
      writer.pragma('user_version')
      restrictToOwner(realPath)
      writer.pragma('busy_timeout = 0')
      const files = new OpenFiles(file, realPath)
      const reader = new Database(file, { timeout: readTimeoutMilliseconds, readonly: true })
      return { reader, writer, files }
    } catch (error) {
      if (logBytes > 0) closeKeepingLog(writer, file)
      else writer.close()
      throw error
    }
  } catch (error) {
    if (error instanceof UnusableStore) throw error
    throw new UnusableStore(`cannot open the database ${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** Earlier releases, and copies made with other tools, have the mode that a umask chose. */
function restrictToOwner(realPath: string): void {
  for (const path of [realPath, `${realPath}-wal`, `${realPath}-shm`]) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o077) === 0) continue
    try {
      chmodSync(path, mode & 0o700)
    } catch {
      // Another user's file, or a file system without modes: the operator chose who can read it.
    }
  }
}

/** A larger file would take its time at each start; a damaged page of it is told when it is read. */
function assertUndamaged(database: Database.Database, file: string): void {
  // Both pragmas give one integer.
  const bytes = (database.pragma('page_count', { simple: true }) as number) * (database.pragma('page_size', { simple: true }) as number)
  if (bytes > checkedBytes) return
  // Its one row is 'ok' or the first fault, in one line or more.
  const verdict = database.pragma('quick_check(1)', { simple: true }) as string
  if (verdict !== 'ok') throw new UnusableStore(`${file} is damaged (${verdict.replaceAll(/\s+/g, ' ')}); restore a backup; nothing was changed`)
}

/** The last connection to close would fold the log into the file, unless it can only read. */
function closeKeepingLog(writer: Database.Database, file: string): void {
  const last = new Database(file, { readonly: true })
  try {
    last.pragma('user_version')
  } finally {
    writer.close()
    last.close()
  }
}

function migrate(database: Database.Database, file: string): void {
  const existing = database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() ?? 0
  const current = readVersions(database)
  assertUsable(file, current)
  if (existing > 0 && current.schemaVersion === 0) throw new UnusableStore(`${file} is an SQLite database of another program; nothing was changed`)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('trusted_schema = OFF')
  database.pragma(`journal_size_limit = ${String(logLimitBytes)}`)
  if (current.schemaVersion === migrations.length) return
  database
    .transaction(() => {
      // Another process may have migrated the file while this one waited for the lock.
      const { schemaVersion } = readVersions(database)
      for (const migration of migrations.slice(schemaVersion)) database.exec(migration)
      database.pragma(`application_id = ${String(applicationId)}`)
      database.pragma(`user_version = ${String(migrations.length)}`)
    })
    .immediate()
}
