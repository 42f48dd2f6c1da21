import type { DatabaseLocation } from './open-store.ts'
import { openPostgresRows } from './postgres/rows.ts'
import type { StoreRows } from './rows.ts'
import { openSqliteRows } from './sqlite/rows.ts'

/**
 * Opens the rows of the store at a location, and brings its schema up to date.
 *
 * @throws UnusableStore
 */
export async function openRows(location: DatabaseLocation): Promise<StoreRows> {
  switch (location.engine) {
    case 'sqlite':
      return openSqliteRows(location.file)
    case 'postgres':
      return openPostgresRows(location.url)
  }
}
