import type { DatabaseLocation } from '../../src/store/location.ts'
import type { StoreOptions } from '../../src/store/store.ts'
import type { Value } from '../../src/store/token-table.ts'
import { type StoreRows, rowsOf } from './rows.ts'

type OnWarning = NonNullable<StoreOptions['onWarning']>

/**
 * Opens the rows of a store and brings its schema up to date.
 *
 * @throws UnusableStore
 */
export async function openRows(location: DatabaseLocation, onWarning: OnWarning): Promise<StoreRows> {
  return location.engine === 'sqlite' ? openSqliteRows(location.file) : openPostgresRows(location.url, onWarning)
}

/** How long a write waits for another process's lock. It blocks this process, which does nothing else. */
const lockTimeoutMilliseconds = 5_000

async function openSqliteRows(file: string): Promise<StoreRows> {
  const { openDatabase } = await import('../../src/store/sqlite/open-database.ts')
  const { database, files } = openDatabase(file)
  database.pragma(`busy_timeout = ${String(lockTimeoutMilliseconds)}`)

  function run<Columns>(text: string, values: Value[]): Columns[] {
    const statement = database.prepare<Value[], Columns>(text).safeIntegers()
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    const fault = files.findMisplaced()
    if (fault !== undefined) throw fault
    return []
  }

  return {
    ...rowsOf(run, true),
    close: () => {
      database.close()
    },
  }
}

/** Reading the rows of a large table can take minutes. */
const statementMilliseconds = 3_600_000

async function openPostgresRows(url: string, onWarning: OnWarning): Promise<StoreRows> {
  const { openDatabase } = await import('../../src/store/postgres/open-database.ts')
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

  return { ...rowsOf(run, false), close: () => pool.end() }
}
