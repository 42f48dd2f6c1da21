/** The default of `StoreOptions.maxQueued`. */
export const defaultMaxQueued = 10_000

/** An item that waits, and the functions that settle the promise of `add`. */
export interface Waiting<Item, Outcome> {
  item: Item
  resolve: (outcome: Outcome | 'unavailable') => void
  reject: (error: unknown) => void
}

/** Settles each item with its outcome; an error rejects it. */
export function settle<Outcome>(
  batch: Waiting<unknown, Outcome>[],
  outcomes: readonly (Outcome | 'unavailable' | Error)[],
): void {
  batch.forEach(({ resolve, reject }, index) => {
    // There are as many outcomes as items.
    const outcome = outcomes[index]!
    if (outcome instanceof Error) reject(outcome)
    else resolve(outcome)
  })
}

/** Settles every item as `unavailable`. */
export function refuse(batch: Waiting<unknown, never>[]): void {
  for (const { resolve } of batch) resolve('unavailable')
}

/**
 * Gathers the items that arrive in one iteration of the event loop, so that they share a query or a transaction.
 *
 * `setImmediate` runs after the loop has read the requests that have arrived. A single item waits for nothing else.
 */
export class Batcher<Item, Outcome> {
  readonly #maxSize: number
  readonly #run: () => Promise<void> | undefined
  #waiting: Waiting<Item, Outcome>[] = []
  #isScheduled = false
  #isRunning = false
  #onIdle: (() => void)[] = []

  /**
   * @param maxSize the most items in a batch; as soon as this many wait, they are processed
   * @param run takes the next batch with `take` and settles each of its items. If it returns a promise, which must
   *   not reject, further items gather until the promise resolves
   */
  constructor(maxSize: number, run: () => Promise<void> | undefined) {
    this.#maxSize = maxSize
    this.#run = run
  }

  /** How many items wait. */
  get length(): number {
    return this.#waiting.length
  }

  /** Adds an item. Settles as `run` settles it. */
  add(item: Item): Promise<Outcome | 'unavailable'> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#isRunning) return
      if (this.#waiting.length >= this.#maxSize) this.#runNext()
      else this.#schedule()
    })
  }

  /** Removes the items of the next batch from those that wait, the first first. */
  take(): Waiting<Item, Outcome>[] {
    return this.#waiting.splice(0, this.#maxSize)
  }

  /** Removes all items that wait. */
  takeAll(): Waiting<Item, Outcome>[] {
    return this.#waiting.splice(0)
  }

  /** Resolves when every item is settled. */
  async drain(): Promise<void> {
    if (this.#waiting.length === 0 && !this.#isRunning) return
    await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#waiting.length > 0 && !this.#isRunning) this.#runNext()
    })
  }

  #runNext(): void {
    const running = this.#run()
    if (running === undefined) {
      this.#continue()
      return
    }
    this.#isRunning = true
    void running.then(() => {
      this.#isRunning = false
      this.#continue()
    })
  }

  #continue(): void {
    if (this.#waiting.length > 0) this.#schedule()
    else for (const resolve of this.#onIdle.splice(0)) resolve()
  }
}

/** Runs asynchronous functions, at most `max` at a time. The others wait, first come first served. */
export function limitConcurrency(max: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running < max) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      // The next one runs instead, so `running` stays the same.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
