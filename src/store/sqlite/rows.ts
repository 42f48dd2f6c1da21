import { type StoreRows, type Value, rowsOf } from '../rows.ts'
import { openDatabase } from './open-database.ts'

/** How long a write waits for another process's lock. It blocks this process, which does nothing else. */
const lockTimeoutMilliseconds = 5_000

/**
 * Opens the rows of a database file.
 *
 * @throws UnusableStore when `openDatabase` does
 */
export function openSqliteRows(file: string): StoreRows {
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
    ...rowsOf(run),
    close: () => {
      database.close()
    },
  }
}
