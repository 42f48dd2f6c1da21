import { linkSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { DatabaseLocation } from '../src/store/location.ts'
import { applicationId, assertUsable, describeForeign, readHeader } from '../src/store/sqlite/schema.ts'
import { type TableName, tableNames } from '../src/store/tables.ts'
import { UsageError } from './command.ts'

/** The number of rows of each table. */
export type Content = Record<TableName, number>

/** Counts the rows of a database. */
export function contentOf(database: Database.Database): Content {
  const counts = tableNames.map((name) => [name, database.prepare(`SELECT count(*) FROM ${name}`).pluck().get()])
  // Each table has a count.
  return Object.fromEntries(counts) as Content
}

/** Such as "1 plant and 2 tokens". */
export function describeContent(content: Content): string {
  return new Intl.ListFormat('en').format(
    tableNames.map((name) =>
      content[name] === 1 ? `1 ${name.replace(/s$/, '')}` : `${String(content[name])} ${name}`,
    ),
  )
}

/** Whether an error means that a file is damaged, not just unreadable for now (sqlite.org/rescode.html). */
export function isDamage(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/.test(error.code)
}

/**
 * Checks every page, index and constraint of a file that nobody else has open. Prints a line about what the service did not
 * make, such as a trigger.
 *
 * @param name the name of the file in messages
 * @param remedy what to do if it is damaged
 * @throws UsageError if it is damaged or not a database of this service; UnusableStore if it belongs to another program
 *   or a newer release
 */
export function verifyCopy(file: string, name: string, remedy = 'choose another backup'): Content {
  const header = readHeader(file, name)
  if (header?.applicationId !== applicationId) throw new UsageError(`${name} is not a database of this service`)
  assertUsable(name, header)
  const database = new Database(file, { fileMustExist: true })
  try {
    // The result is 'ok', or the first fault in one or more lines.
    const result = database.pragma('integrity_check(1)', { simple: true }) as string
    if (result !== 'ok') throw new UsageError(`${name} is damaged (${result.replaceAll(/\s+/g, ' ')}); ${remedy}`)
    // Turns the log off, so that the copy is one file. The server turns it on again.
    database.pragma('journal_mode = DELETE')
    const foreign = describeForeign(database, name)
    if (foreign !== undefined) console.error(foreign)
    return contentOf(database)
  } catch (error) {
    if (isDamage(error)) throw new UsageError(`${name} is damaged (${error.message}); ${remedy}`, { cause: error })
    if (!(error instanceof Database.SqliteError)) throw error
    throw new UsageError(`${name} cannot be verified: ${error.message}`, { cause: error })
  } finally {
    database.close()
  }
}

/**
 * Gives a file a second name. Unlike a rename, a link never replaces another file.
 *
 * @throws UsageError if the name is taken
 */
export function publish(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`${name} already exists; nothing was changed`, { cause: error })
  }
}

/**
 * @param tool the corresponding program for PostgreSQL, for the message
 * @returns the file of a SQLite database
 * @throws UsageError for another database
 */
export function sqliteFileOf(location: DatabaseLocation, tool: string): string {
  switch (location.engine) {
    case 'sqlite':
      return location.file
    case 'postgres':
      throw new UsageError(`DATABASE_URL names a PostgreSQL database; use ${tool}`)
  }
}
