import {
  type Stats,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { BadConfig, loadConfig } from '../src/config/config.ts'
import { assertFile, makeFolder, realPathOf, syncFile } from '../src/store/sqlite/open-files.ts'
import { UnusableStore } from '../src/store/store.ts'
import { UsageError, readArguments, runCommand } from './command.ts'
import { assertClosed } from './assert-closed.ts'
import { showProgress } from './progress.ts'
import { type Content, describeContent, isDamage, publish, sqliteFileOf, verifyCopy } from './verify-copy.ts'

const usage = `Usage: npm run restore -- FILE [--force]   replaces the database of DATABASE_URL with a backup`

function run(): void {
  const { positionals, values } = readArguments(usage, {
    allowPositionals: true,
    options: { force: { type: 'boolean', default: false } },
  })
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new UsageError(usage)
  const target = sqliteFileOf(loadConfig(process.env).database, 'pg_restore')
  const content = restoreOrExplain(file, target, values.force)
  console.log(`${target}: ${describeContent(content)}, restored from ${file}`)
}

/** @throws UsageError also if a file cannot be read or written, as on a full disk: Node names the copies of `restore` */
function restoreOrExplain(copy: string, target: string, force: boolean): Content {
  try {
    return restore(copy, target, force)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(`${target} cannot be restored from ${copy}: ${error.message}`, { cause: error })
  }
}

/** The file is copied, verified, and put in place. */
const restoreSteps = 3

/** The suffixes of the files that SQLite keeps beside a database. */
const companions = ['-wal', '-shm', '-journal']

/**
 * Replaces a database with a copy, atomically: after a crash, the file is the old one or the new one. Keeps owner, mode
 * and symbolic link of the old one. Without an old one, only the owner can read the new one.
 *
 * @param copy a file that `backUp` made; not changed
 * @param target the database file
 * @param force whether an existing database may be replaced
 * @throws UsageError if the copy is damaged, or the target exists or is open in a process; UnusableStore as
 *   `verifyCopy`; Node's error if a file cannot be read or written
 */
export function restore(copy: string, target: string, force: boolean): Content {
  const place = realPathOf(target)
  const old = statSync(place, { throwIfNoEntry: false })
  assertReplaceable(copy, target, old, force)
  assertClosed(place)
  makeFolder(dirname(place))
  // The folder has mode 0700, so nobody else can read the copy in it.
  const folder = mkdtempSync(`${place}.restoring-`)
  const incoming = join(folder, basename(place))
  using progress = showProgress('restoring', 'steps')
  try {
    progress.show(0, restoreSteps)
    copyFileSync(copy, incoming)
    progress.show(1, restoreSteps)
    chmodSync(incoming, 0o600)
    const content = verifyCopy(incoming, copy)
    progress.show(2, restoreSteps)
    setOwnerAndMode(incoming, place, old)
    // A server may have started while the copy was verified.
    assertClosed(place)
    const unlock = old === undefined ? () => undefined : lock(place, target)
    try {
      // SQLite would apply the old database's log or journal to the new one.
      for (const suffix of companions) rmSync(place + suffix, { force: true })
      // A crash could otherwise keep the rename below and lose these removals.
      syncFile(dirname(place))
      if (old === undefined) publish(incoming, place)
      else renameSync(incoming, place)
    } finally {
      unlock()
    }
    // The folder stores the name.
    syncFile(dirname(place))
    return content
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function assertReplaceable(copy: string, target: string, old: Stats | undefined, force: boolean): void {
  if (!existsSync(copy)) throw new UsageError(`the file ${copy} does not exist`)
  assertFile(copy)
  if (old !== undefined && isSameFile(old, statSync(copy))) throw new UsageError(`${copy} is the database itself`)
  for (const suffix of ['-wal', '-journal']) {
    if (existsSync(realPathOf(copy) + suffix)) {
      throw new UsageError(`${copy}${suffix} exists: ${copy} is a database in use, not a backup`)
    }
  }
  assertFile(target)
  if (old !== undefined && !force) {
    throw new UsageError(`${target} already exists; replace it with --force; nothing was changed`)
  }
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/**
 * Copies owner and mode from the replaced file. Without one, root uses the owner of the folder, who runs the server.
 */
function setOwnerAndMode(incoming: string, place: string, old: Stats | undefined): void {
  const { uid, gid } = statSync(incoming)
  const owner = old ?? (process.getuid?.() === 0 ? statSync(dirname(place)) : { uid, gid })
  if (owner.uid !== uid || owner.gid !== gid) {
    try {
      chownSync(incoming, owner.uid, owner.gid)
    } catch (error) {
      const ids = `user ${String(owner.uid)} and group ${String(owner.gid)}`
      throw new UsageError(`${place} belongs to ${ids}: restore as that user or as root; nothing was changed`, {
        cause: error,
      })
    }
  }
  syncFile(incoming)
  if (old !== undefined) chmodSync(incoming, old.mode & 0o777)
}

/**
 * Locks the database until it is replaced. Changing `journal_mode` checkpoints the log, and fails while another
 * connection is open.
 *
 * @returns a function that unlocks it
 */
function lock(place: string, target: string): () => void {
  const database = new Database(place, { fileMustExist: true, timeout: 0 })
  try {
    database.pragma('journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    // A damaged database may be replaced, too.
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

if (import.meta.main) await runCommand(run, BadConfig, UnusableStore)
