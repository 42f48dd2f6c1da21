import type { Pool } from 'pg'
import type { Caller } from 'fastify-contract'
import { Encoded } from 'fastify-contract/encoded'
import { Batcher, type Waiting } from '../batch.ts'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import type { Plant } from '../store.ts'
import type { Placement } from './citus/watch-workers.ts'
import { limitConcurrency } from './connections/limit-concurrency.ts'
import { isUnavailable, retryConflicts } from './errors.ts'
import { type ListedRow, type Statement, statements } from './statements.ts'

/** The most short lists that share a query; each has at most `pageRows` plants, so the answer has at most 6 MiB. */
const maxShortLists = 16

/** The most connections that read long lists; the others remain free for everything else. */
const maxLongReads = 4

const maxId = 2n ** 63n - 1n

/** The most plants that the database reads for a page while it is unknown how many fill a chunk. */
const maxPageRows = 1_000

export interface ReadsOptions {
  /** The most reads that wait for a connection; a further one is `unavailable` at once. */
  maxQueued: number
  /** Where callers' plants are, if they are spread over machines. */
  placement: Placement | undefined
  /** Receives each fault of the database that made a read unavailable. */
  onFault: (error: Error) => void
}

/** A list of at most `pageRows` plants. */
interface ShortList {
  caller: Caller
  limit: number
}

/** Reads for the server. The short lists of one iteration of the event loop share a query. */
export class Reads {
  readonly #pool: Pool
  readonly #options: ReadsOptions
  readonly #limitLongReads = limitConcurrency(maxLongReads)
  readonly #shortLists = new Batcher<ShortList, Encoded<Plant[]> | 'unavailable'>(maxShortLists, () => {
    // The next query does not wait for this one.
    void this.#readShortLists(this.#shortLists.take())
    return undefined
  })

  constructor(pool: Pool, options: ReadsOptions) {
    this.#pool = pool
    this.#options = options
  }

  /** Reads rows. `unavailable` when the database cannot be read now. */
  async read<Row extends object>(statement: Statement<Row>): Promise<Row[] | 'unavailable'> {
    // At the stop a list may still be read for a client that was cut off.
    if (this.#pool.ending || this.#pool.waitingCount >= this.#options.maxQueued) return 'unavailable'
    try {
      const { rows } = await retryConflicts(() => this.#pool.query<Row>(statement))
      return rows
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#options.onFault(error)
      return 'unavailable'
    }
  }

  /** As `PlantStore.list`. */
  async list(caller: Caller, limit = Infinity): Promise<Encoded<Plant[]> | 'unavailable'> {
    const { placement } = this.#options
    if (placement === undefined && limit <= pageRows) return this.#shortLists.add({ caller, limit })
    const readPart =
      placement === undefined
        ? (position: Position) => this.#readPart(caller, position)
        : (position: Position) => this.#readRows(caller, position, placement)
    const first = await readPart(beginningOf(limit))
    return first === 'unavailable' ? first : encodeList(first, readPart)
  }

  async #readShortLists(batch: Waiting<ShortList, Encoded<Plant[]> | 'unavailable'>[]): Promise<void> {
    try {
      const rows = await this.read(statements.shortLists(batch.map(({ item }) => item)))
      // There are as many rows as lists. The plants of an empty list are null.
      for (const [index, { resolve }] of batch.entries()) {
        resolve(rows === 'unavailable' ? rows : new Encoded<Plant[]>(`[${rows[index]!.plants ?? ''}]`))
      }
    } catch (error) {
      // One list is at fault; each is read alone to find it.
      if (batch.length > 1) for (const waiting of batch) await this.#readShortLists([waiting])
      else batch[0]?.reject(error)
    }
  }

  /** Reads a part whose JSON the database makes. */
  async #readPart(caller: Caller, position: Position): Promise<Part | 'unavailable'> {
    const wanted = Math.min(position.left, position.rows ?? maxPageRows)
    const page = statements.page(caller, position.from, wanted, chunkBytes)
    const rows = await this.#limitLongReads(() => this.read(page))
    if (rows === 'unavailable') return rows
    // An aggregate without GROUP BY always returns one row.
    const { found, fitting, last, plants } = rows[0]!
    if (last === null || plants === null) return { plants: [], next: undefined }
    const read = { count: Number(fitting), last: BigInt(last), isLast: fitting === found && Number(found) < wanted }
    return partOf(Buffer.from(plants), read, position)
  }

  /** Reads a part whose JSON is made here: the rows are asked for as columns, in a statement that names one caller. */
  async #readRows(caller: Caller, position: Position, placement: Placement): Promise<Part | 'unavailable'> {
    if (position.left === 0) return { plants: [], next: undefined }
    const wanted = Math.min(position.left, position.rows ?? pageRows)
    const statement = statements.listedRows(caller, position.from, wanted)
    const ask = () => placement.run(caller, () => this.read(statement))
    const rows = await (wanted > pageRows ? this.#limitLongReads(ask) : ask())
    if (rows === 'unavailable') return rows
    const fitting = firstBytes(rows.map(jsonOf), chunkBytes)
    const last = rows[fitting.length - 1]
    if (last === undefined) return { plants: [], next: undefined }
    const isLast = fitting.length === rows.length && rows.length < wanted
    return partOf(Buffer.from(fitting.join(',')), { count: fitting.length, last: BigInt(last.id), isLast }, position)
  }
}

/** What a part holds: how many plants, the highest id, and whether the list ends with it. */
interface PartRead {
  count: number
  last: bigint
  isLast: boolean
}

function partOf(json: Buffer, { count, last, isLast }: PartRead, position: Position): Part {
  const left = position.left - count
  const isEnd = left === 0 || last === maxId || isLast
  // As many as fill the chunk, if they are as long as these, so that the database makes no JSON that is not sent.
  const nextRows = Math.min(maxPageRows, Math.ceil((count * chunkBytes) / json.length))
  return { plants: [json], next: isEnd ? undefined : { from: last + 1n, left, rows: nextRows } }
}

/** The same bytes as PostgreSQL and SQLite make. */
function jsonOf({ name, tag }: ListedRow): string {
  return JSON.stringify(tag === null ? { name } : { name, tag })
}

/** Those that begin within the first bytes, each followed by a comma or not. */
function firstBytes(texts: string[], bytes: number): string[] {
  let length = 0
  const end = texts.findIndex((text) => {
    const isBeyond = length >= bytes
    length += Buffer.byteLength(text)
    return isBeyond
  })
  return end === -1 ? texts : texts.slice(0, end)
}
