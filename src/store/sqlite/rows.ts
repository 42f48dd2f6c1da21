import { type PlantKey, type StoreRows, type TokenKey } from '../rows.ts'
import { beforePlants, beforeTokens, storedPlant, storedToken } from '../rows.ts'
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
  const { plantsAfter, addPlant, tokensAfter, addToken } = prepareRows(reader, writer)
  writer.pragma(`busy_timeout = ${String(lockTimeoutMilliseconds)}`)

  /** Makes the function that adds rows in one transaction. */
  function adderOf<Row>(addOne: (row: Row) => void): (rows: Row[]) => void {
    const addAll = writer.transaction((rows: Row[]) => {
      for (const row of rows) addOne(row)
    })
    return (rows) => {
      addAll.immediate(rows)
      const fault = files.findMisplaced()
      if (fault !== undefined) throw fault
    }
  }

  return {
    plants: {
      after: ({ caller, id }: PlantKey = beforePlants, limit) => plantsAfter.all(caller, id, limit).map(storedPlant),
      add: adderOf(({ caller, id, name, tag }) => addPlant.run(caller, id, name, tag ?? null)),
    },
    tokens: {
      after: ({ hash }: TokenKey = beforeTokens, limit) => tokensAfter.all(hash, limit).map(storedToken),
      add: adderOf((token) => addToken.run(...tokenValues(token))),
    },
    close: () => {
      reader.close()
      writer.close()
    },
  }
}
