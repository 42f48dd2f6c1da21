import type { ServerResponse } from 'node:http'

/** In bytes: a body up to this size is not counted, because a connection needs as much anyway. */
const smallBody = 16_384

/** Bounds the memory that responses hold while their clients do not read them. */
export class UnreadBytes {
  readonly #max: number
  #held = 0

  /** @param max in bytes, over all responses */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Counts the bytes of a body until its response is closed.
   *
   * @returns whether there is room for them; if not, they are not counted
   */
  hold(response: ServerResponse, bytes: number): boolean {
    // A response whose client left while its body was made has been closed, and emits no second `close`.
    if (bytes <= smallBody || response.closed) return true
    if (this.#held >= this.#max) return false
    this.#held += bytes
    response.once('close', () => {
      this.#held -= bytes
    })
    return true
  }
}
