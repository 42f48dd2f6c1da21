import { statSync } from 'node:fs'
import { UnusableStore } from '../store.ts'

/** Which file a path named when the database was opened. */
interface OpenFile {
  path: string
  device: bigint
  inode: bigint
  /** What to do when the path names another file, or none. */
  remedy: string
}

/**
 * The files that SQLite has open for one database. It goes on with them when they are removed or replaced: what it
 * writes then is gone when the process ends, and a process that opens the database meanwhile can damage it
 * (sqlite.org/howtocorrupt.html, "Unlinking or renaming a database file while in use").
 */
export class OpenFiles {
  readonly #files: OpenFile[]

  /**
   * @param file the database's path as it is configured, which may be a symbolic link; a connection to it is open
   * @param realPath what the link leads to, beside which SQLite keeps its own files
   * @throws Node's error when a file is missing
   */
  constructor(file: string, realPath: string) {
    const restart = 'restart the server, which keeps what it acknowledged'
    this.#files = [
      identify(file, 'put it back, or stop the server, restore a backup and start the server'),
      identify(`${realPath}-wal`, restart),
      identify(`${realPath}-shm`, restart),
    ]
  }

  /** The fault when a path no longer names the file that is open, with the remedy. Takes 3 µs. */
  findMisplaced(): UnusableStore | undefined {
    const misplaced = this.#files.find((file) => !isInPlace(file))
    if (misplaced === undefined) return undefined
    const { path, remedy } = misplaced
    return new UnusableStore(`${path} was removed or replaced while it is open, so nothing is written: ${remedy}`)
  }
}

function identify(path: string, remedy: string): OpenFile {
  const { dev, ino } = statSync(path, { bigint: true })
  return { path, device: dev, inode: ino, remedy }
}

function isInPlace({ path, device, inode }: OpenFile): boolean {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats?.ino === inode && stats.dev === device
  } catch {
    // Such as a folder that may no longer be searched: what the path names is not known.
    return false
  }
}
