import type { Store, StoreObserver } from './store.ts'

/** Where the plants are kept: `DATABASE_URL`, taken apart. */
export type DatabaseLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }

/**
 * Opens the store that a location names, with its schema up to date. The driver of the other one is not loaded: it would take
 * the start time and memory.
 *
 * @throws UnusableStore
 */
export async function openStore(location: DatabaseLocation, options: StoreObserver): Promise<Store> {
  switch (location.engine) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite/sqlite-store.ts')
      return openSqliteStore({ file: location.file, ...options })
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./postgres/postgres-store.ts')
      return openPostgresStore({ url: location.url, ...options })
    }
  }
}
