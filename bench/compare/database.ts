import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createToken } from '../../src/auth/tokens.ts'
import { issueTokens } from '../../test/support/server/issue-tokens.ts'
import { startPostgres } from '../../test/support/server/postgres-node.ts'
import { createPeerFile } from '../peers/peer-store.ts'
import type { Contender } from './contenders.ts'

/** `reader` lists; `writer` creates and deletes. */
const callers = ['reader', 'writer'] as const
export type BenchCaller = (typeof callers)[number]

/** The number of plants of the caller `reader`. */
const listedPlants = 2_000

/** A database for one contender. */
export interface BenchDatabase extends AsyncDisposable {
  url: string
  tokens: Record<BenchCaller, string>
  /** Adds plants with consecutive ids, without a server. */
  addPlants: (caller: BenchCaller, firstId: number, count: number) => Promise<void>
}

/** Creates a database with tokens and the plants that are listed. */
export async function createDatabase({ name, store }: Contender, folder: string): Promise<BenchDatabase> {
  const database = await (store === 'postgres' ? onPostgres() : inFile(join(folder, `${name}.db`), store))
  await database.addPlants('reader', 1, listedPlants)
  return database
}

async function inFile(file: string, store: 'sqlite' | 'peer'): Promise<BenchDatabase> {
  // The service stores JSON in a column; the peers make it for each list.
  const made =
    store === 'sqlite'
      ? { column: ', json', value: `, json_patch('{}', json_object('name', name, 'tag', tag))` }
      : { column: '', value: '' }
  const issued = store === 'sqlite' ? await issueTokens({ engine: 'sqlite', file }, callers) : peerTokens(file)
  return {
    url: `sqlite:${file}`,
    tokens: byCaller(issued),
    addPlants: (caller, firstId, count) => {
      const database = new Database(file, { timeout: 10_000 })
      // The folder is temporary, so no sync is needed.
      database.pragma('synchronous = OFF')
      database
        .prepare(
          `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @count)
           INSERT INTO plants (caller, id, name, tag${made.column})
           SELECT @caller, @firstId + n, name, tag${made.value} FROM (
             SELECT n, 'Monstera deliciosa ' || n AS name, CASE n % 2 WHEN 0 THEN 'indoor' END AS tag FROM numbers
           )`,
        )
        .run({ caller, firstId, count })
      database.pragma('wal_checkpoint(TRUNCATE)')
      database.close()
      return Promise.resolve()
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function onPostgres(): Promise<BenchDatabase> {
  const node = await startPostgres({ isDurable: true })
  return {
    url: node.url,
    tokens: byCaller(await issueTokens({ engine: 'postgres', url: node.url }, callers)),
    addPlants: async (caller, firstId, count) => {
      await node.query(
        `INSERT INTO plants (caller, id, name, tag)
         SELECT $1, $2 + n, 'Monstera deliciosa ' || n, CASE n % 2 WHEN 0 THEN 'indoor' END
         FROM generate_series(0, $3 - 1) AS n`,
        [caller, firstId, count],
      )
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

function peerTokens(file: string): { token: string }[] {
  const issued = callers.map((caller) => createToken(caller, Date.now()))
  createPeerFile(
    file,
    issued.map(({ stored }) => stored),
  )
  return issued.map(({ text }) => ({ token: text }))
}

function byCaller(issued: { token: string }[]): Record<BenchCaller, string> {
  const [reader, writer] = issued.map(({ token }) => token)
  // There are as many tokens as callers.
  return { reader: reader!, writer: writer! }
}
