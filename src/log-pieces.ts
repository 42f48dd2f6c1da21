import type { DestinationStream } from 'pino'

/** In UTF-16 code units: what is gathered before it is written. */
const pieceLength = 4_096

/** How long a line waits for others. */
const waitMilliseconds = 100

/** Takes the lines of a log and writes them in pieces. */
export interface LogPieces extends DestinationStream {
  /** Writes what has been gathered. */
  flush: () => void
}

/** Gathers the lines of a log. SonicBoom can too (`minLength`), and then measures everything that it holds at each line. */
export function gatherLines(sink: DestinationStream): LogPieces {
  let gathered = ''
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const piece = gathered
    gathered = ''
    if (piece !== '') sink.write(piece)
  }

  return {
    write: (line) => {
      gathered += line
      if (gathered.length >= pieceLength) flush()
      else timer ??= setTimeout(flush, waitMilliseconds).unref()
    },
    flush,
  }
}
