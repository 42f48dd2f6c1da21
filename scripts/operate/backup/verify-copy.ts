import Database from 'better-sqlite3'
import { assertUsable, readHeader } from '../../../src/store/sqlite/database-header.ts'
import { applicationId } from '../../../src/store/sqlite/schema.ts'
import { UsageError } from '../../command.ts'

/** How much is in a database. */
export interface Content {
  plants: number
  tokens: number
}

/** Counts what a database holds. */
export function contentOf(database: Database.Database): Content {
  const count = (table: 'plants' | 'tokens') =>
    database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!
  return { plants: count('plants'), tokens: count('tokens') }
}

/** Whether SQLite finds a file damaged. Other errors say that it cannot be read now (sqlite.org/rescode.html). */
export function isDamage(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/.test(error.code)
}

/**
 * Looks at every page, index and constraint of a file that nobody else has open.
 *
 * @param file the file
 * @param name how the file is called in what is told
 * @throws UsageError when it is no whole database of this service; UnusableStore when it is another program's or a
 *   newer release's
 */
export function verifyCopy(file: string, name: string): Content {
  const header = readHeader(file)
  if (header?.applicationId !== applicationId) throw new UsageError(`${name} is not a database of this service`)
  assertUsable(name, header)
  const database = new Database(file, { fileMustExist: true })
  try {
    // Its one row is 'ok' or the first fault, in one line or more.
    const verdict = database.pragma('integrity_check(1)', { simple: true }) as string
    if (verdict !== 'ok') throw new UsageError(`${name} is damaged (${verdict.replaceAll(/\s+/g, ' ')})`)
    // A copy is one file: the mode with a log beside it is set again when it is served.
    database.pragma('journal_mode = DELETE')
    return contentOf(database)
  } catch (error) {
    if (isDamage(error)) throw new UsageError(`${name} is damaged (${error.message})`, { cause: error })
    if (!(error instanceof Database.SqliteError)) throw error
    throw new UsageError(`${name} cannot be verified: ${error.message}`, { cause: error })
  } finally {
    database.close()
  }
}
