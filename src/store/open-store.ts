import { openSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** Where the plants are kept: `DATABASE_URL`, taken apart. */
export interface DatabaseLocation {
  engine: 'sqlite'
  file: string
}

/**
 * Opens the store that a location names, with its schema up to date.
 *
 * @param onFault told of each fault that makes an operation unavailable
 * @throws UnusableStore
 */
export function openStore(location: DatabaseLocation, onFault: (error: Error) => void): Store {
  return openSqliteStore({ file: location.file, onFault })
}
