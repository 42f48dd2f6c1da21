import type { DatabaseLocation } from '../../src/store/open-store.ts'

/** What is not done, and why, in one line for the person who asked for it. */
export class Refusal extends Error {}

/**
 * The file of an embedded database.
 *
 * @param tool what does the same on PostgreSQL
 * @throws Refusal when the database is none
 */
export function sqliteFileOf(location: DatabaseLocation, tool: string): string {
  switch (location.engine) {
    case 'sqlite':
      return location.file
    case 'postgres':
      throw new Refusal(`DATABASE_URL names a PostgreSQL database, for which the tool is ${tool}`)
  }
}
