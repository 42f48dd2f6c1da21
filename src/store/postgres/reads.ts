import type { Pool } from 'pg'
import { Encoded } from 'fastify-contract/encoded'
import type { Plant } from '../../plants/plant.ts'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import type { Caller, CallerOfToken, Store, StoreOptions } from '../store.ts'
import { type Waiting, refuse } from '../waiting.ts'
import { limitConcurrency } from './connections.ts'
import { isDamage, isUnavailable, retryConflicts } from './errors.ts'
import { query } from './send.ts'
import { type CallerRow, type Statement, statements } from './statements.ts'

/** The most token lookups in a query. */
const maxTokens = 500

/** The most short lists in a query: at most 6 MiB, because each has at most `pageRows` plants. */
const maxShortLists = 16

/** The most connections that read long lists. The others stay free for everything else. */
const maxLongReads = 4

const maxId = 2n ** 63n - 1n

/** The most plants that the database reads for a page. */
const maxPageRows = 1_000

interface ReadsOptions extends Pick<StoreOptions, 'onFault'> {
  maxQueued: number
  isCitus: boolean
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

/** Reads for the server. The short lists of one iteration of the event loop share a query, and so do token lookups. */
export class Reads {
  readonly #pool: Pool
  readonly #options: ReadsOptions
  readonly #limitLongReads = limitConcurrency(maxLongReads)
  readonly #shortLists = loader<ShortList, Encoded<Plant[]>>(maxShortLists, async (lists) => {
    const rows = await this.read(statements.shortLists(lists), lists.length)
    // One row for each list. The plants of an empty list are null.
    return rows === 'unavailable' ? rows : rows.map(({ plants }) => new Encoded<Plant[]>(`[${plants ?? ''}]`))
  })
  readonly #callers = loader<TokenLookup, CallerOfToken>(maxTokens, async (lookups) => {
    const hashes = new Map(lookups.map(({ key, hash }) => [key, hash]))
    const rows = await this.read(statements.callersOfTokens([...hashes.values()]), lookups.length)
    if (rows === 'unavailable') return rows
    const found = new Map(rows.map((row) => [keyOfToken(row.hash), row]))
    return lookups.map(({ key, now }) => callerIn(found.get(key), now))
  })

  constructor(pool: Pool, options: ReadsOptions) {
    this.#pool = pool
    this.#options = options
  }

  /**
   * Reads rows. `unavailable` when the database cannot be read now.
   *
   * @param items the number of items that share the statement
   * @throws an error that may be about one of several items
   */
  async read<Row extends object>(statement: Statement<Row>, items = 1): Promise<Row[] | 'unavailable'> {
    // A list may outlive the store if its client was cut off at the shutdown.
    if (this.#pool.ending || this.#pool.waitingCount >= this.#options.maxQueued) return 'unavailable'
    try {
      const { rows } = await retryConflicts(() => query(this.#pool, statement))
      return rows
    } catch (error) {
      if (!isUnavailable(error) || (items > 1 && isDamage(error))) throw error
      this.#report(error)
      return 'unavailable'
    }
  }

  /** Reports a fault, unless the shutdown caused it. */
  #report(error: Error): void {
    if (!this.#pool.ending) this.#options.onFault(error)
  }

  readonly findCaller: Store['findCaller'] = (hash, now) => this.#callers({ key: keyOfToken(hash), hash, now })

  readonly list: Store['list'] = async (caller, limit = Infinity) => {
    // Citus refuses the query of several lists. PostgreSQL alone would need 2.6 times its CPU for single ones.
    if (limit <= pageRows && !this.#options.isCitus) return this.#shortLists({ caller, limit })
    const readPart = (position: Position) => this.#readPart(caller, position)
    const first = await readPart(beginningOf(limit))
    return first === 'unavailable' ? first : encodeList(first, readPart)
  }

  /** Reads a part as JSON from the database. Making it here from columns takes six times the server's CPU. */
  async #readPart(caller: Caller, position: Position): Promise<Part | 'unavailable'> {
    const wanted = Math.min(position.left, position.rows ?? maxPageRows)
    const page = statements.page(caller, position.from, wanted, chunkBytes)
    const ask = () => this.read(page)
    const rows = await (wanted > pageRows ? this.#limitLongReads(ask) : ask())
    if (rows === 'unavailable') return rows
    // An aggregate without GROUP BY always returns one row.
    const { found, fitting, last, plants } = rows[0]!
    if (last === null || plants === null) return { plants: [], next: undefined }
    const isLast = fitting === found && Number(found) < wanted
    return partOf(Buffer.from(plants), { count: Number(fitting), last: BigInt(last), isLast }, position)
  }
}

/**
 * Makes a function that loads one item. All items of one iteration of the event loop are loaded together.
 *
 * @param load resolves to the outcome of each item. If it rejects, one item may be at fault, and each half is loaded
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
      const middle = batch.length >> 1
      if (middle > 0) for (const half of [batch.slice(0, middle), batch.slice(middle)]) await run(half)
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

/** A token's hash as text, for use as a key. */
export function keyOfToken(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex')
}

function callerIn(row: CallerRow | undefined, now: number): CallerOfToken {
  if (row === undefined || (row.expires_at !== null && Number(row.expires_at) <= now)) return 'unknown'
  return { caller: row.caller, scope: row.scope ?? undefined }
}

/** @param read the number of plants in the JSON, the highest id, and whether the list ends with it */
function partOf(json: Buffer, read: { count: number; last: bigint; isLast: boolean }, position: Position): Part {
  const { count, last, isLast } = read
  const left = position.left - count
  const isEnd = left === 0 || last === maxId || isLast
  // As many as fill a chunk if they are as long as these: the database should make no JSON that is not sent.
  const nextRows = Math.min(maxPageRows, Math.ceil((count * chunkBytes) / json.length))
  return { plants: [json], next: isEnd ? undefined : { from: last + 1n, left, rows: nextRows } }
}
