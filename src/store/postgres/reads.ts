import type { Pool } from 'pg'
import type { Caller } from 'fastify-contract'
import { Encoded } from 'fastify-contract/encoded'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import type { FoundCaller, Plant, StoreOptions } from '../store.ts'
import { type Waiting, refuse } from '../waiting.ts'
import type { WorkerWatch } from './citus.ts'
import { limitConcurrency } from './connections.ts'
import { isUnavailable, retryConflicts } from './errors.ts'
import { type CallerRow, type ListedRow, type Statement, statements } from './statements.ts'

/** The most tokens that share a query. */
const maxTokens = 500

/** The most short lists that share a query; each has at most `pageRows` plants, so the answer has at most 6 MiB. */
const maxShortLists = 16

/** The most connections that read long lists; the others remain free for everything else. */
const maxLongReads = 4

const maxId = 2n ** 63n - 1n

/** The most plants that the database reads for a page while it is unknown how many fill a chunk. */
const maxPageRows = 1_000

/** The most plants that are read as columns at once. If they are the longest after short ones, it takes 1.5 MiB. */
const maxListedRows = 512

interface ReadsOptions extends Pick<StoreOptions, 'onFault'> {
  maxQueued: number
  /** The workers of Citus, if callers' plants are spread over them. */
  workers: WorkerWatch | undefined
}

/** A list of at most `pageRows` plants. */
interface ShortList {
  caller: Caller
  limit: number
}

interface TokenLookup {
  key: string
  hash: Uint8Array
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now: number
}

/**
 * Reads for the server. The short lists of one iteration of the event loop share a query, and so do the tokens.
 */
export class Reads {
  readonly #pool: Pool
  readonly #options: ReadsOptions
  readonly #limitLongReads = limitConcurrency(maxLongReads)
  readonly #shortLists = loader<ShortList, Encoded<Plant[]>>(maxShortLists, async (lists) => {
    const rows = await this.read(statements.shortLists(lists))
    // There are as many rows as lists. The plants of an empty list are null.
    return rows === 'unavailable' ? rows : rows.map(({ plants }) => new Encoded<Plant[]>(`[${plants ?? ''}]`))
  })
  readonly #callers = loader<TokenLookup, FoundCaller>(maxTokens, async (lookups) => {
    const hashes = new Map(lookups.map(({ key, hash }) => [key, hash]))
    const rows = await this.read(statements.callersOfTokens([...hashes.values()]))
    if (rows === 'unavailable') return rows
    const found = new Map(rows.map((row) => [keyOfToken(row.hash), row]))
    return lookups.map(({ key, now }) => callerIn(found.get(key), now))
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
      this.#report(error)
      return 'unavailable'
    }
  }

  #report(error: Error): void {
    if (!this.#pool.ending) this.#options.onFault(error)
  }

  /** As `TokenStore.findCaller`. */
  findCaller(hash: Uint8Array, now: number): Promise<FoundCaller> {
    return this.#callers({ key: keyOfToken(hash), hash, now })
  }

  /** As `PlantStore.list`. */
  async list(caller: Caller, limit = Infinity): Promise<Encoded<Plant[]> | 'unavailable'> {
    const { workers } = this.#options
    if (workers === undefined && limit <= pageRows) return this.#shortLists({ caller, limit })
    const readPart =
      workers === undefined
        ? (position: Position) => this.#readPart(caller, position)
        : (position: Position) => this.#readRows(caller, position, workers)
    const first = await readPart(beginningOf(limit))
    return first === 'unavailable' ? first : encodeList(first, readPart)
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
    const isLast = fitting === found && Number(found) < wanted
    return partOf(Buffer.from(plants), { count: Number(fitting), last: BigInt(last), isLast }, position)
  }

  /** Reads a part whose JSON is made here: the rows are asked for as columns, in a statement that names one caller. */
  async #readRows(caller: Caller, position: Position, workers: WorkerWatch): Promise<Part | 'unavailable'> {
    if (position.left === 0) return { plants: [], next: undefined }
    const wanted = Math.min(position.left, position.rows ?? pageRows, maxListedRows)
    const statement = statements.listedRows(caller, position.from, wanted)
    const ask = () => workers.run(caller, () => this.read(statement))
    const rows = await (wanted > pageRows ? this.#limitLongReads(ask) : ask())
    if (rows === 'unavailable') return rows
    const last = rows.at(-1)
    if (last === undefined) return { plants: [], next: undefined }
    const json = Buffer.from(rows.map(jsonOf).join())
    return partOf(json, { count: rows.length, last: BigInt(last.id), isLast: rows.length < wanted }, position)
  }
}

/**
 * Makes a function that loads one item. All items of one iteration of the event loop are loaded together.
 *
 * @param load resolves to the outcome of each item. If it rejects, each item is loaded alone: one may be at fault
 */
function loader<Item, Outcome>(
  maxSize: number,
  load: (items: Item[]) => Promise<Outcome[] | 'unavailable'>,
): (item: Item) => Promise<Outcome | 'unavailable'> {
  const waiting: Waiting<Item, Outcome>[] = []

  async function run(batch: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await load(batch.map(({ item }) => item))
      if (outcomes === 'unavailable') refuse(batch)
      // There are as many outcomes as items.
      else for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]!)
    } catch (error) {
      if (batch.length > 1) for (const single of batch) await run([single])
      else batch[0]?.reject(error)
    }
  }

  return (item) => {
    // Runs after the requests of this iteration have been read.
    if (waiting.length === 0) {
      setImmediate(() => {
        while (waiting.length > 0) void run(waiting.splice(0, maxSize))
      })
    }
    return new Promise((resolve, reject) => waiting.push({ item, resolve, reject }))
  }
}

/** A token's hash as text, which is equal for equal hashes. */
export function keyOfToken(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex')
}

function callerIn(row: CallerRow | undefined, now: number): FoundCaller {
  if (row === undefined || (row.expires_at !== null && Number(row.expires_at) <= now)) return 'unknown'
  return { caller: row.caller, scope: row.scope ?? undefined }
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
