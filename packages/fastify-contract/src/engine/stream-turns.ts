/** How long streams work in one turn of the event loop, in milliseconds. */
const turnMilliseconds = 2

/**
 * Gives streams their turns, in the order in which they ask: promises that are always settled would keep the event loop
 * from everything else. A stream that waits for an item takes no turn.
 */
class StreamTurns {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false
  /** The end of this turn, in milliseconds. */
  #until = 0

  /** Runs a step in a later turn of the event loop. */
  take(step: () => void): void {
    this.#waiting.push(step)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#begin)
  }

  /** Whether this turn has time left. */
  get hasTime(): boolean {
    return performance.now() < this.#until
  }

  readonly #begin = (): void => {
    this.#until = performance.now() + turnMilliseconds
    this.#run()
  }

  #run(): void {
    this.#waiting.shift()?.()
    // Node runs this when all promises that the step has settled are done with (Node.js, "process.nextTick()").
    if (this.#waiting.length > 0) queueMicrotask(this.#settle)
    else this.#isScheduled = false
  }

  readonly #settle = (): void => {
    process.nextTick(this.#goOn)
  }

  readonly #goOn = (): void => {
    if (this.hasTime) this.#run()
    else setImmediate(this.#begin)
  }
}

/** There is one event loop. */
export const streamTurns = new StreamTurns()
