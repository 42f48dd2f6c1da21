import { openPostgresStore } from './postgres/postgres-store.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** Where the plants are kept: `DATABASE_URL`, taken apart. */
export type DatabaseLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }

/**
 * Opens the store that a location names, with its schema up to date.
 *
 * @param onFault told of each fault that makes an operation unavailable
 * @throws UnusableStore
 */
export async function openStore(location: DatabaseLocation, onFault: (error: Error) => void): Promise<Store> {
  switch (location.engine) {
    case 'sqlite':
      return openSqliteStore({ file: location.file, onFault })
    case 'postgres':
      return openPostgresStore({ url: location.url, onFault })
  }
}
