import Database from 'better-sqlite3'
import { createToken } from '../../src/auth/tokens.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { createPeerFile } from '../peers/peer-store.ts'

/** The callers of the bench: one lists, one creates and deletes, one sends requests beside them. */
export const callers = ['reader', 'writer', 'bystander'] as const
export type BenchCaller = (typeof callers)[number]

/** A database file, and a token for each caller. */
export interface DatabaseFile {
  file: string
  tokens: Record<BenchCaller, string>
}

/**
 * Creates a database file with the schema of the project or of the peers, and tokens.
 *
 * @param file a path without a file
 */
export async function createDatabaseFile(file: string, schema: 'own' | 'peer'): Promise<DatabaseFile> {
  const issued = callers.map((caller) => createToken(caller, Date.now()))
  const stored = issued.map((token) => token.stored)
  if (schema === 'peer') createPeerFile(file, stored)
  else {
    const store = openSqliteStore({ file, onFault: () => undefined })
    for (const token of stored) await store.addToken(token)
    await store.close()
  }
  const [reader, writer, bystander] = issued.map(({ text }) => text)
  // There are as many tokens as callers.
  return { file, tokens: { reader: reader!, writer: writer!, bystander: bystander! } }
}

/** How many plants one transaction adds. The limit keeps the write-ahead log small. */
const plantsPerTransaction = 500_000

/**
 * Adds plants to a file, without a server. The ids begin at `firstId`.
 *
 * @param distance the difference between two ids
 */
export function addPlants(file: string, caller: BenchCaller, firstId: number, count: number, distance = 1): void {
  const database = new Database(file, { timeout: 10_000 })
  // The folder is temporary, so the plants need not survive a loss of power.
  database.pragma('synchronous = OFF')
  const insert = database.prepare<{ caller: string; firstId: number; distance: number; from: number; to: number }>(
    `WITH RECURSIVE numbers(n) AS (SELECT @from UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @to)
     INSERT INTO plants (caller, id, name, tag)
     SELECT @caller, @firstId + n * @distance, 'Monstera deliciosa ' || n, CASE n % 2 WHEN 0 THEN 'indoor' END
     FROM numbers`,
  )
  for (let from = 0; from < count; from += plantsPerTransaction) {
    insert.run({ caller, firstId, distance, from, to: Math.min(from + plantsPerTransaction, count) })
  }
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}
