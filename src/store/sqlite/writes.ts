import type Database from 'better-sqlite3'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreOptions } from '../store.ts'
import { type Waiting, refuse } from '../waiting.ts'
import { isBusy, isDamage, isUnavailable, prepareWrites } from './statements.ts'

type Statements = ReturnType<typeof prepareWrites>

interface Write {
  run: (statements: Statements) => unknown
  /** Whether it runs one statement, which is a transaction by itself. */
  isOneStatement: boolean
}

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
const defaultMaxBatch = 256

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
   * @param isOneStatement whether `run` runs one statement
   * @returns the outcome of `run` once it is on disk. `unavailable` when the queue is full or the database cannot be
   *   written now, as `PlantStore` promises
   */
  write<Outcome>(run: (statements: Statements) => Outcome, isOneStatement = false): Promise<Outcome | 'unavailable'> {
    if (this.#waiting.length >= this.#options.maxQueued) return Promise.resolve('unavailable')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ item: { run, isOneStatement }, resolve, reject })
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
    if (this.#tryCommit() === undefined) this.#continue()
    else void this.#waitForLock()
  }

  async #waitForLock(): Promise<void> {
    this.#isWaitingForLock = true
    const deadline = performance.now() + this.#options.lockTimeoutMilliseconds
    let busy: unknown
    do {
      await sleep(lockRetryMilliseconds)
      busy = this.#tryCommit()
    } while (busy !== undefined && performance.now() < deadline)
    this.#isWaitingForLock = false
    if (busy !== undefined) this.#fail(this.#waiting.splice(0), busy)
    this.#continue()
  }

  #continue(): void {
    if (this.#waiting.length > 0) this.#options.schedule()
    else if (this.#onIdle.length > 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** @returns the error if another process holds the write lock; then the writes stay in the queue */
  #tryCommit(): unknown {
    if (!this.#options.isInPlace()) {
      refuse(this.#waiting.splice(0))
      return undefined
    }
    let batch = this.#waiting
    this.#waiting = batch.length > this.#maxBatch ? batch.splice(this.#maxBatch) : []
    try {
      while (batch.length > 0) batch = this.#runBatch(batch)
    } catch (error) {
      this.#rollBack()
      if (isBusy(error)) {
        this.#waiting.unshift(...batch)
        return error
      }
      this.#fail(batch, error)
    }
    return undefined
  }

  /**
   * Runs writes in a transaction, and gives them their outcomes when it is committed. It is not if some of them met a
   * damaged page: SQLite commits nothing after that.
   *
   * @returns the writes to run again, without those that met damage
   */
  #runBatch(batch: Waiting<Write, unknown>[]): Waiting<Write, unknown>[] {
    const isAlone = batch.length === 1 && batch[0]!.item.isOneStatement
    // No transaction is open: the snapshot of this turn has ended, and a batch that fails is rolled back.
    if (!isAlone) this.#statements.begin.run()
    const outcomes: unknown[] = []
    let isDamaged = false
    for (let index = 0; index < batch.length; index++) {
      try {
        outcomes.push(batch[index]!.item.run(this.#statements))
      } catch (error) {
        if (isDamage(error)) {
          isDamaged = true
          this.#rollBack()
          this.#statements.begin.run()
        } else if (!(error instanceof Error) || !this.#database.inTransaction || isUnavailable(error)) throw error
        // Only this write failed.
        outcomes.push(error)
      }
    }
    if (isDamaged) return this.#failDamaged(batch, outcomes)
    if (!isAlone) this.#statements.commit.run()
    // If the file was removed meanwhile, the commit went into the removed file.
    if (!this.#options.isInPlace()) {
      refuse(batch)
      return []
    }
    this.#options.onCommit?.(batch.length)
    for (let index = 0; index < batch.length; index++) {
      const outcome = outcomes[index]
      if (outcome instanceof Error) batch[index]!.reject(outcome)
      else batch[index]!.resolve(outcome)
    }
    return []
  }

  /** Fails the writes that met damage. @returns the others */
  #failDamaged(batch: Waiting<Write, unknown>[], outcomes: unknown[]): Waiting<Write, unknown>[] {
    this.#rollBack()
    return batch.filter((write, index) => {
      const outcome = outcomes[index]
      if (!isDamage(outcome)) return true
      this.#fail([write], outcome)
      return false
    })
  }

  /** Some faults have rolled back the transaction already. */
  #rollBack(): void {
    if (this.#database.inTransaction) this.#statements.rollback.run()
  }

  #fail(batch: Waiting<Write, unknown>[], error: unknown): void {
    if (isUnavailable(error)) {
      this.#options.onFault(error)
      refuse(batch)
    } else for (const { reject } of batch) reject(error)
  }
}
