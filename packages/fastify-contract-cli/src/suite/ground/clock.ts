import type { Exchange } from './exchange.ts'
import { LeftOut } from './left-out.ts'

const minute = 60_000

/** How long a response may take, in milliseconds. OpenAPI has no limit: what waits for less does not know of a fault. */
export const patience = 5_000

/** How long the first run of a test may take beyond its share, in milliseconds: a test without a run tells nothing. */
const grace = 500

export const timeIsUp = () => new LeftOut('time', 'the time is up; give more with --seconds')

/** The time of a run, of the turn and of the case of the moment, in milliseconds. */
export class Clock {
  /** How long a response is waited for. */
  readonly wait: number
  /** How long one case may take where a run has no end. */
  readonly caseTime: number
  readonly #end: number
  #turnEnd = Infinity
  #caseEnd = Infinity
  #grace = 0
  #shrinkTime = 0

  /** @param time the time for everything; no limit by default @param scale how many times as long a case may take */
  constructor(time = Infinity, scale = 1) {
    this.#end = performance.now() + time
    this.wait = time === Infinity ? minute : Math.min(time / 4, Math.max(patience, Math.min(2 * patience, time / 12)))
    this.caseTime = minute * Math.max(1, scale)
  }

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Starts one of several turns that share what is left. */
  startTurn(turns: number): void {
    const now = performance.now()
    this.#turnEnd = now + (this.#end - now) / turns
  }

  get leftOfTurn(): number {
    return this.#turnEnd - performance.now()
  }

  /**
   * Starts a case.
   *
   * @param time by default half of what it may take: the search for a smaller one ends before a test runner does
   * @param shrinkTime what that search may take, from the first fault on
   */
  startCase(time = this.caseTime / 2, shrinkTime = 0): void {
    this.#caseEnd = performance.now() + time
    this.#grace = grace
    this.#shrinkTime = shrinkTime
  }

  endCase(): void {
    this.#caseEnd = Infinity
  }

  /** The first run of a case is over. */
  endGrace(): void {
    this.#grace = 0
  }

  /** Gives the search for a smaller case its time; that of the next cause half of it. */
  extendCase(): void {
    this.#caseEnd = Math.max(this.#caseEnd, performance.now() + this.#shrinkTime)
    this.#shrinkTime /= 2
  }

  /** @throws LeftOut if the time of the case is up */
  assertLeft(): void {
    if (performance.now() >= this.#caseEnd + this.#grace) throw timeIsUp()
  }

  /** Gives up at the end of a run, when what is tried says nothing any more. */
  until(exchange: Exchange): Exchange {
    if (this.#end === Infinity) return exchange
    return async (request) => {
      const { promise, reject } = Promise.withResolvers<never>()
      const giveUp = () => {
        reject(timeIsUp())
      }
      const timer = setTimeout(giveUp, Math.max(0, this.#end - performance.now()))
      try {
        return await Promise.race([exchange(request), promise])
      } finally {
        clearTimeout(timer)
      }
    }
  }
}
