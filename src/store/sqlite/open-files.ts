import {
  type BigIntStats,
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { UnusableStore } from '../store.ts'
import { isBusy } from './statements.ts'

/** A file as it was when the database was opened. */
interface OpenFile {
  path: string
  stats: BigIntStats
  /** What to do when the path names another file, or none. */
  remedy: string
}

/** How exact the times of the least exact file system are (man7.org/linux/man-pages/man7/inode.7.html). */
const timeResolutionMilliseconds = 2_000

/**
 * The files that SQLite has open for one database. SQLite keeps writing to them after they are removed or replaced.
 * What it writes then is lost when the process ends, and a process that opens the database meanwhile can damage it
 * (sqlite.org/howtocorrupt.html, "Unlinking or renaming a database file while in use").
 */
export class OpenFiles {
  readonly #files: OpenFile[]
  /** The folder of the files; undefined where a symbolic link leads to the database, and so several folders count. */
  readonly #folder: string | undefined
  /** The folder when its names were as they are to be; undefined where a later change could have the same time. */
  #checked: BigIntStats | undefined

  /**
   * @param file the configured path of the database, which may be a symbolic link; a connection to it is open
   * @param realPath the file that the link leads to; SQLite's own files are beside it
   * @throws Node's error when a file is missing
   */
  constructor(file: string, realPath: string) {
    const restart = 'restart the server, which keeps what it acknowledged'
    this.#files = [
      identify(file, 'put it back, or stop the server, restore a backup and start the server'),
      identify(`${realPath}-wal`, restart),
      identify(`${realPath}-shm`, restart),
    ]
    this.#folder = lstatSync(file).isSymbolicLink() ? undefined : dirname(file)
  }

  /**
   * The fault, with its remedy, when a path no longer names the file that is open. It takes a few microseconds: while
   * the folder is unchanged, so are the names in it. To look at the files would make each write to them update their
   * times, which costs as much as half of a small commit.
   */
  findMisplaced(): UnusableStore | undefined {
    const folder = this.#folder === undefined ? undefined : statsOf(this.#folder)
    if (folder !== undefined && isSame(folder, this.#checked) && folder.ctimeNs === this.#checked?.ctimeNs) {
      return undefined
    }
    const misplaced = this.#files.find(({ path, stats }) => !isSame(statsOf(path), stats))
    const isSettled = folder !== undefined && Date.now() - Number(folder.ctimeMs) > timeResolutionMilliseconds
    this.#checked = misplaced === undefined && isSettled ? folder : undefined
    if (misplaced === undefined) return undefined
    const { path, remedy } = misplaced
    return new UnusableStore(`${path} was removed or replaced while it is open, so nothing is written: ${remedy}`)
  }
}

function identify(path: string, remedy: string): OpenFile {
  return { path, stats: statSync(path, { bigint: true }), remedy }
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    // For example, the folder may no longer be searched, so nothing is known about the path.
    return undefined
  }
}

/** Whether both are of the same file or folder. */
function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/** How long other processes that start at once may keep this one from removing an index that is left over. */
const removalMilliseconds = 1_000

/**
 * Removes an index (`-shm`) without a log. A loss of power can leave one after an orderly stop: SQLite removes the
 * index before the log, but a file system may keep the removal of the log alone.
 *
 * @throws UnusableStore when a process has the database open, whose log was removed then. SQLite would create an empty
 *   one and look there for what the index lists, which damages the database.
 */
export function removeLeftIndex(file: string): void {
  const path = realPathOf(file)
  const hasIndex = () => existsSync(`${path}-shm`)
  // Checked again, because both may have been removed between the first two checks.
  const isAlone = () => hasIndex() && !existsSync(`${path}-wal`) && hasIndex()
  const deadline = performance.now() + removalMilliseconds
  while (isAlone() && !removeUnused(path)) {
    if (performance.now() > deadline) {
      throw new UnusableStore(
        `${path}-wal was removed and ${path}-shm was not: stop the server, which then removes the other too; ` +
          'where none runs, remove it by hand; nothing was changed',
      )
    }
    // Two that try at the same time keep each other from it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 20)
  }
}

/** Removes the index of a database, unless a process has the database open. @returns whether it was removed */
function removeUnused(path: string): boolean {
  if (!existsSync(path)) return false
  const database = new Database(path, { fileMustExist: true, timeout: 0 })
  try {
    // SQLite uses no index in this mode, and gets no lock while another process has the database open with a log.
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    rmSync(`${path}-shm`, { force: true })
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  } finally {
    database.close()
  }
}

/**
 * Lets only the owner access the database and SQLite's own files. Copies made with other tools have the mode that a
 * umask chose.
 */
export function restrictToOwner(realPath: string): void {
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

/**
 * Follows symbolic links as SQLite does, which keeps its own files beside the file that a link leads to. The file and
 * its folders may be missing.
 *
 * @throws Node's error, such as ELOOP, when the links lead nowhere
 */
export function realPathOf(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const path = resolve(file)
  const folder = dirname(path)
  if (folder === path) return path
  // Throws for a circle of links, which could be followed without end.
  statSync(path, { throwIfNoEntry: false })
  const place = join(realPathOf(folder), basename(path))
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place
  return realPathOf(resolve(dirname(place), readlinkSync(place)))
}

/**
 * Makes a folder for the owner alone, with those that it is in, and waits until their names are on disk. Where a file
 * system refuses new folders with ENOENT, as `/proc` does, Node's own `recursive` never returns.
 *
 * @throws Node's error when a folder cannot be made
 */
export function makeFolder(folder: string): void {
  if (!existsSync(folder)) {
    makeFolder(dirname(folder))
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another process may have made it meanwhile.
      if (!existsSync(folder)) throw error
    }
  }
  // A folder that was there already may not be on disk either: its maker may be killed before it syncs.
  try {
    syncFile(dirname(folder))
  } catch (error) {
    if (!isUnsyncable(error)) throw error
  }
}

/** Whether this user may not read a folder, or its file system syncs no folders. */
function isUnsyncable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/** Waits until a file, or the names in a folder, are on disk. @throws Node's error */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
