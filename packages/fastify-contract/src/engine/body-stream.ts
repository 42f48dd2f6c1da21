import { Readable } from 'node:stream'
import { chunksOf } from '../types/encoded.ts'
import { streamTurns } from './stream-turns.ts'

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
 * A stream that owns the chunks of a body: it closes their source when it ends or is destroyed, even unread. It holds one
 * chunk, and reads the next in a turn of its own when the client has taken it. `Readable.from` reads ahead, and does not
 * close an unread Node stream.
 */
export class BodyStream<Chunk extends Uint8Array = Uint8Array> extends Readable {
  readonly #source: OwnedIterable<Chunk>
  readonly #onTaken: ((chunk: Chunk) => void) | undefined
  #taken: Chunk | undefined
  #isWaiting = false

  /**
   * @param chunks a Node or web stream, a generator, or any other async iterable
   * @param onTaken receives each chunk when the next one is read
   */
  constructor(chunks: AsyncIterable<Chunk>, onTaken?: (chunk: Chunk) => void) {
    super({ highWaterMark: 0 })
    this.#source = new OwnedIterable(chunks)
    this.#onTaken = onTaken
    // The response reports its own errors.
    this.on('error', ignore)
  }

  /** Whether the source has been asked for a chunk that is not there yet. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  override _read(): void {
    if (this.#taken !== undefined) this.#onTaken?.(this.#taken)
    this.#taken = undefined
    streamTurns.take(this.#draw)
  }

  readonly #draw = (): void => {
    if (this.destroyed) return
    this.#isWaiting = true
    try {
      this.#source.iterate().next().then(this.#take, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #take = ({ value, done }: IteratorResult<Chunk>): void => {
    this.#isWaiting = false
    if (done === true) this.push(null)
    else if (typeof value === 'string' || value instanceof Uint8Array) this.push((this.#taken = value))
    else this.destroy(new TypeError('a chunk of the body is not bytes'))
  }

  readonly #fail = (error: unknown): void => {
    this.#isWaiting = false
    this.destroy(asError(error))
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#source.close().then(
      () => {
        callback(error)
      },
      (failure: unknown) => {
        callback(error ?? asError(failure))
      },
    )
  }
}

/** Closes a streamed body that is not sent. */
export function closeBody(body: unknown): void {
  const chunks = chunksOf(body)
  if (chunks !== undefined) new BodyStream(chunks).destroy()
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
  const isCut = 'code' in thrown && thrown.code === 'ERR_STREAM_PREMATURE_CLOSE'
  return isCut ? new Error('the stream of the body was closed before its end', { cause: thrown }) : thrown
}
