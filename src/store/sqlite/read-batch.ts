import type Database from 'better-sqlite3'
import { isUnavailable } from './sqlite-errors.ts'

/** The most reads that wait. Thousands would cost more in garbage collection than they save. */
const maxWaiting = 64

/**
 * Runs the lists of the requests that arrive together one after the other, at the end of an iteration of the event loop. They
 * share one snapshot, and so one locking of the database, and a client that has several of them is woken once.
 *
 * A snapshot begins and ends inside of one function, so a request sees everything that was acknowledged before it was sent.
 */
export class ReadBatch {
  readonly #database: Database.Database
  readonly #onFault: (error: Error) => void
  readonly #begin: Database.Statement
  readonly #end: Database.Statement
  #waiting: (() => void)[] = []
  #isScheduled = false

  /** @param onFault receives each fault of the database that made reads unavailable */
  constructor(database: Database.Database, onFault: (error: Error) => void) {
    this.#database = database
    this.#onFault = onFault
    this.#begin = database.prepare('BEGIN')
    // A snapshot has nothing to keep, and COMMIT fails on a damaged file.
    this.#end = database.prepare('ROLLBACK')
  }

  /** Reads at once. `unavailable` when the database cannot be read now. */
  read<Result>(run: () => Result): Result | 'unavailable' {
    try {
      return run()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#onFault(error)
      return 'unavailable'
    }
  }

  /** Reads at the end of this iteration, together with the others that do. */
  readTogether<Result>(run: () => Result): Promise<Result | 'unavailable'> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(this.read(run))
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
      if (this.#waiting.length >= maxWaiting) this.#readWaiting()
      else this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#readWaiting()
    })
  }

  #readWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    // A read alone would pay for the beginning and the end of what it does not share.
    if (waiting.length > 1) this.read(() => this.#begin.run())
    for (const read of waiting) read()
    // Some faults end the transaction.
    if (this.#database.inTransaction) this.#end.run()
  }
}
