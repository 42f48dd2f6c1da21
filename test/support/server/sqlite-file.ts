import { join } from 'node:path'
import Database from 'better-sqlite3'
import { temporaryFolder } from './start-app.ts'

/** The path of a file that is not there yet, in a folder that is removed after the test. */
export async function temporaryFile(): Promise<string> {
  return join(await temporaryFolder(), 'plants.db')
}

/** Runs SQL on a file, which is created if it is missing, as another program would. */
export function runSql(file: string, sql: string): void {
  const database = new Database(file)
  database.exec(sql)
  database.close()
}

/** The first column of what a query returns. */
export function readColumn(file: string, query: string): unknown[] {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare(query).pluck().all()
  } finally {
    database.close()
  }
}
