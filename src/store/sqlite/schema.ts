import type Database from 'better-sqlite3'
import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { UnusableStore } from '../store.ts'
import { assertFile, realPathOf } from './open-files.ts'

/** Marks a file as this service's (sqlite.org/fileformat.html, "Application ID"): "Plnt" in ASCII. */
export const applicationId = 0x506c6e74

/**
 * The schema, version by version: entry `n` migrates from `PRAGMA user_version` n to n + 1. A released entry never
 * changes.
 *
 * `plants` is clustered by its key, so a caller's plants are stored in list order. `json` is the contract's `Plant`,
 * made when the plant is created rather than for each list. SQLite cannot change a generated column of a table with
 * rows, so `json` is a plain one.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE plants (
     caller TEXT NOT NULL,
     id INTEGER NOT NULL,
     name TEXT NOT NULL,
     tag TEXT,
     json TEXT NOT NULL GENERATED ALWAYS AS (
       CASE WHEN tag IS NULL THEN json_object('name', name) ELSE json_object('name', name, 'tag', tag) END
     ) STORED,
     PRIMARY KEY (caller, id)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE tokens (
     hash BLOB NOT NULL PRIMARY KEY,
     prefix TEXT NOT NULL,
     caller TEXT NOT NULL,
     issued_at INTEGER NOT NULL,
     expires_at INTEGER
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;`,
  `ALTER TABLE tokens ADD COLUMN scope TEXT;`,
  `CREATE TABLE new_plants (
     caller TEXT NOT NULL,
     id INTEGER NOT NULL,
     name TEXT NOT NULL,
     tag TEXT,
     json TEXT NOT NULL,
     PRIMARY KEY (caller, id)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO new_plants SELECT caller, id, name, tag, json FROM plants;
   DROP TABLE plants;
   ALTER TABLE new_plants RENAME TO plants;`,
]

/** Brings the schema up to date. Safe while other processes do the same. */
export function migrate(database: Database.Database): void {
  if (integerOf(database, 'user_version') === migrations.length) return
  database
    .transaction(() => {
      // Reads the version again: another process may have migrated the file meanwhile.
      for (const migration of migrations.slice(integerOf(database, 'user_version'))) database.exec(migration)
      database.pragma(`application_id = ${String(applicationId)}`)
      database.pragma(`user_version = ${String(migrations.length)}`)
    })
    .immediate()
}

/** The identity and version in a database's header. */
export interface DatabaseHeader {
  applicationId: number
  /** `PRAGMA user_version`: the number of applied migrations. */
  schemaVersion: number
  /** Whether the schema has entries; undefined if the header was read without SQLite. */
  hasTables?: boolean
}

const headerLength = 100

/** The first bytes of a rollback journal (sqlite.org/fileformat.html, section 3). */
const journalMagic = Buffer.from('d9d505f920a163d7', 'hex')

/**
 * Reads a file's header without SQLite, which could change the file (sqlite.org/fileformat.html, section 1.3). The
 * newest header may be in the write-ahead log only.
 *
 * @returns undefined when the file is missing or empty, or SQLite will roll it back to empty because the power failed
 *   during the first commit
 * @throws UnusableStore when it is not a file or not an SQLite database; Node's error when it cannot be read
 */
export function readHeader(file: string): DatabaseHeader | undefined {
  assertFile(file)
  const header = readStart(file, headerLength)
  if (header.length === 0) return undefined
  if (header.every((byte) => byte === 0)) {
    const journal = readStart(`${realPathOf(file)}-journal`, journalMagic.length)
    if (journal.equals(journalMagic)) return undefined
  }
  if (header.length < headerLength || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw new UnusableStore(`${file} is not an SQLite database; nothing was changed`)
  }
  return { applicationId: header.readUInt32BE(68), schemaVersion: header.readUInt32BE(60) }
}

/** @returns the first bytes of a file; none if it is missing */
function readStart(file: string, length: number): Buffer {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const start = Buffer.alloc(length)
      return start.subarray(0, readSync(descriptor, start, 0, length, 0))
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/**
 * Reads the newest header with SQLite, from the file or its write-ahead log. A transaction makes it consistent while
 * another process migrates the file.
 */
export function readVersions(database: Database.Database): DatabaseHeader {
  const read = database.transaction(() => ({
    hasTables: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() !== 0,
    applicationId: integerOf(database, 'application_id'),
    schemaVersion: integerOf(database, 'user_version'),
  }))
  return read()
}

/** Reads a pragma with an integer value. */
export function integerOf(
  database: Database.Database,
  pragma: 'application_id' | 'user_version' | 'page_count' | 'page_size',
): number {
  // better-sqlite3 does not type the results of pragmas.
  return database.pragma(pragma, { simple: true }) as number
}

/** @throws UnusableStore when the file belongs to another program, or a newer release migrated it */
export function assertUsable(file: string, header: DatabaseHeader): void {
  if (header.schemaVersion > migrations.length) {
    throw new UnusableStore(
      `${file} has schema version ${String(header.schemaVersion)}, but this release knows versions up to ` +
        `${String(migrations.length)}: start a newer release; nothing was changed`,
    )
  }
  const isOurs = header.applicationId === applicationId
  const isBlank = header.applicationId === 0 && header.schemaVersion === 0
  const isUnversioned = header.schemaVersion === 0 && header.hasTables === true
  if (!(isOurs || isBlank) || isUnversioned) {
    throw new UnusableStore(`${file} is an SQLite database of another program; nothing was changed`)
  }
}

/** For commands that must not create a database. @throws UnusableStore when there is none */
export function assertExists(file: string): void {
  if (readHeader(file) === undefined) {
    throw new UnusableStore(
      `there is no database ${resolve(file)}; name another with DATABASE_URL=sqlite:PATH, or start the server, ` +
        'which creates it; nothing was changed',
    )
  }
}
