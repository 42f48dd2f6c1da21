import { constants, openSync, writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

/**
 * Fields that are not logged. PostgreSQL puts the row that breaks a constraint into an error's detail, and the values
 * of a statement into its context (postgresql.org/docs/18/runtime-config-logging.html,
 * log_parameter_max_length_on_error).
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

/** Opens a descriptor of standard error on which a write never blocks. */
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

/** How long a write that failed waits until it is tried again. */
const retryMilliseconds = 10

/** The limit of text that is kept while writing fails: bytes that failed plus UTF-16 code units that came later. */
const maxKept = 2 ** 20

/** How long the exit of the process waits for a reader that has stalled. */
const endMilliseconds = 1_000

/** Writes the lines of a log in batches. Its methods never throw. */
export interface LogBuffer extends DestinationStream {
  /** Tries to write all that is kept. Pino calls it after a line of level `fatal`. */
  flushSync: () => void
  /** Writes all that is kept, and waits up to a second for a reader that has stalled. For the end of the process. */
  end: () => void
}

/**
 * Gathers the lines of a log and writes them in batches, which costs a busy server less CPU than a write for each line.
 * While writing fails, up to 1 MiB is kept and tried again. Each line beyond that is dropped and counted.
 *
 * SonicBoom is not used: its `flushSync` retries for ever on a full disk, it measures its whole buffer at each line,
 * and without `sync` it uses a thread for each write.
 *
 * @param write writes at least one of the bytes and returns how many. It throws when it cannot, or would have to wait
 *   (EAGAIN).
 * @param onLost receives the number of dropped lines and the cause, once all that was kept is written
 */
export function gatherLines(
  write: (bytes: Uint8Array) => number,
  onLost: (lines: number, cause: Error) => void,
): LogBuffer {
  let gathered = ''
  /** The rest of a batch whose writing has begun. */
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
      const latest = performance.now() + endMilliseconds
      flushSync()
      while (failure?.code === 'EAGAIN' && performance.now() < latest) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMilliseconds)
        flushSync()
      }
      // onLost may have logged a line just now.
      if (failure === undefined) flushSync()
    },
  }
}
