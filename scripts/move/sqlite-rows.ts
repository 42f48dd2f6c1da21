import { unfinishedVersion } from '../../src/store/schema-version.ts'
import { openDatabase } from '../../src/store/sqlite/open-database.ts'
import { realPathOf } from '../../src/store/sqlite/open-files.ts'
import { integerOf, migrations } from '../../src/store/sqlite/schema.ts'
import { isBusy } from '../../src/store/sqlite/statements.ts'
import type { Value } from '../../src/store/table.ts'
import { assertClosed } from '../assert-closed.ts'
import { UsageError } from '../command.ts'
import { type OpenRowsOptions, type StoreRows, rowsOf } from './rows.ts'

/** Opens the rows of an SQLite file. */
export function openSqliteRows(file: string, { role }: OpenRowsOptions): StoreRows {
  assertClosed(realPathOf(file))
  const { database, files } = openDatabase(file, { isMoveTarget: role === 'target' })

  function run<Columns>(text: string, values: Value[]): Columns[] {
    const statement = database.prepare<Value[], Columns>(text).safeIntegers()
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    const fault = files.findMisplaced()
    if (fault !== undefined) throw fault
    return []
  }

  return {
    tables: rowsOf(run),
    lock: () => {
      // In this mode the first write takes a lock against all other processes, also those of other users and machines,
      // and keeps it.
      database.pragma('locking_mode = EXCLUSIVE')
      try {
        database.exec('BEGIN IMMEDIATE; COMMIT')
      } catch (error) {
        if (!isBusy(error)) throw error
        const message = `${file} is open in another process; stop the server first; nothing was changed`
        throw new UsageError(message, { cause: error })
      }
    },
    // The lock keeps servers away.
    assertUnused: () => undefined,
    isUnfinished: integerOf(database, 'user_version') > migrations.length,
    setUnfinished: (isUnfinished) => {
      const version = isUnfinished ? unfinishedVersion(migrations.length) : migrations.length
      run(`PRAGMA user_version = ${String(version)}`, [])
    },
    close: () => {
      database.close()
    },
  }
}
