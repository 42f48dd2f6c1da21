import type Database from 'better-sqlite3'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UnusableStore } from '../store.ts'
import { realPathOf } from './open-files.ts'
import { applicationId, migrations, schemaVersionOf } from './schema.ts'

/** What a database says about itself. */
export interface DatabaseHeader {
  applicationId: number
  /** `PRAGMA user_version`: how many migrations the file has had. */
  schemaVersion: number
  /** Whether the schema has any entries, if SQLite was asked. */
  hasTables?: boolean
}

const headerLength = 100

/**
 * Reads a file's header without SQLite, which could change the file (sqlite.org/fileformat.html, section 1.3). If the
 * database has a write-ahead log, the newest header may be in the log alone.
 *
 * @returns undefined when the file is missing or empty, also when SQLite will make it so: the power failed at the first
 *   commit, before the first page was on disk
 * @throws UnusableStore when it is not an SQLite database; Node's error when it cannot be read
 */
export function readHeader(file: string): DatabaseHeader | undefined {
  const header = Buffer.alloc(headerLength)
  let length: number
  try {
    const descriptor = openSync(file, 'r')
    try {
      length = readSync(descriptor, header, 0, headerLength, 0)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (length === 0 || (header.every((byte) => byte === 0) && hasJournal(file))) return undefined
  if (length < headerLength || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw new UnusableStore(`${file} is not an SQLite database; nothing was changed`)
  }
  return { applicationId: header.readUInt32BE(68), schemaVersion: header.readUInt32BE(60) }
}

/** Whether there is a journal, with which SQLite undoes a transaction that was not committed. */
function hasJournal(file: string): boolean {
  return (statSync(`${realPathOf(file)}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Reads the newest header with SQLite, from the file or its write-ahead log. All of it is of one snapshot, because
 * another process may migrate the file meanwhile.
 */
export function readVersions(database: Database.Database): DatabaseHeader {
  const read = database.transaction(() => ({
    hasTables: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() !== 0,
    // The pragma returns one integer of 32 bits.
    applicationId: database.pragma('application_id', { simple: true }) as number,
    schemaVersion: schemaVersionOf(database),
  }))
  return read()
}

/** @throws UnusableStore when the file belongs to another program, or a newer release migrated it */
export function assertUsable(file: string, header: DatabaseHeader): void {
  if (header.schemaVersion > migrations.length) {
    throw new UnusableStore(
      `${file} has schema version ${String(header.schemaVersion)}, and this release knows versions up to ` +
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

/** @throws UnusableStore when there is no database; for commands that must not create one */
export function assertExists(file: string): void {
  if (readHeader(file) === undefined) {
    throw new UnusableStore(
      `there is no database ${resolve(file)}; name another with DATABASE_URL=sqlite:PATH, or start the server, ` +
        'which creates it; nothing was changed',
    )
  }
}
