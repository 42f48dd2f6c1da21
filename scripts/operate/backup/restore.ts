import Database from 'better-sqlite3'
import {
  type Stats,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { realPathOf } from '../../../src/store/sqlite/open-files.ts'
import { UsageError } from '../../command.ts'
import { syncFile, syncName } from './durable-file.ts'
import { findHolder } from './open-elsewhere.ts'
import { type Content, isDamage, verifyCopy } from './verify-copy.ts'

/** What SQLite keeps beside a database file. */
const companions = ['-wal', '-shm', '-journal']

/**
 * Puts a copy in the place of a database, all at once: whatever happens, the file is the old one or the new one. The
 * new one keeps owner and mode of the old one, and a symbolic link to it. Where there was none, its owner alone can
 * read it.
 *
 * @param copy a file that `backUp` made; it is left as it is
 * @param target the database file
 * @param force whether a database that is there may be replaced
 * @throws UsageError when the copy is not good, the target is there, or a process has it open; UnusableStore as
 *   `verifyCopy`; Node's error when a file cannot be read or written
 */
export function restore(copy: string, target: string, force: boolean): Content {
  if (!existsSync(copy)) throw new UsageError(`there is no file ${copy}`)
  const place = realPathOf(target)
  const old = statSync(place, { throwIfNoEntry: false })
  if (old !== undefined && isSameFile(old, statSync(copy))) throw new UsageError(`${copy} is the database itself`)
  for (const suffix of ['-wal', '-journal']) {
    if (existsSync(realPathOf(copy) + suffix)) {
      throw new UsageError(`${copy}${suffix} is beside it: ${copy} is a database in use and not a copy of one`)
    }
  }
  if (old !== undefined && !old.isFile()) throw new UsageError(`${target} is no file; nothing was changed`)
  if (old !== undefined && !force) {
    throw new UsageError(`${target} is there already; --force replaces it; nothing was changed`)
  }
  assertClosed(place)
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
  // Nobody else can enter this folder (mode 0700), whatever the mode of the copy.
  const folder = mkdtempSync(`${place}.restoring-`)
  const incoming = join(folder, basename(place))
  try {
    copyFileSync(copy, incoming)
    chmodSync(incoming, 0o600)
    const content = verifyCopy(incoming, copy)
    giveAway(incoming, place, old)
    // A server may have started while the copy was verified.
    assertClosed(place)
    const release = old === undefined ? () => undefined : takeOver(place, target)
    try {
      // What is beside a file that is gone or cannot be read would be taken for part of the new one.
      for (const suffix of companions) rmSync(place + suffix, { force: true })
      if (old === undefined) publish(incoming, place)
      else renameSync(incoming, place)
    } finally {
      release()
    }
    syncName(place)
    return content
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** No lock tells of a server whose database was removed. */
function assertClosed(place: string): void {
  const holder = findHolder(place)
  if (holder === undefined) return
  const { processId, path } = holder
  const remedy = path.endsWith(' (deleted)')
    ? 'what was removed is lost when the process ends: save it first, or stop the process'
    : 'stop the server first'
  throw new UsageError(`${place} is open in process ${String(processId)}, as ${path}; ${remedy}; nothing was changed`)
}

/**
 * Gives a file the owner and the mode of what it replaces. Where there is nothing, root gives it to the owner of the
 * folder, who runs the server.
 */
function giveAway(incoming: string, place: string, old: Stats | undefined): void {
  const { uid, gid } = statSync(incoming)
  const owner = old ?? (process.getuid?.() === 0 ? statSync(dirname(place)) : { uid, gid })
  if (owner.uid !== uid || owner.gid !== gid) {
    try {
      chownSync(incoming, owner.uid, owner.gid)
    } catch (error) {
      const ids = `user ${String(owner.uid)} and group ${String(owner.gid)}`
      throw new UsageError(`${place} belongs to ${ids}: restore as them or as root; nothing was changed`, {
        cause: error,
      })
    }
  }
  syncFile(incoming)
  if (old !== undefined) chmodSync(incoming, old.mode & 0o777)
}

/** A link, unlike a rename, does not take the place of a database that a server has made meanwhile. */
function publish(incoming: string, place: string): void {
  try {
    linkSync(incoming, place)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`${place} is there now; nothing was changed`, { cause: error })
  }
}

/**
 * Makes sure that nobody has the database open, and that nobody opens it before it is replaced. Leaving the mode with a
 * log,
 * which folds the log in, takes a lock that every open connection prevents.
 *
 * @returns what lets go of it
 */
function takeOver(place: string, target: string): () => void {
  const database = new Database(place, { fileMustExist: true, timeout: 0 })
  try {
    database.pragma('journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    // A file that is damaged is what a copy is restored for.
    if (!isDamage(error)) {
      database.close()
      if (!(error instanceof Database.SqliteError)) throw error
      const reason = error.code.startsWith('SQLITE_BUSY')
        ? 'is open in another process; stop the server first'
        : `cannot be locked: ${error.message}`
      throw new UsageError(`${target} ${reason}; nothing was changed`, { cause: error })
    }
  }
  return () => {
    database.close()
  }
}
