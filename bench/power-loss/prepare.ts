import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { backUp } from '../../scripts/operate/backup/back-up.ts'
import { createToken } from '../../src/auth/tokens.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { caller, readContent } from './service/content.ts'
import type { Content } from './service/ledger.ts'

/** A folder with a database, and a copy of the database as it was before. The name of a plant begins with its id. */
export interface Prepared {
  folder: string
  /** A token of the caller, in both. */
  token: string
  content: Content
  copied: Content
}

/** The paths in the folder. */
export const databasePath = 'data/plants.db'
export const copyPath = 'copy.db'

/** How many plants of another caller make more than 64 MiB, up to which the start checks every page. */
const largePlants = 330_000

/** @param isLarge whether the database has more than 64 MiB */
export async function prepare(folder: string, isLarge: boolean): Promise<Prepared> {
  const file = join(folder, databasePath)
  mkdirSync(join(folder, 'data'), { recursive: true })
  const { text: token, stored } = createToken(caller, Date.now())
  const store = openSqliteStore({
    file,
    onFault: (error) => {
      throw error
    },
  })
  await store.addToken(stored)
  for (let id = -100n; id < -50n; id++) await store.create(caller, { id, name: `${String(id)}.early` })
  const copy = join(folder, copyPath)
  await backUp(file, copy)
  for (let id = -50n; id < 0n; id++) await store.create(caller, { id, name: `${String(id)}.late` })
  for (let id = -100n; id < -75n; id++) await store.delete(caller, id)
  await store.close()
  if (isLarge) fill(file)
  return { folder, token, content: readContent(file), copied: readContent(copy) }
}

function fill(file: string): void {
  const database = new Database(file)
  database.exec(`
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${String(largePlants)})
    INSERT INTO plants (caller, id, name) SELECT 'another', id, 'Monstera deliciosa ' || hex(randomblob(40)) FROM ids`)
  database.close()
}
