/** The bytes of a file. */
export class GrowingBytes {
  #bytes = Buffer.alloc(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  write(offset: number, bytes: Buffer): void {
    this.#reserve(offset + bytes.length)
    bytes.copy(this.#bytes, offset)
    this.#size = Math.max(this.#size, offset + bytes.length)
  }

  /** Cuts the bytes, or adds zeros. */
  resize(size: number): void {
    this.#reserve(size)
    this.#bytes.fill(0, Math.min(size, this.#size), this.#size)
    this.#size = size
  }

  /** The bytes themselves, valid until the next change. */
  view(from = 0, to = this.#size): Buffer {
    return this.#bytes.subarray(Math.min(from, this.#size), Math.min(to, this.#size))
  }

  copy(): GrowingBytes {
    const copy = new GrowingBytes()
    copy.write(0, this.view())
    return copy
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length))
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}
