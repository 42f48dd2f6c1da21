import { LruMap } from 'toad-cache'

/** The number of requests of one key in its window. */
export interface RequestCount {
  requests: number
  /** How long the window still lasts. */
  milliseconds: number
}

/**
 * Counts requests by a key, such as a caller or an address, in windows of one length. The window of a key begins with
 * its first request. The clock is monotonic, so setting the machine's clock does not make a window longer.
 */
export class RequestCounts {
  readonly #windowMilliseconds: number
  readonly #windows: LruMap<{ requests: number; endsAt: number }>

  /** @param maxKeys the limit of keys; the key that was used longest ago is then forgotten */
  constructor(windowMilliseconds: number, maxKeys: number) {
    this.#windowMilliseconds = windowMilliseconds
    this.#windows = new LruMap(maxKeys)
  }

  /** The count of a key now. */
  read(key: string): RequestCount {
    const now = performance.now()
    const window = this.#windows.get(key)
    return window === undefined || window.endsAt <= now
      ? { requests: 0, milliseconds: this.#windowMilliseconds }
      : { requests: window.requests, milliseconds: window.endsAt - now }
  }

  /** Counts one request more. @returns the count with it */
  add(key: string): RequestCount {
    const { requests, milliseconds } = this.read(key)
    const count = { requests: requests + 1, milliseconds }
    this.#windows.set(key, { requests: count.requests, endsAt: performance.now() + milliseconds })
    return count
  }
}
