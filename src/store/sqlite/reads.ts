import type Database from 'better-sqlite3'
import type { Caller } from 'fastify-contract'
import { Encoded } from 'fastify-contract/encoded'
import { Batcher } from '../batch.ts'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import { tokenTable } from '../rows.ts'
import type { FoundCaller, Plant, StoredToken } from '../store.ts'
import { isUnavailable } from './errors.ts'
import { prepareReads } from './statements.ts'

/** In bytes: how much long lists read in one iteration of the event loop. Other requests are served in between. */
const maxIterationBytes = 256 * 1_024

/** How many plants are read at once after short ones. If they are the longest, it takes 1.5 MiB. */
const maxPageRows = 512

/** The most lists in a batch. Thousands would cost more in garbage collection than they save. */
const maxBatch = 64

/**
 * Reads for the server. Short lists that are requested in one iteration of the event loop are a read batch: they
 * share one snapshot, and so one lock of the database, which saves a busy server much of the CPU of a short list. A
 * snapshot begins and ends inside one function, so a request sees everything that was acknowledged before it was sent.
 */
export class Reads {
  readonly #database: Database.Database
  readonly #statements: ReturnType<typeof prepareReads>
  readonly #onFault: (error: Error) => void
  readonly #batch = new Batcher<() => Encoded<Plant[]>, Encoded<Plant[]>>(maxBatch, () => {
    this.#readBatch()
    return undefined
  })
  /** How much long lists have read in this iteration. */
  #iterationBytes = 0
  #nextIteration: Promise<void> | undefined
  /** How many plants a list reads first: as many as fill a chunk, if they are as long as those that were read last. */
  #firstRows = pageRows

  constructor(database: Database.Database, onFault: (error: Error) => void) {
    this.#database = database
    this.#statements = prepareReads(database)
    this.#onFault = onFault
  }

  /** As `PlantStore.list`. */
  list(caller: Caller, limit = Infinity): Promise<Encoded<Plant[]> | 'unavailable'> {
    if (limit > pageRows) return this.#listInParts(caller, limit)
    // An aggregate without GROUP BY always returns one row.
    return this.#batch.add(() => new Encoded<Plant[]>(this.#statements.shortList.get(caller, limit)!))
  }

  /** As `TokenStore.findCaller`. */
  findCaller(hash: Uint8Array, now: number): FoundCaller {
    return this.#read(() => {
      const row = this.#statements.callerOfToken.get(hash, now)
      return row === undefined ? 'unknown' : { caller: row[0], scope: row[1] ?? undefined }
    })
  }

  /** As `TokenStore.listTokens`. */
  listTokens(): StoredToken[] | 'unavailable' {
    return this.#read(() => this.#statements.tokens.all().map(tokenTable.rowOf))
  }

  /** As `Store.isEmpty`. @throws the database's error */
  isEmpty(): boolean {
    return this.#statements.isEmpty.get() === 1
  }

  /** Whether the database can be read now. */
  isReadable(): boolean {
    return this.#read(() => this.isEmpty()) !== 'unavailable'
  }

  /** Reads at once. */
  #read<Result>(run: () => Result): Result | 'unavailable' {
    try {
      return run()
    } catch (error) {
      // At the stop a list may still be read for a client that was cut off.
      if (!this.#database.open) return 'unavailable'
      if (!isUnavailable(error)) throw error
      this.#onFault(error)
      return 'unavailable'
    }
  }

  #readBatch(): void {
    const batch = this.#batch.take()
    // A single read needs no transaction around it.
    if (batch.length > 1) this.#read(() => this.#statements.begin.run())
    for (const { item, resolve, reject } of batch) {
      try {
        resolve(this.#read(item))
      } catch (error) {
        reject(error)
      }
    }
    // Some faults end the transaction.
    if (this.#database.inTransaction) this.#statements.end.run()
  }

  async #listInParts(caller: Caller, limit: number): Promise<Encoded<Plant[]> | 'unavailable'> {
    while (this.#iterationBytes >= maxIterationBytes) await this.#iterationEnd()
    return this.#batch.add(() =>
      encodeList(this.#readPages(caller, beginningOf(limit)), (position) => this.#readNext(caller, position)),
    )
  }

  /** Waits until this iteration of the event loop has bytes left for long lists, and reads at once then. */
  async #readNext(caller: Caller, position: Position): Promise<Part | 'unavailable'> {
    while (this.#iterationBytes >= maxIterationBytes) await this.#iterationEnd()
    return this.#read(() => this.#readPages(caller, position))
  }

  #iterationEnd(): Promise<void> {
    return (this.#nextIteration ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#iterationBytes = 0
        this.#nextIteration = undefined
        resolve()
      })
    }))
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
    this.#iterationBytes += bytes
    void this.#iterationEnd()
    return { plants, next }
  }
}

/** How many plants fill so many bytes, if they are as long as those of a page. */
function rowsThatFill(bytes: number, pageCount: number, pageBytes: number): number {
  return Math.min(maxPageRows, Math.max(pageRows, Math.floor((bytes * pageCount) / pageBytes)))
}
