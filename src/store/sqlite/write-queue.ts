import type Database from 'better-sqlite3'
import { isBusy, isUnavailable } from './sqlite-errors.ts'

/** One write that waits for its turn. */
interface Write {
  run: () => unknown
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

interface WriteQueueOptions {
  /** The most writes that wait; a further one is refused at once. */
  maxQueued: number
  /** The most writes in one transaction; when so many wait they are written at once. */
  maxBatch: number
  /** How long another process may hold the write lock before the writes that wait for it are refused. */
  lockTimeoutMilliseconds: number
  /** Told of each fault of the database that made writes unavailable. */
  onFault: (error: Error) => void
  /** Told of how many writes each committed transaction had. */
  onCommit?: ((writes: number) => void) | undefined
  /** Whether the database is still the one at its path. */
  isInPlace: () => boolean
}

const lockRetryMilliseconds = 2

/**
 * Group commit: writes that arrive together share one transaction, and so one wait for the disk. Each has its own outcome,
 * told when the transaction is on disk. A lone write waits for nobody.
 */
export class WriteQueue {
  readonly #database: Database.Database
  readonly #options: WriteQueueOptions
  readonly #begin: Database.Statement
  readonly #commit: Database.Statement
  readonly #rollback: Database.Statement
  #waiting: Write[] = []
  #scheduled = false
  /** Since when another process has had the write lock; a timer asks for it again. */
  #blockedSince: number | undefined

  constructor(database: Database.Database, options: WriteQueueOptions) {
    this.#database = database
    this.#options = options
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#rollback = database.prepare('ROLLBACK')
  }

  /** How many writes wait for their turn. */
  get length(): number {
    return this.#waiting.length
  }

  /**
   * Queues a write.
   *
   * @param run changes the database, inside a transaction, and returns the outcome
   * @returns the outcome once it is on disk; `unavailable` when the queue is full or the database cannot be written now,
   *   and nothing has changed then, unless the file was removed or replaced during this very commit
   */
  write<Outcome>(run: () => Outcome): Promise<Outcome | 'unavailable'> {
    return this.#waiting.length >= this.#options.maxQueued ? Promise.resolve('unavailable') : this.#add(run)
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    // One more, whatever the bound: outcomes are told in order.
    while (this.#waiting.length > 0) await this.#add(() => undefined)
  }

  #add<Outcome>(run: () => Outcome): Promise<Outcome | 'unavailable'> {
    return new Promise((resolve, reject) => {
      // The outcome that resolves this promise is the one that its own `run` returned.
      this.#waiting.push({ run, resolve: resolve as (outcome: unknown) => void, reject })
      if (this.#blockedSince !== undefined) return
      // A full batch has nothing to wait for, and what waits is kept alive: of thousands the collector makes more work than commits do.
      if (this.#waiting.length >= this.#options.maxBatch) this.#flush()
      else this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // After the requests that the current turn of the event loop still has to read, which then join the batch.
    setImmediate(() => {
      this.#scheduled = false
      if (this.#waiting.length > 0 && this.#blockedSince === undefined) this.#flush()
    })
  }

  #flush(): void {
    if (!this.#options.isInPlace()) {
      this.#blockedSince = undefined
      refuse(this.#waiting.splice(0))
      return
    }
    try {
      this.#begin.run()
    } catch (error) {
      this.#wait(error)
      return
    }
    this.#blockedSince = undefined
    const batch = this.#waiting.splice(0, this.#options.maxBatch)
    const settle: (() => void)[] = []
    try {
      for (const write of batch) settle.push(this.#attempt(write))
      this.#commit.run()
    } catch (error) {
      if (this.#database.inTransaction) this.#rollback.run()
      this.#fail(batch, error)
      this.#continue()
      return
    }
    // Only now is it known that the commit went into the file at the path.
    if (this.#options.isInPlace()) {
      this.#options.onCommit?.(batch.length)
      for (const tell of settle) tell()
    } else {
      refuse(batch)
    }
    this.#continue()
  }

  /** @throws the database's error when it has ended the whole transaction */
  #attempt({ run, resolve, reject }: Write): () => void {
    try {
      const outcome = run()
      return () => {
        resolve(outcome)
      }
    } catch (error) {
      if (!this.#database.inTransaction || isUnavailable(error)) throw error
      return () => {
        reject(error)
      }
    }
  }

  #wait(error: unknown): void {
    const now = performance.now()
    this.#blockedSince ??= now
    if (isBusy(error) && now - this.#blockedSince < this.#options.lockTimeoutMilliseconds) {
      setTimeout(() => {
        this.#flush()
      }, lockRetryMilliseconds)
      return
    }
    this.#blockedSince = undefined
    this.#fail(this.#waiting.splice(0), error)
  }

  #fail(batch: Write[], error: unknown): void {
    if (isUnavailable(error)) {
      this.#options.onFault(error)
      refuse(batch)
    } else {
      for (const { reject } of batch) reject(error)
    }
  }

  #continue(): void {
    if (this.#waiting.length > 0) this.#schedule()
  }
}

function refuse(batch: Write[]): void {
  for (const { resolve } of batch) resolve('unavailable')
}
