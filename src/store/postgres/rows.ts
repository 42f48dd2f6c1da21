import type { Pool } from 'pg'
import { type Rows, type StoreRows, storedPlant, storedToken } from '../rows.ts'
import type { StoreOptions } from '../store.ts'
import { openDatabase } from './open-database.ts'
import { type Statement, plantStatements, tokenStatements } from './statements.ts'

/** Counting all rows of a large table takes minutes. */
const statementTimeoutMilliseconds = 3_600_000

/**
 * Opens the rows of a database.
 *
 * @throws UnusableStore as `openDatabase`
 */
export async function openPostgresRows(url: string, onWarning: StoreOptions['onWarning']): Promise<StoreRows> {
  const { pool } = await openDatabase({
    url,
    maxConnections: 1,
    connectionSeconds: 60,
    connectTimeoutMilliseconds: 10_000,
    statementTimeoutMilliseconds,
    answerTimeoutMilliseconds: statementTimeoutMilliseconds,
    // The next statement reports the fault.
    onFault: () => undefined,
    onWarning,
  })
  return {
    plants: rowsOf(pool, plantStatements, storedPlant),
    tokens: rowsOf(pool, tokenStatements, storedToken),
    close: () => pool.end(),
  }
}

/** The statements of one kind of rows. */
interface RowStatements<Row extends object, Stored> {
  after: (row: Stored | undefined, limit: number) => Statement<Row>
  add: (rows: Stored[]) => Statement
}

function rowsOf<Row extends object, Stored>(
  pool: Pool,
  statements: RowStatements<Row, Stored>,
  storedOf: (row: Row) => Stored,
): Rows<Stored> {
  return {
    after: async (row, limit) => (await pool.query<Row>(statements.after(row, limit))).rows.map(storedOf),
    add: async (rows) => {
      await pool.query(statements.add(rows))
    },
  }
}
