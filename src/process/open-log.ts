import { constants, openSync, writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

/**
 * Fields that are not logged. In errors of PostgreSQL, `detail` contains the row that breaks a constraint, and `where`
 * the values of the statement (postgresql.org/docs/18/runtime-config-logging.html, log_parameter_max_length_on_error).
 */
const secretFields = ['req.headers.authorization', 'headers.authorization', 'err.detail', 'err.where']

/** Opens the log: standard error, in batches of 4 KiB or 100 ms. Lines that cannot be written are counted. */
export function openLog(level: Config['logLevel']): Logger {
  const descriptor = descriptorOfLog()
  const buffer = gatherLines(
    (bytes) => writeSync(descriptor, bytes),
    (lost, cause) => {
      log.error({ lost }, `log lines were lost because standard error could not be written: ${cause.message}`)
    },
  )
  const log = pino({ level, redact: secretFields }, buffer)
  process.once('exit', buffer.end)
  return log
}

/** Opens standard error for writes that never block. */
function descriptorOfLog(): number {
  // Node makes a pipe or a socket non-blocking when its stream is first used, but not a terminal.
  if (!process.stderr.isTTY) return 2
  try {
    return openSync('/dev/stderr', constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK)
  } catch {
    // Another user's terminal.
    return 2
  }
}

/** The size of a batch of lines, in UTF-16 code units. */
const batchLength = 4_096

/** How long a line waits for others. */
const waitMilliseconds = 100

/** The delay before a failed write is retried. */
const retryMilliseconds = 10

/** The limit of text that is kept while writes fail: unwritten bytes plus later UTF-16 code units. */
const maxKept = 2 ** 20

/** How long the exit of the process waits for a stalled reader. */
const exitMilliseconds = 1_000

/** Writes the lines of a log in batches. Its methods never throw. */
export interface LogBuffer extends DestinationStream {
  /** Tries to write all that is kept. Pino calls it after a line of level `fatal`. */
  flushSync: () => void
  /** Writes all that is kept at the exit of the process. Waits up to a second for a stalled reader. */
  end: () => void
}

/**
 * Writes log lines in batches, which costs a busy server less CPU than a write per line. While writes fail, keeps up to
 * 1 MiB and retries. Drops and counts further lines.
 *
 * SonicBoom is not used: its `flushSync` retries for ever on a full disk, it measures its whole buffer at each line,
 * and without `sync` it uses a thread for each write.
 *
 * @param write writes at least one byte and returns how many. Throws if it cannot, or would have to wait (EAGAIN).
 * @param onLost receives the number of dropped lines and the cause, once the kept lines are written
 */
export function gatherLines(
  write: (bytes: Uint8Array) => number,
  onLost: (lines: number, cause: Error) => void,
): LogBuffer {
  let gathered = ''
  /** The rest of a partly written batch. */
  let unwritten: Uint8Array = Buffer.alloc(0)
  let failure: NodeJS.ErrnoException | undefined
  let lost: { lines: number; cause: Error } | undefined
  let timer: NodeJS.Timeout | undefined

  function flushSync(): void {
    clearTimeout(timer)
    timer = undefined
    failure = undefined
    try {
      while (unwritten.length > 0 || gathered !== '') {
        if (unwritten.length === 0) {
          unwritten = Buffer.from(gathered)
          gathered = ''
        }
        unwritten = unwritten.subarray(write(unwritten))
      }
    } catch (error) {
      // What fs.writeSync throws.
      failure = error as NodeJS.ErrnoException
      timer = setTimeout(flushSync, retryMilliseconds).unref()
      return
    }
    if (lost === undefined) return
    const { lines, cause } = lost
    lost = undefined
    onLost(lines, cause)
  }

  return {
    write: (line) => {
      if (failure !== undefined && unwritten.length + gathered.length + line.length > maxKept) {
        lost = { lines: (lost?.lines ?? 0) + 1, cause: failure }
        return
      }
      gathered += line
      if (failure === undefined && gathered.length >= batchLength) flushSync()
      else timer ??= setTimeout(flushSync, waitMilliseconds).unref()
    },
    flushSync,
    end: () => {
      const latest = performance.now() + exitMilliseconds
      flushSync()
      while (failure?.code === 'EAGAIN' && performance.now() < latest) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMilliseconds)
        flushSync()
      }
      // onLost may have logged a line.
      if (failure === undefined) flushSync()
    },
  }
}
