import { readdirSync, readlinkSync, statSync } from 'node:fs'

/** A process that has a file of a database open. */
export interface Holder {
  processId: number
  /** The file, as the process opened it. It ends in ` (deleted)` when it was removed since. */
  path: string
}

/**
 * Looks for a process that has a database or its log open, under whatever name, even if they were removed. Finds
 * nothing where there is no `/proc`, which is Linux's, and in processes of other users unless root asks.
 *
 * @param database the file, after symbolic links; it may be missing
 */
export function findHolder(database: string): Holder | undefined {
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

/** Processes end while they are looked at, and those of others cannot be. */
function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
