import { Readable } from 'node:stream'
import { chunksOf } from '../types/encoded.ts'

/**
 * Creates a stream that owns the chunks of a body: it closes their source when it ends or is destroyed, even unread. It
 * holds one chunk, and reads the next when the client has taken it. `Readable.from` reads ahead, and does not close an
 * unread Node stream.
 *
 * @param chunks a Node or web stream, a generator, or any other async iterable
 * @param onTaken receives each chunk when the next one is read
 */
export function streamChunks<Chunk extends Uint8Array>(
  chunks: AsyncIterable<Chunk>,
  onTaken?: (chunk: Chunk) => void,
): Readable {
  const source = isNodeStream(chunks) ? chunks : undefined
  let iterator: AsyncIterator<Chunk> | undefined
  // A web stream that is locked to another reader throws.
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
      // Ending an iterator that has not started does not close its Node stream.
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
  // An unhandled error ends the process. The iterator reports errors of the source, the response its own.
  source?.on('error', ignore)
  return stream.on('error', ignore)
}

/** Closes a streamed body that is not sent. */
export function closeBody(body: unknown): void {
  const chunks = chunksOf(body)
  if (chunks !== undefined) streamChunks(chunks).destroy()
}

/** By its methods: packages such as `readable-stream` have their own classes. */
function isNodeStream(chunks: object): chunks is Readable {
  return 'destroy' in chunks && 'on' in chunks
}

function ignore(): void {
  // Nothing waits for a body that is not sent.
}

function asError(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown))
  // On a response this code means that the client left.
  const isCut = (thrown as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
  return isCut ? new Error('the stream of the body was closed before its end', { cause: thrown }) : thrown
}
