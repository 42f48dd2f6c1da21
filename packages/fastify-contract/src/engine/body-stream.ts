import { Readable } from 'node:stream'
import { chunksOf } from '../types/encoded.ts'

/** An async iterable that is closed with its iterator, also if nothing was read of it. */
export class OwnedIterable<Item> {
  readonly #iterable: AsyncIterable<Item>
  readonly #stream: Readable | undefined
  #iterator: AsyncIterator<Item> | undefined

  constructor(iterable: AsyncIterable<Item>) {
    this.#iterable = iterable
    this.#stream = isNodeStream(iterable) ? iterable : undefined
    // An unhandled error ends the process. The iterator reports errors of the stream.
    this.#stream?.on('error', ignore)
  }

  /** @throws TypeError for a web stream that is locked to another reader */
  iterate(): AsyncIterator<Item> {
    return (this.#iterator ??= this.#iterable[Symbol.asyncIterator]())
  }

  async close(): Promise<void> {
    // Ending an iterator that has not started does not close its Node stream.
    this.#stream?.destroy()
    await this.iterate().return?.()
  }
}

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
  const source = new OwnedIterable(chunks)
  let taken: Chunk | undefined
  const stream = new Readable({
    highWaterMark: 0,
    read() {
      if (taken !== undefined) onTaken?.(taken)
      taken = undefined
      source
        .iterate()
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
      source.close().then(
        () => {
          callback(error)
        },
        (failure: unknown) => {
          callback(error ?? asError(failure))
        },
      )
    },
  })
  // The response reports its own errors.
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
