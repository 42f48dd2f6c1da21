import type { Pool } from 'pg'
import { type Caller, Encoded } from '../../contract/types.ts'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import type { Plant } from '../store.ts'
import { isUnavailable, retryConflicts } from './errors.ts'
import { limitConcurrency } from './limit-concurrency.ts'
import { type Statement, statements } from './statements.ts'

/** The most connections that read long lists; the others remain free for everything else. */
const maxLongReads = 4

const maxId = 2n ** 63n - 1n

/** The most plants that the database reads for a page while it is unknown how many fill a chunk. */
const maxPageRows = 1_000

export interface ReadsOptions {
  /** The most reads that wait for a connection; a further one is `unavailable` at once. */
  maxQueued: number
  /** Receives each fault of the database that made a read unavailable. */
  onFault: (error: Error) => void
}

/** Reads for the server. */
export class Reads {
  readonly #pool: Pool
  readonly #options: ReadsOptions
  readonly #limitLongReads = limitConcurrency(maxLongReads)

  constructor(pool: Pool, options: ReadsOptions) {
    this.#pool = pool
    this.#options = options
  }

  /** Reads rows. `unavailable` when the database cannot be read now. */
  async read<Row extends object>(statement: Statement<Row>): Promise<Row[] | 'unavailable'> {
    if (this.#pool.waitingCount >= this.#options.maxQueued) return 'unavailable'
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
    if (limit <= pageRows) {
      const rows = await this.read(statements.shortList(caller, limit))
      return rows === 'unavailable' ? rows : new Encoded<Plant[]>(`[${rows[0]?.plants ?? ''}]`)
    }
    const first = await this.#readPart(caller, beginningOf(limit))
    return first === 'unavailable' ? first : encodeList(first, (position) => this.#readPart(caller, position))
  }

  async #readPart(caller: Caller, position: Position): Promise<Part | 'unavailable'> {
    const wanted = Math.min(position.left, position.rows ?? maxPageRows)
    const page = statements.page(caller, position.from, wanted, chunkBytes)
    const rows = await this.#limitLongReads(() => this.read(page))
    if (rows === 'unavailable') return rows
    // An aggregate without GROUP BY always returns one row.
    const { found, fitting, last, plants } = rows[0]!
    if (last === null || plants === null) return { plants: [], next: undefined }
    const left = position.left - Number(fitting)
    const isEnd = left === 0 || BigInt(last) === maxId || (fitting === found && Number(found) < wanted)
    const json = Buffer.from(plants)
    // As many as fill the chunk, if they are as long as these, so that the database makes no JSON in vain.
    const nextRows = Math.min(maxPageRows, Math.ceil((Number(fitting) * chunkBytes) / json.length))
    return { plants: [json], next: isEnd ? undefined : { from: BigInt(last) + 1n, left, rows: nextRows } }
  }
}
