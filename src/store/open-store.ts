import type { StoreRows } from './rows.ts'
import type { Store, StoreOptions } from './store.ts'

/** A parsed `DATABASE_URL`. */
export type DatabaseLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }

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

/**
 * Opens the rows of a store and brings its schema up to date.
 *
 * @throws UnusableStore
 */
export async function openRows(
  location: DatabaseLocation,
  { onWarning }: Pick<StoreOptions, 'onWarning'> = {},
): Promise<StoreRows> {
  return location.engine === 'sqlite'
    ? (await import('./sqlite/rows.ts')).openSqliteRows(location.file)
    : (await import('./postgres/rows.ts')).openPostgresRows(location.url, onWarning)
}
