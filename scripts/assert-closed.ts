import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { UsageError } from './command.ts'

/** A process that has a file of a database open. */
interface Holder {
  processId: number
  /** The path of the open file; ends in ` (deleted)` if the file was removed since. */
  path: string
}

/**
 * Refuses a database that a process has open. A lock would not detect a server whose database was removed.
 *
 * @param place the file, with symbolic links resolved; need not exist
 * @throws UsageError that names the process
 */
export function assertClosed(place: string): void {
  const holder = findHolder(place)
  if (holder === undefined) return
  const { processId, path } = holder
  const remedy = path.endsWith(' (deleted)')
    ? 'the removed file is lost when the process ends: save it first, or stop the process'
    : 'stop the server first'
  throw new UsageError(`${place} is open in process ${String(processId)}, as ${path}; ${remedy}; nothing was changed`)
}

/**
 * Finds a process that has a database or its log open, under any name, even if they were removed. Needs Linux's
 * `/proc`, and root to see the processes of other users.
 *
 * @param database the file, with symbolic links resolved; need not exist
 */
function findHolder(database: string): Holder | undefined {
  const paths = [database, `${database}-wal`, `${database}-shm`]
  const identities = new Set(paths.map(identityOf))
  identities.delete(undefined)
  const removed = new Set(paths.map((path) => `${path} (deleted)`))
  const others = entriesOf('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
  for (const processId of others) {
    for (const descriptor of entriesOf(`/proc/${processId}/fd`)) {
      const link = `/proc/${processId}/fd/${descriptor}`
      const path = targetOf(link)
      // Sockets and pipes have no path.
      if (path?.startsWith('/') !== true) continue
      if (removed.has(path) || identities.has(identityOf(link))) return { processId: Number(processId), path }
    }
  }
  return undefined
}

function identityOf(path: string): string | undefined {
  return attempt(() => {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${String(dev)}:${String(ino)}`
  })
}

function targetOf(link: string): string | undefined {
  return attempt(() => readlinkSync(link))
}

function entriesOf(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? []
}

/** A process may end at any time, and only root can inspect those of other users. */
function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
