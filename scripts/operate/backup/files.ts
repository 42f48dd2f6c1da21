import { linkSync } from 'node:fs'
import type { DatabaseLocation } from '../../../src/store/open-store.ts'
import { UsageError } from '../../command.ts'

/**
 * @param tool the program that does the same on PostgreSQL, for the message
 * @returns the file of a SQLite database
 * @throws UsageError when the database is another
 */
export function sqliteFileOf(location: DatabaseLocation, tool: string): string {
  switch (location.engine) {
    case 'sqlite':
      return location.file
    case 'postgres':
      throw new UsageError(`DATABASE_URL names a PostgreSQL database, for which the tool is ${tool}`)
  }
}

/**
 * Gives a file a second name. Unlike a rename, a link never replaces another file.
 *
 * @throws UsageError when there is a file of this name
 */
export function publish(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`${name} is there already; nothing was changed`, { cause: error })
  }
}
