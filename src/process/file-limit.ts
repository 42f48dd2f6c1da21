import { readFileSync } from 'node:fs'

/** Files that are open beside the clients' connections: the database, connections to it, listeners, Node's own. */
const besideConnections = 100

/**
 * Compares the most connections with the most files that the process may open (getrlimit(2), RLIMIT_NOFILE). Each
 * connection is one.
 *
 * @param limits the text of `/proc/self/limits` (proc_pid_limits(5))
 * @returns a warning with the remedy, or undefined where the connections fit or no number is known
 */
export function openFilesWarning(maxConnections: number, limits: string | undefined): string | undefined {
  const [, most] = /^Max open files +(\d+)/m.exec(limits ?? '') ?? []
  const needed = maxConnections + besideConnections
  if (most === undefined || Number(most) >= needed) return undefined
  const need = `MAX_CONNECTIONS ${String(maxConnections)} needs ${String(needed)} open files`
  const limit = `raise the limit (ulimit -n ${String(needed)}, or LimitNOFILE= in a systemd unit)`
  return `${need}, and this process may have ${most}: ${limit}, or lower MAX_CONNECTIONS`
}

/** The limits of this process, undefined on systems other than Linux. */
export function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return undefined
  }
}
