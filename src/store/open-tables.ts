import type { DatabaseLocation } from './open-store.ts'
import { openPostgresTables } from './postgres/postgres-tables.ts'
import { openSqliteTables } from './sqlite/sqlite-tables.ts'
import type { Tables } from './tables.ts'

/**
 * Opens what is in the store that a location names, with its schema up to date.
 *
 * @throws UnusableStore
 */
export async function openTables(location: DatabaseLocation): Promise<Tables> {
  switch (location.engine) {
    case 'sqlite':
      return openSqliteTables(location.file)
    case 'postgres':
      return openPostgresTables(location.url)
  }
}
