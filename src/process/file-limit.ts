import { readFileSync } from 'node:fs'

/** Open files besides the clients' connections: the database, connections to it, listeners, Node's own. */
const besideConnections = 100

/**
 * Compares the limit of connections with the limit of open files (getrlimit(2), RLIMIT_NOFILE). Each connection is an
 * open file.
 *
 * @param limits the text of `/proc/self/limits` (proc_pid_limits(5))
 * @returns a warning with the remedy; undefined when the connections fit, or a limit is unknown
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
