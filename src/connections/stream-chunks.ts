import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { release } from '../contract/types.ts'

/**
 * Makes a stream that holds one chunk at a time: it reads the next when the client has taken the one before.
 * `Readable.from` reads one ahead.
 *
 * @param response what the stream is piped to
 * @param chunks their bytes are freed when they are sent
 */
export function streamChunks(response: ServerResponse, chunks: AsyncIterable<Buffer>): Readable {
  const iterator = chunks[Symbol.asyncIterator]()
  let sent: Buffer | undefined
  return new Readable({
    highWaterMark: 0,
    read() {
      // A short chunk may still be written when the next is read.
      if (sent !== undefined && response.writableLength === 0) release(sent)
      sent = undefined
      iterator.next().then(
        ({ value, done }) => {
          if (done !== true) sent = value
          this.push(done === true ? null : value)
        },
        (error: unknown) => this.destroy(asError(error)),
      )
    },
    destroy(error, callback) {
      Promise.resolve(iterator.return?.()).then(
        () => {
          callback(error)
        },
        (failure: unknown) => {
          callback(error ?? asError(failure))
        },
      )
    },
  })
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
