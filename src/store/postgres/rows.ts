import type { Pool } from 'pg'
import { type Rows, type StoreRows, type StoredPlant, storedPlant, storedToken } from '../rows.ts'
import type { StoredToken } from '../store.ts'
import { openDatabase } from './open-database.ts'
import { plantStatements, tokenStatements } from './statements.ts'

/** Counting all rows of a large table takes minutes. */
const statementTimeoutMilliseconds = 3_600_000

/**
 * Opens the rows of a database.
 *
 * @throws UnusableStore as `openDatabase`
 */
export async function openPostgresRows(url: string): Promise<StoreRows> {
  const { pool } = await openDatabase({
    url,
    maxConnections: 1,
    connectTimeoutMilliseconds: 10_000,
    statementTimeoutMilliseconds,
    answerTimeoutMilliseconds: statementTimeoutMilliseconds,
    // The next statement reports the fault.
    onFault: () => undefined,
  })
  return { plants: plantRows(pool), tokens: tokenRows(pool), close: () => pool.end() }
}

function plantRows(pool: Pool): Rows<StoredPlant> {
  return {
    count: async () => Number((await pool.query<{ count: string }>(plantStatements.count())).rows[0]?.count),
    after: async (row, limit) => (await pool.query(plantStatements.after(row, limit))).rows.map(storedPlant),
    add: async (rows) => {
      await pool.query(plantStatements.add(rows))
    },
  }
}

function tokenRows(pool: Pool): Rows<StoredToken> {
  return {
    count: async () => Number((await pool.query<{ count: string }>(tokenStatements.count())).rows[0]?.count),
    after: async (row, limit) => (await pool.query(tokenStatements.after(row, limit))).rows.map(storedToken),
    add: async (rows) => {
      await pool.query(tokenStatements.add(rows))
    },
  }
}
