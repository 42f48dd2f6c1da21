import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { backUp } from '../../scripts/backup.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { issueTokens } from '../../test/support/server/issue-tokens.ts'
import type { Content } from './ledger.ts'

/** The caller of all plants in the ledgers. */
export const caller = 'me'

export function plantKey(id: number): string {
  return `plant ${String(id)}`
}

function open(file: string) {
  return openSqliteStore({
    file,
    onFault: (error) => {
      throw error
    },
  })
}

/**
 * Opens a database as the service does, and reads the plants of the caller and the tokens. No server starts on the
 * target of an unfinished move, so it counts as empty.
 *
 * @throws Error when the service would not start, or the database is damaged
 */
export async function openContent(file: string): Promise<Content> {
  try {
    await open(file).close()
  } catch (error) {
    if (error instanceof Error && error.message.includes('a move into it did not finish')) return new Map()
    throw error
  }
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

/** A folder with a database and an earlier copy of it. The name of a plant starts with its id. */
export interface Prepared {
  folder: string
  /** A token of the caller that both have. */
  token: string
  content: Content
  copied: Content
}

/** The paths in the folder. */
export const databasePath = 'data/plants.db'
export const copyPath = 'copy.db'

export async function prepare(folder: string): Promise<Prepared> {
  const file = join(folder, databasePath)
  mkdirSync(join(folder, 'data'), { recursive: true })
  const [{ token } = { token: '' }] = await issueTokens({ engine: 'sqlite', file }, [caller])
  const store = open(file)
  for (let id = -100n; id < -50n; id++) await store.create(caller, { id, name: `${String(id)}.early` })
  const copy = join(folder, copyPath)
  await backUp(file, copy)
  for (let id = -50n; id < 0n; id++) await store.create(caller, { id, name: `${String(id)}.late` })
  for (let id = -100n; id < -75n; id++) await store.delete(caller, id)
  await store.close()
  return { folder, token, content: await openContent(file), copied: await openContent(copy) }
}
