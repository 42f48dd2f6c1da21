import Database from 'better-sqlite3'
import { createToken } from '../../src/auth/tokens.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open-store.ts'
import type { StoredToken } from '../../src/store/store.ts'
import { createPeerFile } from '../peers/peer-store.ts'

/** The callers of the bench: one lists, one creates and deletes, one sends requests beside them. */
export const callers = ['reader', 'writer', 'bystander'] as const
export type BenchCaller = (typeof callers)[number]

export type CallerTokens = Record<BenchCaller, string>

/** A database file, and a token for each caller. */
export interface DatabaseFile {
  file: string
  tokens: CallerTokens
}

/**
 * Creates a database file with the schema of the project or of the peers. The project's store creates its own schema.
 *
 * @param file a path without a file
 */
export async function createDatabaseFile(file: string, schema: 'own' | 'peer'): Promise<DatabaseFile> {
  if (schema === 'own') return { file, tokens: await prepareDatabase({ engine: 'sqlite', file }) }
  const { tokens, stored } = issueTokens()
  createPeerFile(file, stored)
  return { file, tokens }
}

/** Creates the project's schema in an empty database, and issues a token to each caller. */
export async function prepareDatabase(location: DatabaseLocation): Promise<CallerTokens> {
  const { tokens, stored } = issueTokens()
  const store = await openStore(location, {
    onFault: (error) => {
      throw error
    },
  })
  for (const token of stored) await store.addToken(token)
  await store.close()
  return tokens
}

function issueTokens(): { tokens: CallerTokens; stored: StoredToken[] } {
  const issued = callers.map((caller) => createToken(caller, Date.now()))
  const [reader, writer, bystander] = issued.map(({ text }) => text)
  // There are as many tokens as callers.
  return {
    tokens: { reader: reader!, writer: writer!, bystander: bystander! },
    stored: issued.map(({ stored }) => stored),
  }
}

/** How many plants one transaction adds. The limit keeps the write-ahead log small. */
const plantsPerTransaction = 500_000

export interface AddPlantsOptions {
  /** The difference between two ids; 1 by default. */
  distance?: number
  /** Called with the number of plants so far. */
  onProgress?: (added: number) => void
}

/** Adds plants to a file, without a server. The ids begin at `firstId`. */
export function addPlants(
  file: string,
  caller: BenchCaller,
  firstId: number,
  count: number,
  { distance = 1, onProgress = () => undefined }: AddPlantsOptions = {},
): void {
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
    const to = Math.min(from + plantsPerTransaction, count)
    insert.run({ caller, firstId, distance, from, to })
    onProgress(to)
  }
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}
