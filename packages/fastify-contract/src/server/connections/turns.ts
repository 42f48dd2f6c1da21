/** The most requests that start in a turn of the event loop: enough to share the disk sync of a commit. */
const maxStarts = 128

/** The most turns in a row that accept a connection and start no request. */
const maxAccepting = 64

/**
 * Spreads the requests of all connections over the turns of the event loop. A turn starts at most `maxStarts` of them;
 * the rest wait in the order of their arrival. Otherwise libuv would serve busy connections for seconds before it runs
 * a timer: it polls up to 48 times in a turn while a thousand sockets are readable.
 *
 * While clients connect, up to `maxAccepting` turns start no request. Node accepts one connection in a turn
 * (github.com/libuv/libuv/pull/3696), so a thousand new clients would wait for a thousand full turns.
 */
export class Turns {
  #waiting: (() => void)[] = []
  #limit = maxStarts
  #started = 0
  #accepting = 0
  #hasAccepted = false
  #isScheduled = false

  /** Calls `start` in this turn, or in a later one if this turn is full. */
  run(start: () => void): void {
    if (this.#started >= this.#limit) this.runLater(start)
    else {
      this.#schedule()
      this.#started++
      start()
    }
  }

  /** Calls `start` in a later turn. */
  runLater(start: () => void): void {
    this.#schedule()
    this.#waiting.push(start)
  }

  /** Call this when a connection was accepted. */
  accept(): void {
    this.#hasAccepted = true
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#next)
  }

  readonly #next = (): void => {
    this.#accepting = this.#hasAccepted ? (this.#accepting + 1) % maxAccepting : 0
    this.#hasAccepted = false
    this.#limit = this.#accepting > 0 ? 0 : maxStarts
    const starts = this.#waiting.splice(0, this.#limit)
    this.#started = starts.length
    this.#isScheduled = false
    if (this.#waiting.length > 0 || this.#limit === 0 || starts.length > 0) this.#schedule()
    for (const start of starts) start()
  }
}
