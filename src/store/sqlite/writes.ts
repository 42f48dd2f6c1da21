import type Database from 'better-sqlite3'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreOptions } from '../store.ts'
import { type Waiting, refuse } from '../waiting.ts'
import { isBusy, isUnavailable, prepareWrites } from './statements.ts'

type Statements = ReturnType<typeof prepareWrites>

type Write = (statements: Statements) => unknown

interface WriteQueueOptions extends Pick<StoreOptions, 'onFault' | 'onCommit'> {
  maxQueued: number
  /** The most writes in one transaction. */
  maxBatch?: number
  /** How long queued writes wait for another process's write lock before they are `unavailable`. */
  lockTimeoutMilliseconds: number
  /** Whether the path still names the open database. */
  isInPlace: () => boolean
  /** Calls `commit` at the end of this iteration of the event loop. */
  schedule: () => void
}

/** Large enough to make each write's share of the disk sync small. */
const defaultMaxBatch = 128

const lockRetryMilliseconds = 2

/**
 * Group commit: the writes of one iteration of the event loop share a transaction and one disk sync. Each write has its
 * own outcome and gets it when the transaction is on disk.
 */
export class WriteQueue {
  readonly #database: Database.Database
  readonly #options: WriteQueueOptions
  readonly #statements: Statements
  readonly #maxBatch: number
  #waiting: Waiting<Write, unknown>[] = []
  #isWaitingForLock = false
  #onIdle: (() => void)[] = []

  constructor(database: Database.Database, options: WriteQueueOptions) {
    this.#database = database
    this.#options = options
    this.#statements = prepareWrites(database)
    this.#maxBatch = options.maxBatch ?? defaultMaxBatch
  }

  get length(): number {
    return this.#waiting.length
  }

  /**
   * Queues a write.
   *
   * @returns the outcome of `run` once it is on disk. `unavailable` when the queue is full or the database cannot be
   *   written now; then nothing has changed, unless the file was removed or replaced during the commit
   */
  write<Outcome>(run: (statements: Statements) => Outcome): Promise<Outcome | 'unavailable'> {
    if (this.#waiting.length >= this.#options.maxQueued) return Promise.resolve('unavailable')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ item: run, resolve, reject })
    this.#options.schedule()
    // `#runBatch` resolves it with the outcome of `run`, or with `unavailable`.
    return promise as Promise<Outcome | 'unavailable'>
  }

  /** Resolves when every write has its outcome. */
  async drain(): Promise<void> {
    if (this.#waiting.length > 0 || this.#isWaitingForLock) {
      await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    }
  }

  /** Commits the next batch. */
  commit(): void {
    if (this.#waiting.length === 0 || this.#isWaitingForLock) return
    const error = this.#tryCommit()
    if (isBusy(error)) void this.#waitForLock()
    else this.#continue(error)
  }

  async #waitForLock(): Promise<void> {
    this.#isWaitingForLock = true
    const deadline = performance.now() + this.#options.lockTimeoutMilliseconds
    let error: unknown
    do {
      await sleep(lockRetryMilliseconds)
      error = this.#tryCommit()
    } while (isBusy(error) && performance.now() < deadline)
    this.#isWaitingForLock = false
    this.#continue(error)
  }

  /** @param error why no transaction could begin */
  #continue(error: unknown): void {
    if (error !== undefined) this.#fail(this.#waiting.splice(0), error)
    if (this.#waiting.length > 0) this.#options.schedule()
    else for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** @returns the error if no transaction could begin; then the writes stay in the queue */
  #tryCommit(): unknown {
    if (!this.#options.isInPlace()) {
      refuse(this.#waiting.splice(0))
      return undefined
    }
    // The snapshot of reads that run in the same turn.
    if (this.#database.inTransaction) this.#statements.rollback.run()
    try {
      this.#statements.begin.run()
    } catch (error) {
      return error
    }
    this.#runBatch(this.#waiting.splice(0, this.#maxBatch))
    return undefined
  }

  /** Runs and commits writes in the open transaction. */
  #runBatch(batch: Waiting<Write, unknown>[]): void {
    const outcomes: unknown[] = []
    try {
      for (const { item } of batch) {
        try {
          outcomes.push(item(this.#statements))
        } catch (error) {
          if (!(error instanceof Error) || !this.#database.inTransaction || isUnavailable(error)) throw error
          // Only this write failed.
          outcomes.push(error)
        }
      }
      this.#statements.commit.run()
    } catch (error) {
      if (this.#database.inTransaction) this.#statements.rollback.run()
      this.#fail(batch, error)
      return
    }
    // If the file was removed meanwhile, the commit went into the removed file.
    if (!this.#options.isInPlace()) {
      refuse(batch)
      return
    }
    this.#options.onCommit?.(batch.length)
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
  }

  #fail(batch: Waiting<Write, unknown>[], error: unknown): void {
    if (isUnavailable(error)) {
      this.#options.onFault(error)
      refuse(batch)
    } else for (const { reject } of batch) reject(error)
  }
}
