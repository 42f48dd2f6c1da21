import type { DestinationStream } from 'pino'

/** The size of a batch of lines, in UTF-16 code units. */
const batchLength = 4_096

/** How long a line waits for others, and the longest wait before a failed write is tried again. */
const waitMilliseconds = 100

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
  let lost = 0
  let lostBecause: Error | undefined
  let retryMilliseconds = 1
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
        retryMilliseconds = 1
      }
    } catch (error) {
      // What fs.writeSync throws.
      failure = error as NodeJS.ErrnoException
      // A slow reader (EAGAIN) will soon read again; a full disk will not.
      timer = setTimeout(flushSync, retryMilliseconds).unref()
      retryMilliseconds = Math.min(2 * retryMilliseconds, waitMilliseconds)
      return
    }
    if (lostBecause === undefined) return
    const [lines, cause] = [lost, lostBecause]
    lost = 0
    lostBecause = undefined
    onLost(lines, cause)
  }

  return {
    write: (line) => {
      if (failure !== undefined && unwritten.length + gathered.length + line.length > maxKept) {
        lost += 1
        lostBecause = failure
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
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
        flushSync()
      }
      // onLost may have logged a line just now.
      if (failure === undefined) flushSync()
    },
  }
}
