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
  /** What to do when the path names another file or none. */
  remedy: string
}

/** The coarsest timestamp resolution of a file system (man7.org/linux/man-pages/man7/inode.7.html). */
const timeResolutionMilliseconds = 2_000

/**
 * The files that SQLite has open for a database. SQLite keeps writing to them after they are removed or replaced. Those
 * writes are lost when the process ends, and another process that opens the database meanwhile can damage it
 * (sqlite.org/howtocorrupt.html, "Unlinking or renaming a database file while in use").
 */
export class OpenFiles {
  readonly #files: OpenFile[]
  /** The folder of the files; undefined if the path is a symbolic link, because then several folders count. */
  readonly #folder: string | undefined
  /** The folder when its files were last found in place; undefined if a later change could have the same timestamp. */
  #checked: BigIntStats | undefined

  /**
   * @param file the configured path of the open database, which may be a symbolic link
   * @param realPath the target of the link; SQLite's own files are beside it
   * @throws Node's error when a file is missing
   */
  constructor(file: string, realPath: string) {
    const restart = 'restart the server, which keeps every acknowledged write'
    this.#files = [
      identify(file, 'put it back, or stop the server, restore a backup and start the server'),
      identify(`${realPath}-wal`, restart),
      identify(`${realPath}-shm`, restart),
    ]
    this.#folder = lstatSync(file).isSymbolicLink() ? undefined : dirname(file)
  }

  /**
   * Returns a fault with its remedy if a path no longer names the open file. It takes a few microseconds: while the
   * folder's timestamp is unchanged, so are the names in it. Checking the files themselves would make each write to
   * them update their timestamps, which costs up to half of a small commit.
   */
  findMisplaced(): UnusableStore | undefined {
    const folder = this.#folder === undefined ? undefined : statsOf(this.#folder)
    if (isSame(folder, this.#checked) && folder?.ctimeNs === this.#checked?.ctimeNs) return undefined
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
    // For example, the user may no longer search the folder.
    return undefined
  }
}

/** Whether both describe the same file or folder. */
function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/** How long processes that start together may block each other from removing a leftover index. */
const removalMilliseconds = 1_000

/**
 * Removes an index (`-shm`) without a log. A power failure can leave one after an orderly stop: SQLite removes the
 * index before the log, but a file system may persist only the removal of the log.
 *
 * @throws UnusableStore when a process has the database open, because then its log was removed. SQLite would create an
 *   empty log, look in it for the pages in the index, and damage the database.
 */
export function removeLeftIndex(file: string): void {
  const path = realPathOf(file)
  const hasIndex = () => existsSync(`${path}-shm`)
  // Checks the index again, because both may have been removed between the first two checks.
  const isAlone = () => hasIndex() && !existsSync(`${path}-wal`) && hasIndex()
  const deadline = performance.now() + removalMilliseconds
  while (isAlone() && !removeUnused(path)) {
    if (performance.now() > deadline) {
      throw new UnusableStore(
        `${path}-wal was removed, but ${path}-shm was not: stop the server, which then removes it; ` +
          'if no server runs, remove it by hand; nothing was changed',
      )
    }
    // Two processes that try at the same time block each other.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 20)
  }
}

/** Removes the index of a database, unless a process has the database open. @returns whether it was removed */
function removeUnused(path: string): boolean {
  if (!existsSync(path)) return false
  const database = new Database(path, { fileMustExist: true, timeout: 0 })
  try {
    // In this mode SQLite uses no index, and the lock fails while another process has the database open with a log.
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
 * Restricts the database and SQLite's own files to their owner. A copy made with another tool has the mode of its
 * umask.
 */
export function restrictToOwner(realPath: string): void {
  for (const path of [realPath, `${realPath}-wal`, `${realPath}-shm`]) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o077) === 0) continue
    try {
      chmodSync(path, mode & 0o700)
    } catch {
      // Another user's file, or a file system without modes: the operator's choice.
    }
  }
}

/**
 * Follows symbolic links as SQLite does, which keeps its own files beside the target of a link. The file and its
 * folders may be missing.
 *
 * @throws Node's error, such as ELOOP for a loop of links
 */
export function realPathOf(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const path = resolve(file)
  const folder = dirname(path)
  if (folder === path) return path
  // Throws for a loop of links.
  statSync(path, { throwIfNoEntry: false })
  const place = join(realPathOf(folder), basename(path))
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place
  return realPathOf(resolve(dirname(place), readlinkSync(place)))
}

/**
 * Refuses what is there but is not a file. Opening a named pipe would wait for its other end.
 *
 * @throws UnusableStore
 */
export function assertFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isFile()) return
  const problem = stats.isDirectory() ? 'a folder; name a file in it' : 'a pipe, a socket or a device; name a file'
  throw new UnusableStore(`${path} is ${problem}; nothing was changed`)
}

/**
 * Creates a folder and its parents for the owner alone, and waits until their names are on disk. Node's `recursive`
 * never returns if a file system rejects new folders with ENOENT, as `/proc` does.
 *
 * @throws Node's error when a folder cannot be created
 */
export function makeFolder(folder: string): void {
  if (!existsSync(folder)) {
    makeFolder(dirname(folder))
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another process may have created it meanwhile.
      if (!existsSync(folder)) throw error
    }
  }
  // An existing folder may not be on disk either, if its creator was killed before the sync.
  try {
    syncFile(dirname(folder))
  } catch (error) {
    if (!isUnsyncable(error)) throw error
  }
}

/** Whether the user may not read the folder, or its file system does not sync folders. */
function isUnsyncable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/** Waits until a file, or a folder's list of names, is on disk. @throws Node's error */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
