import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../engine/refusal.ts'
import { shortContent } from './connections/turns.ts'

/** A stream of content. A plugin that decodes it counts the bytes that were sent (fastify.dev, "preParsing"). */
type Payload = Readable & { receivedEncodedLength?: number }

/** In bytes. A shorter chunk is copied, because its object takes some 300 bytes of memory. */
const longChunk = 1_024

/** The memory for short chunks, in bytes. */
const blockBytes = 4_096

const noBytes = Buffer.alloc(0)

/** The chunks of content. A client can send them with one byte each, so it keeps no object for each short one. */
class Chunks {
  length = 0
  readonly #parts: Buffer<ArrayBuffer>[] = []
  #block = noBytes
  /** What of the block is in use, and where the part begins that is not in the list yet. */
  #end = 0
  #start = 0

  add(chunk: Buffer<ArrayBuffer>): void {
    this.length += chunk.length
    if (this.#parts.length > 0 && chunk.length < longChunk) {
      this.#copy(chunk)
      return
    }
    if (this.#parts.length > 0) this.#endPart()
    this.#parts.push(chunk)
  }

  bytes(): Buffer<ArrayBuffer> {
    const [first] = this.#parts
    // Most content has one chunk.
    if (first?.length === this.length) return first
    this.#endPart()
    return Buffer.concat(this.#parts, this.length)
  }

  #copy(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#block.length) {
      this.#endPart()
      this.#block = Buffer.allocUnsafe(blockBytes)
      this.#start = this.#end = 0
    }
    this.#end += chunk.copy(this.#block, this.#end)
  }

  #endPart(): void {
    if (this.#start < this.#end) this.#parts.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}

/**
 * Reads the content of a request, in place of Fastify's own parser, which keeps every chunk.
 *
 * @param limit the most bytes
 * @param done receives the content; or a Refusal if there is more or another length than declared, or the error of the stream
 */
export function readContent(
  { headers, raw }: FastifyRequest,
  payload: Payload,
  limit: number,
  done: (error: Error | null, bytes: Buffer<ArrayBuffer>) => void,
): void {
  const declared = headers['content-length']
  const length = Number(declared)
  // Most short content has arrived with its head, or while the request waited for its turn. Long content takes another turn,
  // in a queue of its own.
  const mayBeRead = payload === raw && length > 0 && length <= limit && length <= shortContent
  if (mayBeRead && raw.complete && raw.readableLength === length) {
    // A hook may have set an encoding.
    const content = raw.read() as Buffer<ArrayBuffer> | string
    done(null, typeof content === 'string' ? Buffer.from(content) : content)
    return
  }
  const chunks = new Chunks()

  function end(error: Error | null): void {
    payload.off('data', add).off('end', finish).off('error', end)
    if (error !== null && payload !== raw) dropRest()
    done(error, error === null ? chunks.bytes() : noBytes)
  }

  /** Decodes no more, and drops the rest of what was sent, so that the connection can go on. */
  function dropRest(): void {
    payload.on('error', () => undefined).destroy()
    raw.unpipe()
    raw.resume()
  }

  // A plugin may read the content as text.
  function add(chunk: Buffer<ArrayBuffer> | string): void {
    chunks.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    if (chunks.length > limit || (payload.receivedEncodedLength ?? 0) > limit) end(tooLarge(limit))
  }

  function finish(): void {
    const received = payload.receivedEncodedLength ?? chunks.length
    const isComplete = declared === undefined || received === length
    end(isComplete ? null : new Refusal('malformed_http', 'the size of the body differs from Content-Length'))
  }

  if (length > limit) end(tooLarge(limit))
  // Nothing would follow.
  else if (payload.readableEnded || payload.destroyed) end(payload.errored ?? new Error(alreadyRead))
  else payload.on('data', add).on('end', finish).on('error', end)
}

const alreadyRead = 'a preParsing hook has read the content of the request; let it return a stream of what it read'

function tooLarge(limit: number): Refusal {
  return new Refusal('body_too_large', `the body is larger than ${String(limit)} bytes`)
}
