import type Database from 'better-sqlite3'
import { isUnavailable } from './sqlite-errors.ts'

/** How many reads wait for the turn's end at most. */
const mostWaiting = 64

/**
 * Reads for the requests that arrive together, the twin of the write queue: from the second on the reads of one turn of the event
 * loop share one snapshot, and so one locking of the database, and those that can wait for the turn's end are answered in a row,
 * which wakes a client that has many of them once. A lone read waits for nobody.
 *
 * A snapshot never outlives its turn, so a request sees everything that was acknowledged before it was sent.
 */
export class ReadTurns {
  readonly #database: Database.Database
  readonly #onFault: (error: Error) => void
  readonly #begin: Database.Statement
  readonly #end: Database.Statement
  #waiting: (() => void)[] = []
  #isScheduled = false
  // SQLite's own answer costs a call for each read.
  #hasSnapshot = false

  /** @param onFault told of each fault of the database that made reads unavailable */
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
      this.#takeSnapshot()
      return run()
    } catch (error) {
      // Some faults end the transaction.
      this.#hasSnapshot = this.#database.inTransaction
      if (!isUnavailable(error)) throw error
      this.#onFault(error)
      return 'unavailable'
    }
  }

  /** Reads at the end of this turn, together with the others that do. */
  readTogether<Result>(run: () => Result): Promise<Result | 'unavailable'> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(this.read(run))
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
      // What waits is kept alive: of thousands the collector makes more work than it saves to answer them in a row.
      if (this.#waiting.length >= mostWaiting) this.#readWaiting()
      else this.#schedule()
    })
  }

  #readWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const read of waiting) read()
  }

  /** A first read alone would pay for the beginning and the end of what it does not share. */
  #takeSnapshot(): void {
    if (!this.#isScheduled) this.#schedule()
    else if (!this.#hasSnapshot) {
      this.#begin.run()
      this.#hasSnapshot = true
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#readWaiting()
      this.#isScheduled = false
      this.#hasSnapshot = false
      if (this.#database.open && this.#database.inTransaction) this.#end.run()
    })
  }
}
