import type { Store, StoreOptions } from '../store.ts'
import { tokenRows } from '../token-table.ts'
import { defaultMaxQueued } from '../waiting.ts'
import { type DatabaseOptions, openDatabase } from './open-database.ts'
import { Reads, keyOfToken } from './reads.ts'
import { sqlStatement, statements } from './statements.ts'
import { keyOfPlant } from './steps.ts'
import { WriteQueue } from './writes.ts'

/** One key for all tokens, so that they are added and revoked in order. */
const tokenKey = ''

/**
 * Opens a store in a PostgreSQL database, which other processes may use too.
 *
 * @throws UnusableStore as `openDatabase`
 */
export async function openPostgresStore(options: DatabaseOptions & StoreOptions): Promise<Store> {
  const { onFault, onCommit, maxQueued = defaultMaxQueued } = options
  const { pool, isCitus } = await openDatabase(options)
  const reads = new Reads(pool, { maxQueued, onFault, isCitus })
  const queue = new WriteQueue(pool, { maxQueued, onFault, onCommit, isCitus })

  return {
    read: (_caller, text, values) => reads.read(sqlStatement(text, values)),

    write: async (caller, text, values) => {
      const result = await queue.write({
        key: caller,
        caller,
        statement: sqlStatement(text, values),
        isSerializable: true,
      })
      return result === 'unavailable' ? result : result.rows
    },

    list: reads.list,

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

    findCaller: reads.findCaller,

    listTokens: async () => {
      const rows = await reads.read(statements.tokens())
      return rows === 'unavailable' ? rows : rows.map(tokenRows.tokenOf)
    },

    revokeTokens: async (selection) => {
      const result = await queue.write({ key: tokenKey, statement: statements.revokeTokens(selection) })
      return result === 'unavailable' ? result : result.rows.map(tokenRows.tokenOf)
    },

    recordUses: async (uses) => {
      const results = await Promise.all(
        uses.map((use) => queue.write({ key: keyOfToken(use.hash), statement: statements.recordUse(use) })),
      )
      return results.includes('unavailable') ? 'unavailable' : 'recorded'
    },

    waitingWrites: () => queue.length,

    isEmpty: async () => {
      const rows = await reads.read(statements.isEmpty())
      return rows === 'unavailable' ? rows : rows[0]?.empty === true
    },

    isReady: async () => {
      const rows = await reads.read(statements.isReady())
      return rows !== 'unavailable' && rows[0]?.writable === true
    },

    close: async () => {
      await queue.drain()
      await pool.end()
    },
  }
}
