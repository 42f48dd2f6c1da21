import type { Store, StoreOptions } from './store.ts'

/** Where the plants are stored: `DATABASE_URL`, parsed. */
export type DatabaseLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }

/**
 * Opens the store at a location, and brings its schema up to date. Only the driver that is needed is loaded, which
 * saves start time and memory.
 *
 * @throws UnusableStore
 */
export async function openStore(location: DatabaseLocation, options: StoreOptions): Promise<Store> {
  switch (location.engine) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite/store.ts')
      return openSqliteStore({ file: location.file, ...options })
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./postgres/store.ts')
      return openPostgresStore({ url: location.url, ...options })
    }
  }
}
