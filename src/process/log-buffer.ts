import type { DestinationStream } from 'pino'

/** In UTF-16 code units: how much is gathered before it is written. */
const pieceLength = 4_096

/** How long a line waits for others, and the longest wait before a failed write is tried again. */
const waitMilliseconds = 100

/** How much is kept while the log cannot be written: bytes of what failed, UTF-16 code units of what came later. */
const mostKept = 2 ** 20

/** How long the end of the process waits for a reader that has stalled. */
const endMilliseconds = 1_000

/** Takes the lines of a log and writes them in pieces. Nothing that it does throws. */
export interface LogPieces extends DestinationStream {
  /** Tries to write all that is kept. Pino calls it after a line of level `fatal`. */
  flushSync: () => void
  /** Writes all that is kept, and waits up to a second for a reader that has stalled. For the end of the process. */
  end: () => void
}

/**
 * Gathers the lines of a log and writes them in pieces. While writing fails, up to 1 MiB is kept and tried again. Each
 * line beyond that is dropped and counted.
 *
 * SonicBoom is not used: its `flushSync` tries for ever where the disk is full, it measures all that it holds at each
 * line, and without `sync` it needs a thread for each piece.
 *
 * @param write writes bytes, at least one of them, and gives how many. It throws where it cannot, or where it would
 *   have to wait (EAGAIN).
 * @param onLost receives the number of dropped lines and the cause, once all that was kept is written
 */
export function gatherLines(
  write: (bytes: Uint8Array) => number,
  onLost: (lines: number, cause: Error) => void,
): LogPieces {
  let gathered = ''
  /** The rest of a piece whose writing has begun. */
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
      // A reader that is only slow has room again soon; a full disk has not.
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
      if (failure !== undefined && unwritten.length + gathered.length + line.length > mostKept) {
        lost += 1
        lostBecause = failure
        return
      }
      gathered += line
      if (failure === undefined && gathered.length >= pieceLength) flushSync()
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
      // That lines were lost may have been logged just now.
      if (failure === undefined) flushSync()
    },
  }
}
