import { defaultMaxQueued } from '../limits.ts'
import { storedToken } from '../rows.ts'
import type { Store, StoreOptions } from '../store.ts'
import { WorkerWatch } from './citus/watch-workers.ts'
import { type DatabaseOptions, openDatabase } from './open-database.ts'
import { Reads } from './reads.ts'
import { statements } from './statements.ts'
import { createTokenLoader, keyOf } from './token-loader.ts'
import { WriteQueue, keyOfPlant } from './writes.ts'

/** The most writes in a transaction. */
const maxBatch = 500

/** Whatever is left out has its default. */
export interface PostgresStoreOptions
  extends StoreOptions, Pick<DatabaseOptions, 'url'>, Partial<Omit<DatabaseOptions, 'url' | keyof StoreOptions>> {
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
  onWarning,
  maxConnections = 10,
  connectionSeconds = 60,
  connectTimeoutMilliseconds = 2_000,
  statementTimeoutMilliseconds = 2_000,
  answerTimeoutMilliseconds = 2_250,
  migrationTimeoutMilliseconds,
  maxQueued = defaultMaxQueued,
}: PostgresStoreOptions): Promise<Store> {
  const { pool, engine } = await openDatabase({
    url,
    maxConnections,
    connectionSeconds,
    connectTimeoutMilliseconds,
    statementTimeoutMilliseconds,
    answerTimeoutMilliseconds,
    migrationTimeoutMilliseconds,
    onFault,
    onWarning,
  })
  const workers = engine.isSharded ? new WorkerWatch(pool, engine, maxQueued) : undefined
  const reads = new Reads(pool, { maxQueued, onFault, placement: workers })
  const findCaller = createTokenLoader((statement) => reads.read(statement), engine.isSharded)
  const queue = new WriteQueue(pool, { maxQueued, maxBatch, onFault, onCommit, placement: workers })

  return {
    list: (caller, limit) => reads.list(caller, limit),

    create: async (caller, plant) => {
      const result = await queue.write({ key: keyOfPlant(caller, plant.id), caller, plant: { caller, ...plant } })
      return result === 'unavailable' ? result : result.rowCount === 1 ? 'created' : 'exists'
    },

    delete: async (caller, id) => {
      const statement = statements.deletePlant(caller, id)
      const result = await queue.write({ key: keyOfPlant(caller, id), caller, statement })
      return result === 'unavailable' ? result : result.rowCount === 1 ? 'deleted' : 'absent'
    },

    addToken: async (token) => {
      const result = await queue.write({ key: tokenKey, statement: statements.addToken(token) })
      return result === 'unavailable' ? result : 'added'
    },

    findCaller,

    listTokens: async () => {
      const rows = await reads.read(statements.tokens())
      return rows === 'unavailable' ? rows : rows.map(storedToken)
    },

    revokeTokens: async (prefix) => {
      const result = await queue.write({ key: tokenKey, statement: statements.revokeTokens(prefix) })
      return result === 'unavailable' ? result : result.rows.map(storedToken)
    },

    recordUses: async (uses) => {
      const results = await Promise.all(
        uses.map((use) => queue.write({ key: keyOf(use.hash), statement: statements.recordUse(use) })),
      )
      return results.includes('unavailable') ? 'unavailable' : 'recorded'
    },

    waitingWrites: () => queue.length,

    isEmpty: async () => {
      const { rows } = await pool.query<{ empty: boolean }>(statements.isEmpty())
      return rows[0]?.empty === true
    },

    isReady: async () => {
      const rows = await reads.read(statements.isReady())
      return rows !== 'unavailable' && rows[0]?.writable === true
    },

    close: async () => {
      workers?.stop()
      await queue.drain()
      await pool.end()
    },
  }
}

/** Equal for all tokens, so that they are added and revoked in order. */
const tokenKey = ''
