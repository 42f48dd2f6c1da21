import Database from 'better-sqlite3'
import { closeSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { UnusableStore } from '../store.ts'
import { migrations } from './migrations.ts'

/** Marks a file as this service's (SQLite's file format, "Application ID"): "Plnt" in ASCII. */
const applicationId = 0x506c6e74

/** Older versions can lose acknowledged writes when the write-ahead log is reset (sqlite.org/wal.html, "The WAL-reset bug"). */
const oldestSqlite = '3.51.3'

/** How long the start waits for another process that migrates or recovers the same file. */
const openTimeoutMilliseconds = 5_000

/** How long a read waits for another process that recovers or closes the same file. */
const readTimeoutMilliseconds = 1_000

/** Two connections to one file: what is read never waits for what is being written. */
export interface SqliteConnections {
  reader: Database.Database
  /** Refuses at once when another process holds the write lock; whoever writes waits without holding up the process. */
  writer: Database.Database
}

/**
 * Opens the database file, made with its folder when there is none, and brings its schema up to date.
 *
 * @param file a path
 * @throws UnusableStore when the file cannot be opened, is no SQLite database, is another program's, or has a schema from the
 *   future; the file is as it was then
 */
export function openDatabase(file: string): SqliteConnections {
  assertVersion()
  try {
    mkdirSync(dirname(file), { recursive: true })
    assertUsable(file, readHeader(file))
    const writer = new Database(file, { timeout: openTimeoutMilliseconds })
    try {
      migrate(writer, file)
      writer.pragma('busy_timeout = 0')
      const reader = new Database(file, { timeout: readTimeoutMilliseconds, readonly: true })
      return { reader, writer }
    } catch (error) {
      writer.close()
      throw error
    }
  } catch (error) {
    if (error instanceof UnusableStore) throw error
    throw new UnusableStore(`cannot open the database ${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function assertVersion(): void {
  const database = new Database(':memory:')
  const version = database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  database.close()
  if (version.localeCompare(oldestSqlite, 'en', { numeric: true }) < 0) {
    throw new UnusableStore(`SQLite ${version} can lose acknowledged writes; this service needs ${oldestSqlite} or later, which its own better-sqlite3 has`)
  }
}

interface Header {
  applicationId: number
  schemaVersion: number
}

const headerLength = 100

/** Reads the file's header without SQLite, which could change the file (sqlite.org/fileformat.html, section 1.3). */
function readHeader(file: string): Header | undefined {
  const header = Buffer.alloc(headerLength)
  let length: number
  try {
    const descriptor = openSync(file, 'r')
    length = readSync(descriptor, header, 0, headerLength, 0)
    closeSync(descriptor)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (length === 0) return undefined
  if (length < headerLength || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw new UnusableStore(`${file} is not an SQLite database; nothing was changed`)
  return { applicationId: header.readUInt32BE(68), schemaVersion: header.readUInt32BE(60) }
}

function assertUsable(file: string, header: Header | undefined): void {
  if (header === undefined) return
  if (header.schemaVersion > migrations.length) {
    throw new UnusableStore(
      `${file} has schema version ${String(header.schemaVersion)}, and this release knows versions up to ${String(migrations.length)}: start a newer release; nothing was changed`,
    )
  }
  if (header.applicationId !== applicationId && (header.applicationId !== 0 || header.schemaVersion !== 0)) {
    throw new UnusableStore(`${file} is an SQLite database of another program; nothing was changed`)
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

function readVersions(database: Database.Database): Header {
  // Both pragmas give one integer of 32 bits.
  return {
    applicationId: database.pragma('application_id', { simple: true }) as number,
    schemaVersion: database.pragma('user_version', { simple: true }) as number,
  }
}
