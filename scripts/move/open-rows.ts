import type { DatabaseLocation } from '../../src/store/location.ts'
import type { OpenRowsOptions, StoreRows } from './rows.ts'

/**
 * Opens the rows of a store and brings its schema up to date. Loads only the driver that it needs.
 *
 * @throws UnusableStore
 * @throws UsageError if a process has the SQLite file open
 */
export async function openRows(location: DatabaseLocation, options: OpenRowsOptions): Promise<StoreRows> {
  return location.engine === 'sqlite'
    ? (await import('./sqlite-rows.ts')).openSqliteRows(location.file, options)
    : (await import('./postgres-rows.ts')).openPostgresRows(location.url, options)
}
