import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** In bytes: a body up to this size is not counted, because a connection takes as much anyhow. */
export const smallBody = 16_384

/** Bounds the memory that responses hold while their clients do not read them. */
export class UnreadBytes {
  readonly #max: number
  #held = 0

  /** @param max in bytes, over all responses */
  constructor(max: number) {
    this.#max = max
  }

  /** Whether a further large body is too much. */
  get isFull(): boolean {
    return this.#held >= this.#max
  }

  /** Counts a body until its response is closed. */
  hold(response: ServerResponse, bytes: number): void {
    if (bytes <= smallBody) return
    this.#held += bytes
    response.once('close', () => {
      this.#held -= bytes
    })
  }

  /**
   * Makes a stream of a body's chunks that holds one of them at a time: it asks for the next when the client has taken the one
   * before. `Readable.from` reads one ahead.
   */
  stream(chunks: AsyncIterable<Buffer>): Readable {
    const iterator = chunks[Symbol.asyncIterator]()
    let held = 0
    const hold = (bytes: number): void => {
      this.#held += bytes - held
      held = bytes
    }
    return new Readable({
      highWaterMark: 0,
      read() {
        hold(0)
        iterator.next().then(
          ({ value, done }) => {
            if (!this.destroyed) hold(done === true ? 0 : value.length)
            this.push(done === true ? null : value)
          },
          (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
        )
      },
      destroy(error, callback) {
        hold(0)
        Promise.resolve(iterator.return?.()).then(
          () => {
            callback(error)
          },
          (failure: unknown) => {
            callback(failure instanceof Error ? failure : error)
          },
        )
      },
    })
  }
}
