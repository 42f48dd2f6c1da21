import { Client, escapeIdentifier } from 'pg'
import { type BenchCaller, type CallerTokens, addPlants, createDatabaseFile, prepareDatabase } from './database-file.ts'

/** A database that several servers of the project use. */
export interface SharedDatabase {
  /** The value of `DATABASE_URL`. */
  url: string
  tokens: CallerTokens
  /** Adds plants with consecutive ids, without a server. */
  addPlants: (caller: BenchCaller, firstId: number, count: number) => Promise<void>
}

/** @param file a path without a file */
export async function createSqliteDatabase(file: string): Promise<SharedDatabase> {
  const { tokens } = await createDatabaseFile(file, 'own')
  return {
    url: `sqlite:${file}`,
    tokens,
    addPlants: (caller, firstId, count) => {
      addPlants(file, caller, firstId, count)
      return Promise.resolve()
    },
  }
}

/**
 * Creates a database on a PostgreSQL server.
 *
 * @param server the URL of another database there, whose user may create databases
 */
export async function createPostgresDatabase(server: string, name: string): Promise<SharedDatabase> {
  await query(server, `CREATE DATABASE ${escapeIdentifier(name)}`)
  const url = new URL(server)
  url.pathname = name
  const tokens = await prepareDatabase({ engine: 'postgres', url: url.href })
  return {
    url: url.href,
    tokens,
    addPlants: async (caller, firstId, count) => {
      const text = `INSERT INTO plants (caller, id, name, tag)
        SELECT $1, $2 + n, 'Monstera deliciosa ' || n, CASE n % 2 WHEN 0 THEN 'indoor' END
        FROM generate_series(0, $3::bigint - 1) AS n`
      await query(url.href, text, [caller, firstId, count])
    },
  }
}

async function query(url: string, text: string, values: unknown[] = []): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text, values)
  } finally {
    await client.end()
  }
}
