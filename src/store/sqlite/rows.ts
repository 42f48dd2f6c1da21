import { type StoreRows, type StoredPlant, storedPlant, storedToken } from '../rows.ts'
import type { StoredToken } from '../store.ts'
import { openDatabase } from './open-database.ts'
import { prepareRows, tokenValues } from './statements.ts'

/** How long a write waits for another process that holds the lock. It blocks this process, which does nothing else. */
const lockTimeoutMilliseconds = 5_000

/**
 * Opens the rows of a database file.
 *
 * @throws UnusableStore as `openDatabase`
 */
export function openSqliteRows(file: string): StoreRows {
  const { reader, writer, files } = openDatabase(file)
  const statements = prepareRows(reader, writer)
  const addPlants = writer.transaction((rows: StoredPlant[]) => {
    for (const { caller, id, name, tag } of rows) statements.addPlant.run(caller, id, name, tag ?? null)
  })
  const addTokens = writer.transaction((rows: StoredToken[]) => {
    for (const row of rows) statements.addToken.run(...tokenValues(row))
  })
  const assertInPlace = () => {
    const fault = files.findMisplaced()
    if (fault !== undefined) throw fault
  }
  writer.pragma(`busy_timeout = ${String(lockTimeoutMilliseconds)}`)
  return {
    plants: {
      // An aggregate without GROUP BY always returns one row.
      count: async () => Promise.resolve(statements.plantCount.get()!),
      after: async (row, limit) => {
        const { firstPlants, nextPlants } = statements
        const rows = row === undefined ? firstPlants.all(limit) : nextPlants.all(row.caller, row.id, limit)
        return Promise.resolve(rows.map(storedPlant))
      },
      add: async (rows) => {
        addPlants.immediate(rows)
        assertInPlace()
        return Promise.resolve()
      },
    },
    tokens: {
      count: async () => Promise.resolve(statements.tokenCount.get()!),
      after: async (row, limit) => {
        const { firstTokens, nextTokens } = statements
        const rows = row === undefined ? firstTokens.all(limit) : nextTokens.all(row.hash, limit)
        return Promise.resolve(rows.map(storedToken))
      },
      add: async (rows) => {
        addTokens.immediate(rows)
        assertInPlace()
        return Promise.resolve()
      },
    },
    close: async () => {
      reader.close()
      writer.close()
      return Promise.resolve()
    },
  }
}
