/**
 * Runs the work of one iteration of the event loop in its check phase, when the requests of the iteration have been
 * read (nodejs.org/learn/asynchronous-work/event-loop-timers-and-nexttick). It has two steps: what the promises of the
 * first step lead to at once is still part of the second.
 */
export class Turns {
  readonly #begin: () => void
  readonly #end: () => void
  #isScheduled = false

  constructor(begin: () => void, end: () => void) {
    this.#begin = begin
    this.#end = end
  }

  /** Has both steps run in this iteration; between them it changes nothing. */
  schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#begin)
    setImmediate(() => {
      this.#isScheduled = false
      this.#end()
    })
  }
}
