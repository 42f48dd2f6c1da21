declare const content: unique symbol

/** JSON text that was encoded elsewhere and is sent as it is. The type names what it encodes. */
export class Encoded<Content> {
  declare readonly [content]: Content
  readonly chunks: string | Buffer | AsyncIterable<Buffer>

  /** @param chunks the whole text; or its bytes in UTF-8, which are freed once they are sent; or its pieces in order */
  constructor(chunks: string | Buffer | AsyncIterable<Buffer>) {
    this.chunks = chunks
  }
}

/** Whether an encoded body is whole, and not in pieces. */
export function isWhole(chunks: Encoded<unknown>['chunks']): chunks is string | Buffer {
  return typeof chunks === 'string' || Buffer.isBuffer(chunks)
}

/** The chunks of a body that is given as a stream; undefined for every other body. */
export function chunksOf(body: unknown): AsyncIterable<Uint8Array> | undefined {
  const content: unknown = body instanceof Encoded ? body.chunks : body
  const isStream = typeof content === 'object' && content !== null && Symbol.asyncIterator in content
  // What the chunks are is seen when they are read.
  return isStream ? (content as AsyncIterable<Uint8Array>) : undefined
}

/**
 * Frees the bytes of a Buffer at once. Left to garbage collection, the bytes of long lists pile up and cause full
 * collections again and again, so that fewer lists are answered.
 *
 * @param buffer not one that the operating system still writes from
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  // A small Buffer shares the memory of others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
