import { type StoreRows, type Value, rowsOf } from '../rows.ts'
import type { StoreOptions } from '../store.ts'
import { openDatabase } from './open-database.ts'

/** Counting all rows of a large table takes minutes. */
const statementMilliseconds = 3_600_000

/**
 * Opens the rows of a database.
 *
 * @throws UnusableStore as `openDatabase`
 */
export async function openPostgresRows(url: string, onWarning: StoreOptions['onWarning']): Promise<StoreRows> {
  const { pool } = await openDatabase({
    url,
    connections: {
      max: 1,
      connectionTimeoutMillis: 10_000,
      statement_timeout: statementMilliseconds,
      query_timeout: statementMilliseconds,
    },
    // The next statement reports the fault.
    onFault: () => undefined,
    onWarning,
  })

  async function run<Columns>(text: string, values: Value[]): Promise<Columns[]> {
    let number = 0
    const numbered = text.replaceAll('?', () => `$${String(++number)}`)
    // The caller names the statement's columns as `Columns`.
    return (await pool.query(numbered, values)).rows as Columns[]
  }

  return { ...rowsOf(run), close: () => pool.end() }
}
