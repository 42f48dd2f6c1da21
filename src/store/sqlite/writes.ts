import type Database from 'better-sqlite3'
import { setTimeout as sleep } from 'node:timers/promises'
import { Batcher, type Waiting, refuse, settle } from '../batch.ts'
import type { StoreOptions } from '../store.ts'
import { isBusy, isUnavailable } from './errors.ts'
import { prepareWrites } from './statements.ts'

type Statements = ReturnType<typeof prepareWrites>

type Write = (statements: Statements) => unknown

interface WriteQueueOptions extends Pick<StoreOptions, 'onFault' | 'onCommit'> {
  maxQueued: number
  /** The most writes in one transaction; when this many wait they are committed at once. */
  maxBatch?: number
  /** How long another process may hold the write lock before the writes that wait are `unavailable`. */
  lockTimeoutMilliseconds: number
  /** Whether the open database is still the file at its path. */
  isInPlace: () => boolean
  /** See `Batcher`. */
  runLater?: (run: () => void) => void
}

/** Enough that each write's share of the wait for the disk is small. */
const defaultMaxBatch = 128

const lockRetryMilliseconds = 2

/**
 * Group commit: the writes of one iteration of the event loop share a transaction, and so one wait for the disk. Each
 * has its own outcome, which it gets when the transaction is on disk.
 */
export class WriteQueue {
  readonly #database: Database.Database
  readonly #options: WriteQueueOptions
  readonly #statements: Statements
  readonly #batch: Batcher<Write, unknown>

  constructor(database: Database.Database, options: WriteQueueOptions) {
    this.#database = database
    this.#options = options
    this.#statements = prepareWrites(database)
    this.#batch = new Batcher(options.maxBatch ?? defaultMaxBatch, () => this.#commitNext(), options.runLater)
  }

  get length(): number {
    return this.#batch.length
  }

  /**
   * Queues a write.
   *
   * @returns the outcome of `run` once it is on disk. `unavailable` when the queue is full or the database cannot be
   *   written now; nothing has changed then, unless the file was removed or replaced during this very commit
   */
  write<Outcome>(run: (statements: Statements) => Outcome): Promise<Outcome | 'unavailable'> {
    if (this.#batch.length >= this.#options.maxQueued) return Promise.resolve('unavailable')
    // `#commit` resolves each promise with the outcome of its own `run`, or with `unavailable`.
    return this.#batch.add(run) as Promise<Outcome | 'unavailable'>
  }

  /** Resolves when every write has its outcome. */
  drain(): Promise<void> {
    return this.#batch.drain()
  }

  #commitNext(): Promise<void> | undefined {
    const error = this.#tryCommit()
    if (isBusy(error)) return this.#waitForLock()
    if (error !== undefined) this.#fail(this.#batch.takeAll(), error)
    return undefined
  }

  async #waitForLock(): Promise<void> {
    const deadline = performance.now() + this.#options.lockTimeoutMilliseconds
    let error: unknown
    do {
      await sleep(lockRetryMilliseconds)
      error = this.#tryCommit()
    } while (isBusy(error) && performance.now() < deadline)
    if (error !== undefined) this.#fail(this.#batch.takeAll(), error)
  }

  /** Commits the next batch. @returns the error if no transaction could begin; the writes then still wait */
  #tryCommit(): unknown {
    if (!this.#options.isInPlace()) {
      refuse(this.#batch.takeAll())
      return undefined
    }
    try {
      this.#statements.begin.run()
    } catch (error) {
      return error
    }
    this.#commit(this.#batch.take())
    return undefined
  }

  /** Runs and commits writes in the transaction that has begun. */
  #commit(batch: Waiting<Write, unknown>[]): void {
    let outcomes: unknown[]
    try {
      outcomes = batch.map(({ item }) => this.#outcomeOf(item))
      this.#statements.commit.run()
    } catch (error) {
      if (this.#database.inTransaction) this.#statements.rollback.run()
      this.#fail(batch, error)
      return
    }
    // Checked again: if the file was removed meanwhile, the commit went into the removed one.
    if (!this.#options.isInPlace()) {
      refuse(batch)
      return
    }
    this.#options.onCommit?.(batch.length)
    settle(batch, outcomes)
  }

  /** @returns the outcome, or the error if it concerns this write alone */
  #outcomeOf(write: Write): unknown {
    try {
      return write(this.#statements)
    } catch (error) {
      if (!this.#database.inTransaction || isUnavailable(error)) throw error
      return asError(error)
    }
  }

  #fail(batch: Waiting<Write, unknown>[], error: unknown): void {
    if (isUnavailable(error)) {
      this.#options.onFault(error)
      refuse(batch)
    } else for (const { reject } of batch) reject(error)
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
