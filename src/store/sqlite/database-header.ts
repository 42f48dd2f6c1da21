import type Database from 'better-sqlite3'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { UnusableStore } from '../store.ts'
import { migrations } from './migrations.ts'
import { realPathOf } from './real-path.ts'

/** Marks a file as this service's (SQLite's file format, "Application ID"): "Plnt" in ASCII. */
export const applicationId = 0x506c6e74

/** What a database file says of itself. */
export interface DatabaseHeader {
  applicationId: number
  /** `PRAGMA user_version`: how many migrations the file has had. */
  schemaVersion: number
}

const headerLength = 100

/**
 * Reads a file's header without SQLite, which could change the file (sqlite.org/fileformat.html, section 1.3).
 *
 * @returns undefined when there is no file, or no byte in it
 * @throws UnusableStore when it is no SQLite database, or Node's error when it cannot be read
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
  if (length === 0) return undefined
  if (length < headerLength || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw new UnusableStore(`${file} is not an SQLite database; nothing was changed`)
  return { applicationId: header.readUInt32BE(68), schemaVersion: header.readUInt32BE(60) }
}

/** @throws UnusableStore when there is no database, for a command that must not make one */
export function assertExists(file: string): void {
  if (readHeader(file) === undefined) {
    throw new UnusableStore(
      `there is no database ${resolve(file)}; name another with DATABASE_URL=sqlite:PATH, or start the server, ` +
        'which makes it; nothing was changed',
    )
  }
}

/**
 * SQLite makes a log before its index (`-shm`) and removes it after that. With an index alone it would make an empty
 * log and look in it for what the index says is there, which damages the database.
 *
 * @throws UnusableStore when the log was removed while the database was open
 */
export function assertPaired(file: string): void {
  const path = realPathOf(file)
  const hasIndex = () => existsSync(`${path}-shm`)
  // Asked again, because both may have been removed between the first two answers.
  if (hasIndex() && !existsSync(`${path}-wal`) && hasIndex()) {
    throw new UnusableStore(
      `${path}-wal was removed and ${path}-shm was not: stop the server, which then removes the other too; ` +
        'after a crash remove it by hand; nothing was changed',
    )
  }
}

/** Reads with SQLite what the header says, of which the newest may be in the write-ahead log alone. */
export function readVersions(database: Database.Database): DatabaseHeader {
  // Both pragmas give one integer of 32 bits.
  return {
    applicationId: database.pragma('application_id', { simple: true }) as number,
    schemaVersion: database.pragma('user_version', { simple: true }) as number,
  }
}

/** @throws UnusableStore when the file is another program's, or has a schema from the future */
export function assertUsable(file: string, header: DatabaseHeader): void {
  if (header.schemaVersion > migrations.length) {
    throw new UnusableStore(
      `${file} has schema version ${String(header.schemaVersion)}, and this release knows versions up to ${String(migrations.length)}: start a newer release; nothing was changed`,
    )
  }
  if (header.applicationId !== applicationId && (header.applicationId !== 0 || header.schemaVersion !== 0)) {
    throw new UnusableStore(`${file} is an SQLite database of another program; nothing was changed`)
  }
}
