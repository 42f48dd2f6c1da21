import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { DatabaseLocation } from '../../src/store/location.ts'
import { issueTokens } from '../../test/support/server/issue-tokens.ts'
import type { Lab } from '../../test/support/server/lab.ts'
import type { Contender } from './contenders.ts'

/** `reader` lists; `writer` creates and deletes. */
export type BenchCaller = 'reader' | 'writer'

/** The number of plants of the caller `reader`. */
const listedPlants = 2_000

/** A database for one contender. */
export interface BenchDatabase {
  url: string
  tokens: Record<BenchCaller, string>
  /** Adds plants with consecutive ids, without a server. */
  addPlants: (caller: BenchCaller, firstId: number, count: number) => Promise<void>
}

/** Creates a database with tokens and the plants that are listed. It ends with the lab. */
export async function createDatabase({ name, store }: Contender, lab: Lab): Promise<BenchDatabase> {
  const database = await (store === 'postgres' ? onPostgres(lab) : inFile(join(lab.folder, `${name}.db`), store))
  await database.addPlants('reader', 1, listedPlants)
  return database
}

async function inFile(file: string, store: 'sqlite' | 'peer'): Promise<BenchDatabase> {
  const tokens = await issue({ engine: 'sqlite', file })
  // The service keeps JSON in a generated column; the peers make it for each list.
  if (store === 'peer') using(file, (database) => database.exec('ALTER TABLE plants DROP COLUMN json'))
  return {
    url: `sqlite:${file}`,
    tokens,
    addPlants: (caller, firstId, count) => {
      using(file, (database) =>
        database
          .prepare(
            `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @count)
             INSERT INTO plants (caller, id, name, tag)
             SELECT @caller, @firstId + n, name, tag FROM (
               SELECT n, 'Monstera deliciosa ' || n AS name, CASE n % 2 WHEN 0 THEN 'indoor' END AS tag FROM numbers
             )`,
          )
          .run({ caller, firstId, count }),
      )
      return Promise.resolve()
    },
  }
}

function using(file: string, change: (database: Database.Database) => void): void {
  const database = new Database(file, { timeout: 10_000 })
  // The folder is temporary, so no sync is needed.
  database.pragma('synchronous = OFF')
  change(database)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

async function onPostgres(lab: Lab): Promise<BenchDatabase> {
  const { url, query } = await lab.node('postgres')
  return {
    url,
    tokens: await issue({ engine: 'postgres', url }),
    addPlants: async (caller, firstId, count) => {
      await query(
        `INSERT INTO plants (caller, id, name, tag)
         SELECT $1, $2 + n, 'Monstera deliciosa ' || n, CASE n % 2 WHEN 0 THEN 'indoor' END
         FROM generate_series(0, $3 - 1) AS n`,
        [caller, firstId, count],
      )
    },
  }
}

async function issue(location: DatabaseLocation): Promise<Record<BenchCaller, string>> {
  const [reader, writer] = await issueTokens(location, ['reader', 'writer'])
  // There are as many tokens as callers.
  return { reader: reader!.token, writer: writer!.token }
}
