import { Client, escapeIdentifier } from 'pg'
import { type BenchCaller, type CallerTokens, addPlants, createDatabaseFile, prepareDatabase } from './database-file.ts'

/** A database that the project's servers share. */
export interface SharedDatabase {
  /** As `DATABASE_URL` has it. */
  url: string
  tokens: CallerTokens
  /** Adds plants with consecutive ids, without a server. */
  addPlants: (caller: BenchCaller, firstId: number, count: number) => Promise<void>
}

/** @param file a path at which there is no file yet */
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
 * Makes a database on a PostgreSQL server.
 *
 * @param server the URL of another database there, whose user may make databases
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
        SELECT $1, $2 + n, 'Monstera deliciosa ' || n, CASE n % 2 WHEN 0 THEN 'indoor' END FROM generate_series(0, $3::bigint - 1) AS n`
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
