import { type Caller, Encoded } from '../../contract/types.ts'
import type { Plant, Store, StoreObserver } from '../store.ts'
import { type Part, type Position, beginningOf, chunkBytes, encodeList, pageRows } from '../pages.ts'
import { limitConcurrency } from './limit-concurrency.ts'
import { openDatabase } from './open-database.ts'
import { isUnavailable } from './postgres-errors.ts'
import { retryConflicts } from './retry.ts'
import { type Statement, statements } from './statements.ts'
import { storedToken } from './stored-token.ts'
import { TokenLookups, keyOf } from './token-lookups.ts'
import { WriteQueue } from './write-queue.ts'

/** How many connections read long lists at the most; the others are for all else. */
const maxLongReads = 4

const largestId = 2n ** 63n - 1n

/** How many plants the database reads for a page at most, before it knows how many of them fit. */
const maxPageRows = 1_000

export interface PostgresStoreOptions extends StoreObserver {
  /** The database: `postgres://…` or `postgresql://…`. */
  url: string
  maxConnections?: number
  connectTimeoutMilliseconds?: number
  statementTimeoutMilliseconds?: number
  answerTimeoutMilliseconds?: number
  /** The most reads that wait for a connection, and the most writes that wait for their turn. */
  maxQueued?: number
}

/**
 * Opens a store in a PostgreSQL database, which other processes may have open too.
 *
 * @throws UnusableStore as `openDatabase`
 */
export async function openPostgresStore({
  url,
  onFault,
  onCommit,
  maxConnections = 10,
  connectTimeoutMilliseconds = 2_000,
  statementTimeoutMilliseconds = 2_000,
  answerTimeoutMilliseconds = 3_000,
  maxQueued = 10_000,
}: PostgresStoreOptions): Promise<Store> {
  const pool = await openDatabase({ url, maxConnections, connectTimeoutMilliseconds, statementTimeoutMilliseconds, answerTimeoutMilliseconds, onFault })
  const queue = new WriteQueue(pool, { maxQueued, maxBatch: 500, onFault, onCommit })

  async function read<Row extends object>(statement: Statement<Row>): Promise<Row[] | 'unavailable'> {
    if (pool.waitingCount >= maxQueued) return 'unavailable'
    try {
      const { rows } = await retryConflicts(() => pool.query<Row>(statement))
      return rows
    } catch (error) {
      if (!isUnavailable(error)) throw error
      onFault(error)
      return 'unavailable'
    }
  }

  const lookups = new TokenLookups(read)
  const readLong = limitConcurrency(maxLongReads)

  async function readPart(caller: Caller, position: Position): Promise<Part | 'unavailable'> {
    const wanted = Math.min(position.left, position.rows ?? maxPageRows)
    const rows = await readLong(() => read(statements.page(caller, position.from, wanted, chunkBytes)))
    if (rows === 'unavailable') return rows
    // An aggregate without GROUP BY always has one row.
    const { found, fitting, last, plants } = rows[0]!
    if (last === null || plants === null) return { plants: [], next: undefined }
    const left = position.left - Number(fitting)
    const isEnd = left === 0 || BigInt(last) === largestId || (fitting === found && Number(found) < wanted)
    const json = Buffer.from(plants)
    // As many as fill the chunk, if they are as long as these: the database makes the JSON of no more.
    const next = { from: BigInt(last) + 1n, left, rows: Math.min(maxPageRows, Math.ceil((Number(fitting) * chunkBytes) / json.length)) }
    return { plants: [json], next: isEnd ? undefined : next }
  }

  async function readNext(caller: Caller, position: Position): Promise<Part> {
    const part = await readPart(caller, position)
    if (part === 'unavailable') throw new Error('a list was cut off, because the database is not available')
    return part
  }

  return {
    list: async (caller, limit = Infinity) => {
      if (limit <= pageRows) {
        const rows = await read(statements.shortList(caller, limit))
        return rows === 'unavailable' ? rows : new Encoded<Plant[]>(`[${rows[0]?.plants ?? ''}]`)
      }
      const first = await readPart(caller, beginningOf(limit))
      return first === 'unavailable' ? first : encodeList(first, (position) => readNext(caller, position))
    },

    create: async (caller, plant) => {
      const result = await queue.write(plantKey(caller, plant.id), statements.createPlant(caller, plant))
      return result === 'unavailable' ? result : result.rowCount === 1 ? 'created' : 'exists'
    },

    delete: async (caller, id) => {
      const result = await queue.write(plantKey(caller, id), statements.deletePlant(caller, id))
      return result === 'unavailable' ? result : result.rowCount === 1 ? 'deleted' : 'absent'
    },

    addToken: async (token) => {
      const result = await queue.write(tokenKey, statements.addToken(token))
      return result === 'unavailable' ? result : 'added'
    },

    findCaller: (hash, now) => lookups.find(hash, now),

    listTokens: async () => {
      const rows = await read(statements.tokens())
      return rows === 'unavailable' ? rows : rows.map(storedToken)
    },

    revokeTokens: async (prefix) => {
      const result = await queue.write(tokenKey, statements.revokeTokens(prefix))
      return result === 'unavailable' ? result : result.rows.map(storedToken)
    },

    recordUses: async (uses) => {
      const results = await Promise.all(uses.map((use) => queue.write(keyOf(use.hash), statements.recordUse(use))))
      return results.includes('unavailable') ? 'unavailable' : 'recorded'
    },

    waitingWrites: () => queue.length,

    isEmpty: async () => {
      const { rows } = await pool.query<{ empty: boolean }>(statements.isEmpty())
      return rows[0]?.empty === true
    },

    isReady: async () => (await read(statements.schemaVersion())) !== 'unavailable',

    close: async () => {
      await queue.drain()
      await pool.end()
    },
  }
}

/** An id holds no space, so no two plants have the same. */
function plantKey(caller: Caller, id: bigint): string {
  return `${String(id)} ${caller}`
}

/** Whoever adds and revokes tokens finds what was done before. */
const tokenKey = ''
