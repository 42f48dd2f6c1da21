import { brand } from '../brand.ts'
import { parseJsonWithBigInts } from '../json/json.ts'

declare const content: unique symbol

/** Encoded JSON, sent unchanged. The type parameter is its value's type. */
export class Encoded<Content> {
  declare readonly [content]: Content
  readonly chunks: string | Buffer | AsyncIterable<Buffer>

  /** @param chunks the whole text; its bytes in UTF-8, which are freed once sent; or its pieces in order */
  constructor(chunks: string | Buffer | AsyncIterable<Buffer>) {
    this.chunks = chunks
  }
}
brand(Encoded, 'Encoded')

/** Parses encoded JSON, which can then be sent as this value. @throws MalformedJson, RefusedJson as `parseJson` */
export async function decode({ chunks }: Encoded<unknown>): Promise<unknown> {
  if (typeof chunks === 'string') return parseJsonWithBigInts(chunks)
  const parts: Buffer[] = []
  if (Buffer.isBuffer(chunks)) parts.push(chunks)
  else for await (const chunk of chunks) parts.push(chunk)
  return parseJsonWithBigInts(Buffer.concat(parts).toString())
}

/** The chunks of a streamed body; undefined for any other body. */
export function chunksOf(body: unknown): AsyncIterable<Uint8Array> | undefined {
  const content: unknown = body instanceof Encoded ? body.chunks : body
  return isStream(content) ? content : undefined
}

/** Whether a body is a stream, unless it is `Encoded`. Its chunks are checked when they are read. */
export function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/**
 * Frees the bytes of a Buffer at once. Otherwise the bytes of long lists pile up and cause repeated full garbage
 * collections, with fewer responses.
 *
 * @param buffer not still being written by the operating system
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  // A small Buffer is part of a shared pool.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
