import type Database from 'better-sqlite3'
import { Encoded } from 'fastify-contract/encoded'
import type { Plant } from '../../plants/plant.ts'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import type { Caller, CallerOfToken, Store, StoredToken } from '../store.ts'
import type { Row } from '../table.ts'
import { tokenRows } from '../token-table.ts'
import type { Waiting } from '../waiting.ts'
import { isUnavailable, prepareReads, sqlRunner } from './statements.ts'

/** Lists read this many bytes in one turn of the event loop, and at most two parts more, so that others do not wait. */
const turnBytes = 1_024 * 1_024

/** The most plants in a page: 3 MiB if all are of the longest. */
const maxPageRows = 1_024

/** A list of at most this many plants is read as text. Bytes take less CPU only for longer ones. */
const textRows = 32

/** What a row of other SQL counts for. */
const rowBytes = 256

/**
 * Reads for the server. The token lookups and lists of one turn of the event loop share a snapshot. Locking the
 * database once for all of them saves a busy server much of the CPU of a short request. The snapshot begins after the
 * requests of the turn have been read, so a request sees every write acknowledged before it was sent.
 */
export class Reads {
  readonly #database: Database.Database
  readonly #statements: ReturnType<typeof prepareReads>
  readonly #onFault: (error: Error) => void
  readonly #schedule: () => void
  #lookups: Waiting<() => CallerOfToken, CallerOfToken>[] = []
  readonly #run: ReturnType<typeof sqlRunner>
  readonly #rows: Waiting<() => Row[], Row[]>[] = []
  readonly #texts: Waiting<() => Encoded<Plant[]>, Encoded<Plant[]>>[] = []
  readonly #parts: Waiting<() => Part, Part>[] = []
  /** The bytes that lists have read in this turn. */
  #bytes = 0
  /** Whether a snapshot was begun for several reads. Some faults end it without `#endSnapshot`. */
  #hasSnapshot = false
  /** The size of a list's first page: about a chunk, judging by the plants that were read last. */
  #firstRows = pageRows

  /** @param schedule calls `begin` and then `end` in this turn of the event loop */
  constructor(database: Database.Database, onFault: (error: Error) => void, schedule: () => void) {
    this.#database = database
    this.#statements = prepareReads(database)
    this.#run = sqlRunner(database)
    this.#onFault = onFault
    this.#schedule = schedule
  }

  readonly list: Store['list'] = (caller, limit = Infinity) => {
    if (limit > textRows) return this.#listInParts(caller, limit)
    return this.#add(this.#texts, () => {
      // An aggregate without GROUP BY always returns one row.
      const text = this.#statements.shortList.get(caller, limit)!
      this.#bytes += text.length
      return new Encoded<Plant[]>(text)
    })
  }

  readonly findCaller: Store['findCaller'] = (hash, now) => {
    const { promise, resolve, reject } = Promise.withResolvers<CallerOfToken>()
    const item = () => {
      const row = this.#statements.callerOfToken.get(hash, now)
      return row === undefined ? 'unknown' : { caller: row[0], scope: row[1] ?? undefined }
    }
    this.#lookups.push({ item, resolve, reject })
    this.#schedule()
    return promise
  }

  readonly read: Store['read'] = (_caller, text, values) =>
    this.#add(this.#rows, () => {
      const rows = this.#run(text, values)
      this.#bytes += rows.length * rowBytes
      return rows
    })

  listTokens(): StoredToken[] | 'unavailable' {
    return this.#read(() => this.#statements.tokens.all().map(tokenRows.tokenOf))
  }

  isEmpty(): boolean | 'unavailable' {
    return this.#read(() => this.#statements.isEmpty.get() === 1)
  }

  /** Whether the database can be read now. A damaged page of a table fails only the requests that need it. */
  isReadable(): boolean {
    return this.#read(() => this.#statements.isReadable.get()) !== 'unavailable'
  }

  /** Runs a read now. */
  #read<Result>(run: () => Result): Result | 'unavailable' {
    try {
      return run()
    } catch (error) {
      if (this.#isUnavailable(error)) return 'unavailable'
      throw error
    }
  }

  /** Whether a read failed because the database cannot be read now. Reports it then. */
  #isUnavailable(error: unknown): boolean {
    // A list may outlive the store if its client was cut off at the shutdown.
    if (!this.#database.open) return true
    if (!isUnavailable(error)) return false
    this.#onFault(error)
    return true
  }

  /** Looks up the tokens. `end` reads the lists of the accepted requests in the same snapshot. */
  readonly begin = (): void => {
    const lookups = this.#lookups
    if (lookups.length === 0) return
    this.#lookups = []
    if (this.#hasSnapshot) this.#endSnapshot()
    if (lookups.length > 1) this.#beginSnapshot()
    for (let index = 0; index < lookups.length; index++) this.#answer(lookups[index]!)
  }

  /** Reads rows and lists, and ends the snapshot. */
  end(): void {
    const count = this.#rows.length + this.#texts.length + this.#parts.length
    if (count > 0) {
      this.#bytes = 0
      if (count > 1) this.#beginSnapshot()
      if (this.#rows.length > 0) this.#answerSome(this.#rows)
      if (this.#texts.length > 0) this.#answerSome(this.#texts)
      if (this.#parts.length > 0) this.#answerSome(this.#parts)
    }
    if (this.#hasSnapshot) this.#endSnapshot()
    if (this.#lookups.length + this.#rows.length + this.#texts.length + this.#parts.length > 0) this.#schedule()
  }

  /** Begins a snapshot, unless one is open. A single read is a snapshot by itself. */
  #beginSnapshot(): void {
    if (this.#database.inTransaction) return
    this.#hasSnapshot = this.#read(() => this.#statements.begin.run()) !== 'unavailable'
  }

  /** Reads at least one, so that neither short nor long lists keep the others waiting. */
  #answerSome<Outcome>(waiting: Waiting<() => Outcome, Outcome>[]): void {
    let count = 0
    do this.#answer(waiting[count++]!)
    while (count < waiting.length && this.#bytes < turnBytes)
    waiting.splice(0, count)
  }

  #endSnapshot(): void {
    if (this.#database.inTransaction) this.#statements.end.run()
    this.#hasSnapshot = false
  }

  #add<Outcome>(waiting: Waiting<() => Outcome, Outcome>[], item: () => Outcome): Promise<Outcome | 'unavailable'> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome | 'unavailable'>()
    waiting.push({ item, resolve, reject })
    this.#schedule()
    return promise
  }

  #answer<Outcome>({ item, resolve, reject }: Waiting<() => Outcome, Outcome>): void {
    try {
      resolve(item())
    } catch (error) {
      if (this.#isUnavailable(error)) resolve('unavailable')
      else reject(error)
    }
  }

  async #listInParts(caller: Caller, limit: number): Promise<Encoded<Plant[]> | 'unavailable'> {
    const read = (position: Position) => this.#add(this.#parts, () => this.#readPages(caller, position))
    const first = await read(beginningOf(limit))
    return first === 'unavailable' ? first : encodeList(first, read)
  }

  #readPages(caller: Caller, position: Position): Part {
    const plants: Buffer[] = []
    let bytes = 0
    let rows = this.#firstRows
    let next: Position | undefined = position
    while (next !== undefined && bytes < chunkBytes) {
      const { from, left }: Position = next
      const wanted = Math.min(left, rows)
      const page = this.#statements.page.get(caller, from, wanted)
      // group_concat of no rows is NULL.
      if (!page) return { plants, next: undefined }
      plants.push(page)
      bytes += page.length
      rows = rowsThatFill(chunkBytes - bytes, wanted, page.length)
      this.#firstRows = rowsThatFill(chunkBytes, wanted, page.length)
      const id: bigint | undefined = left === wanted ? undefined : this.#statements.idBehind.get(caller, from, wanted)
      next = id === undefined ? undefined : { from: id, left: left - wanted }
    }
    this.#bytes += bytes
    return { plants, next }
  }
}

/** How many plants fill `bytes` if they are as long as the plants of a page. */
function rowsThatFill(bytes: number, pageCount: number, pageBytes: number): number {
  return Math.min(maxPageRows, Math.max(pageRows, Math.floor((bytes * pageCount) / pageBytes)))
}
