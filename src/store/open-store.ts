import type { DatabaseLocation } from './location.ts'
import type { Store, StoreOptions } from './store.ts'

/**
 * Opens a store and brings its schema up to date. Loads only the driver that it needs, which saves start time and
 * memory.
 *
 * @throws UnusableStore
 */
export async function openStore(location: DatabaseLocation, options: StoreOptions): Promise<Store> {
  return location.engine === 'sqlite'
    ? (await import('./sqlite/store.ts')).openSqliteStore({ file: location.file, ...options })
    : (await import('./postgres/store.ts')).openPostgresStore({ url: location.url, ...options })
}
