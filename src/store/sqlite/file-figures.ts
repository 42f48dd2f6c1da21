import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { realPathOf } from './open-files.ts'

/** The figures of a database's files, for monitoring. */
export interface FileFigures {
  /** The size of the database, or of its write-ahead log, in bytes; 0 if there is none. */
  databaseBytes: () => Promise<number>
  logBytes: () => Promise<number>
  /** What this user can still write to the disk, in bytes; NaN if it cannot be read. */
  freeBytes: () => Promise<number>
  /** When the last backup began, in seconds since 1970-01-01T00:00:00Z; 0 if there was none. */
  lastBackup: () => Promise<number>
}

/** @param file the configured path of the database, which may be a symbolic link */
export function fileFiguresOf(file: string): FileFigures {
  const path = realPathOf(file)
  const sizeOf = async (name: string) => (await statsOf(name))?.size ?? 0
  return {
    databaseBytes: () => sizeOf(path),
    logBytes: () => sizeOf(`${path}-wal`),
    freeBytes: () =>
      statfs(dirname(path)).then(
        ({ bavail, bsize }) => bavail * bsize,
        () => NaN,
      ),
    lastBackup: async () => ((await statsOf(markOf(path)))?.mtimeMs ?? 0) / 1_000,
  }
}

async function statsOf(path: string) {
  return stat(path).catch(() => undefined)
}

/** An empty file beside the database. Its time of change is when the last backup began. */
function markOf(realPath: string): string {
  return `${realPath}.last-backup`
}

/**
 * Notes when a backup began. Other tools can do the same with `touch`.
 *
 * @throws Node's error when the folder cannot be written
 */
export function noteBackup(file: string, began: Date): void {
  const mark = markOf(realPathOf(file))
  // Another user may have made it.
  rmSync(mark, { force: true })
  writeFileSync(mark, '', { mode: 0o600 })
  utimesSync(mark, began, began)
}
