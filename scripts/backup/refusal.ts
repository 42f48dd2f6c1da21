import { BadConfig } from '../../src/config/config.ts'
import type { DatabaseLocation } from '../../src/store/open-store.ts'
import { UnusableStore } from '../../src/store/store.ts'

/** What is not done, and why, in one line for the person who asked for it. */
export class Refusal extends Error {}

/** What to print when a command fails: one line, or the whole error where its cause may be in this code. */
export function failureText(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof BadConfig || error instanceof UnusableStore) return error.message
  // An error of the system names the call and the path: "ENOSPC: no space left on device, copyfile 'a' -> 'b'".
  return error instanceof Error && 'syscall' in error ? error.message : error
}

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
