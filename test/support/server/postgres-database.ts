import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client, escapeIdentifier } from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import type { Store } from '../../../src/store/store.ts'

/**
 * Creates a schema on the PostgreSQL server of the run, so that tests do not share tables. It is dropped after the test.
 *
 * @param settings run-time parameters of the sessions that use it
 * @returns the URL that opens it
 */
export async function temporaryDatabase(
  settings: Record<string, string> = {},
  onFinished: (finish: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const server = inject('databaseUrl')
  const schema = `test_${randomBytes(8).toString('hex')}`
  await query(server, `CREATE SCHEMA ${escapeIdentifier(schema)}`)
  onFinished(() => query(server, `DROP SCHEMA ${escapeIdentifier(schema)} CASCADE`))
  const url = new URL(server)
  const options = Object.entries({ search_path: schema, ...settings }).map(([name, value]) => `-c ${name}=${value}`)
  url.searchParams.set('options', options.join(' '))
  // Servers are known by it, also those of other schemas.
  url.searchParams.set('application_name', schema)
  // The proof of Citus names a file that distributes the tables.
  const file = process.env['TEST_TABLES_FILE']
  if (file !== undefined) {
    await (await openPostgresStore({ url: url.href, onFault: () => undefined })).close()
    await query(url.href, await readFile(file, 'utf8'))
  }
  return url.href
}

async function query(url: string, text: string): Promise<void> {
  const client = await connect(url)
  await client.query(text)
  await client.end()
}

/** Opens a connection, which the caller closes. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  // The server may stop before the connection is closed.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Opens a connection beside those of the store. It is closed after the test. */
export async function openConnection(url: string): Promise<Client> {
  const client = await connect(url)
  onTestFinished(() => client.end())
  return client
}

/** Waits until this many sessions wait for locks of this one. */
export async function waitUntilBlocking(client: Client, count = 1): Promise<void> {
  const text = 'SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))'
  await expect.poll(async () => (await client.query(text)).rowCount, { interval: 5, timeout: 10_000 }).toBe(count)
}

/** Opens a store, which is closed after the test. @returns the store and a growing list of its faults */
export async function openTestStore(
  url: string,
  options: Partial<Parameters<typeof openPostgresStore>[0]> = {},
): Promise<{ store: Store; faults: Error[] }> {
  const faults: Error[] = []
  const store = await openPostgresStore({ url, onFault: (error) => void faults.push(error), ...options })
  onTestFinished(() => store.close())
  return { store, faults }
}
