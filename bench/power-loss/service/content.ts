import Database from 'better-sqlite3'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Content } from './ledger.ts'

/** The caller of all plants in the ledgers. */
export const caller = 'me'

/**
 * Opens a database as the service does at its start, and reads what it holds of the caller.
 *
 * @throws Error when the service would not start, or the database is damaged
 */
export async function openContent(file: string): Promise<Content> {
  await openSqliteStore({
    file,
    onFault: (error) => {
      throw error
    },
  }).close()
  return readContent(file)
}

/** Reads what a database holds of the caller. @throws Error when it is damaged */
export function readContent(file: string): Content {
  const database = new Database(file, { fileMustExist: true })
  try {
    const result = database.pragma('integrity_check(1)', { simple: true })
    if (result !== 'ok') throw new Error(`${file} is damaged: ${String(result)}`)
    const plants = database.prepare<[string], [number, string]>('SELECT id, name FROM plants WHERE caller = ?').raw()
    const tokens = database.prepare<[], string>('SELECT prefix FROM tokens').pluck()
    return new Map([
      ...plants.all(caller).map(([id, name]) => [plantKey(id), name] as const),
      ...tokens.all().map((prefix) => [`token ${prefix}`, 'issued'] as const),
    ])
  } finally {
    database.close()
  }
}

export function plantKey(id: number): string {
  return `plant ${String(id)}`
}
