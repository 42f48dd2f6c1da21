import type { Caller } from '../../contract/types.ts'
import { defaultMaxQueued } from '../limits.ts'
import { storedToken } from '../rows.ts'
import type { Store, StoreOptions } from '../store.ts'
import { openDatabase } from './open-database.ts'
import { Reads } from './reads.ts'
import { statements } from './statements.ts'
import { TokenLoader, keyOf } from './token-loader.ts'
import { WriteQueue } from './writes.ts'

/** The most writes in a transaction. */
const maxBatch = 500

export interface PostgresStoreOptions extends StoreOptions {
  /** The database: `postgres://…` or `postgresql://…`. */
  url: string
  /** The most connections of this process. */
  maxConnections?: number
  /** How long to wait for a connection, whether it is new or in use. */
  connectTimeoutMilliseconds?: number
  /** How long the server may work on a statement or wait for a lock. */
  statementTimeoutMilliseconds?: number
  /** How long to wait for an answer of the server. */
  answerTimeoutMilliseconds?: number
  /** The most reads that wait for a connection, and the most writes that wait to be committed. */
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
  maxQueued = defaultMaxQueued,
}: PostgresStoreOptions): Promise<Store> {
  const pool = await openDatabase({
    url,
    maxConnections,
    connectTimeoutMilliseconds,
    statementTimeoutMilliseconds,
    answerTimeoutMilliseconds,
    onFault,
  })
  const reads = new Reads(pool, { maxQueued, onFault })
  const tokens = new TokenLoader((statement) => reads.read(statement))
  const queue = new WriteQueue(pool, { maxQueued, maxBatch, onFault, onCommit })

  return {
    list: (caller, limit) => reads.list(caller, limit),

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

    findCaller: (hash, now) => tokens.find(hash, now),

    listTokens: async () => {
      const rows = await reads.read(statements.tokens())
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

    isReady: async () => (await reads.read(statements.schemaVersion())) !== 'unavailable',

    close: async () => {
      await queue.drain()
      await pool.end()
    },
  }
}

/** Unique for each plant, because an id contains no space. */
function plantKey(caller: Caller, id: bigint): string {
  return `${String(id)} ${caller}`
}

/** Equal for all tokens, so that they are added and revoked in order. */
const tokenKey = ''
