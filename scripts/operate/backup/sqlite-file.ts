import type { DatabaseLocation } from '../../../src/store/open-store.ts'
import { UsageError } from '../../command.ts'

/**
 * The file of an embedded database.
 *
 * @param tool what does the same on PostgreSQL
 * @throws UsageError when the database is none
 */
export function sqliteFileOf(location: DatabaseLocation, tool: string): string {
  switch (location.engine) {
    case 'sqlite':
      return location.file
    case 'postgres':
      throw new UsageError(`DATABASE_URL names a PostgreSQL database, for which the tool is ${tool}`)
  }
}
