import { Readable } from 'node:stream'
import { chunksOf } from '../types/encoded.ts'

/**
 * Makes the stream that owns the chunks of a body: when it is destroyed or ends, it closes what they come from, also
 * where nothing of it was read. It holds one chunk at a time and reads the next when the client has taken the one
 * before. `Readable.from` reads one ahead, and leaves a Node stream open that it has not begun to read.
 *
 * @param chunks a stream of Node or of the web, a generator, or any other async iterable
 * @param onTaken receives each chunk when the next is read
 */
export function streamChunks<Chunk extends Uint8Array>(
  chunks: AsyncIterable<Chunk>,
  onTaken?: (chunk: Chunk) => void,
): Readable {
  const source = isNodeStream(chunks) ? chunks : undefined
  let iterator: AsyncIterator<Chunk> | undefined
  // A stream of the web that has another reader throws.
  const iterate = (): AsyncIterator<Chunk> => (iterator ??= chunks[Symbol.asyncIterator]())
  let taken: Chunk | undefined
  const stream = new Readable({
    highWaterMark: 0,
    read() {
      if (taken !== undefined) onTaken?.(taken)
      taken = undefined
      iterate()
        .next()
        .then(
          ({ value, done }) => {
            if (done === true) this.push(null)
            else if (typeof value === 'string' || value instanceof Uint8Array) this.push((taken = value))
            else this.destroy(new TypeError('a chunk of the body is not bytes'))
          },
          (error: unknown) => this.destroy(asError(error)),
        )
    },
    destroy(error, callback) {
      // A Node stream takes no notice of the end of an iterator that has not begun.
      source?.destroy()
      Promise.resolve(iterate().return?.()).then(
        () => {
          callback(error)
        },
        (failure: unknown) => {
          callback(error ?? asError(failure))
        },
      )
    },
  })
  // Without a listener an error ends the process. The iterator reports those of the source, and the response its own.
  source?.on('error', ignore)
  return stream.on('error', ignore)
}

/** Closes the stream of a body that is not sent. */
export function closeBody(body: unknown): void {
  const chunks = chunksOf(body)
  if (chunks !== undefined) streamChunks(chunks).destroy()
}

/** Streams of packages such as `readable-stream` are of classes of their own. */
function isNodeStream(chunks: object): chunks is Readable {
  return 'destroy' in chunks && 'on' in chunks
}

function ignore(): void {
  // Nobody waits for a body that is not sent.
}

function asError(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown))
  // Of a response this code says that its client has left.
  const isCut = (thrown as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
  return isCut ? new Error('the stream of the body was closed before its end', { cause: thrown }) : thrown
}
