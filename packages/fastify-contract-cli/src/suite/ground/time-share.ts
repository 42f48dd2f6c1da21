import { LeftOut } from './left-out.ts'

export const timeIsUp = 'the time is up; give more with --seconds'

/** How long the first run of a test may take beyond its share, in milliseconds: a test without a run tells nothing. */
const grace = 500

/** The time that the test of the moment may take. */
export class TimeShare {
  #end = Infinity
  #grace = 0

  /** @param milliseconds none by default */
  start(milliseconds = Infinity): void {
    this.#end = performance.now() + milliseconds
    this.#grace = grace
  }

  /** Gives the search for a smaller case more time. @param milliseconds from now on */
  extend(milliseconds: number): void {
    this.#end = Math.max(this.#end, performance.now() + milliseconds)
  }

  /** The first run is over. */
  endGrace(): void {
    this.#grace = 0
  }

  get isUp(): boolean {
    return performance.now() >= this.#end + this.#grace
  }

  /** @throws LeftOut */
  assertLeft(): void {
    if (this.isUp) throw new LeftOut('time', timeIsUp)
  }
}
