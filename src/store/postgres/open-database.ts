import { Client, type ClientConfig, Pool } from 'pg'
import { UnusableStore } from '../store.ts'
import { beginMigration, endMigration, migrations } from './migrations.ts'
import { isUndefinedTable } from './postgres-errors.ts'
import { statements } from './statements.ts'

/** How long the start waits for another process that migrates the same database. */
const migrationTimeoutMilliseconds = 30_000

export interface DatabaseOptions {
  /** `postgres://…` or `postgresql://…`; what it sets goes before what follows. */
  url: string
  /** The most connections of this process. */
  maxConnections: number
  /** How long to wait for a connection, a new one or one that others hold. */
  connectTimeoutMilliseconds: number
  /** How long the server may work on a statement, and wait for a lock, before it gives up. */
  statementTimeoutMilliseconds: number
  /** How long to wait for a server that says nothing any more. */
  answerTimeoutMilliseconds: number
  /** Told of each connection that broke while nobody used it. */
  onFault: (error: Error) => void
}

/**
 * Brings the database's schema up to date and opens a pool of connections to it.
 *
 * @throws UnusableStore when the database cannot be reached, does not keep text as UTF-8, has tables of another program, or has a
 *   schema from the future; nothing has changed then
 */
export async function openDatabase({ url, onFault, ...options }: DatabaseOptions): Promise<Pool> {
  const config: ClientConfig = { connectionString: url, connectionTimeoutMillis: options.connectTimeoutMilliseconds, keepAlive: true, fallback_application_name: 'plant-store' }
  await prepareSchema({ ...config, query_timeout: migrationTimeoutMilliseconds })
  const pool = new Pool({
    ...config,
    max: options.maxConnections,
    idleTimeoutMillis: 60_000,
    statement_timeout: options.statementTimeoutMilliseconds,
    query_timeout: options.answerTimeoutMilliseconds,
    // Statements that are sent together do not wait for each other's answers.
    pipeline: true,
  })
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => {
    // The pool adds the connection to the error, and the log would show the session's secret key and its queries.
    Reflect.deleteProperty(error, 'client')
    onFault(error)
  })
  return pool
}

async function prepareSchema(config: ClientConfig): Promise<void> {
  const client = createClient(config)
  // A loss of the connection reaches whoever waits for an answer too.
  client.on('error', () => undefined)
  const place = `${client.host}:${String(client.port)}/${client.database ?? ''}`
  try {
    await client.connect()
    await assertEncoding(client, place)
    const version = await readVersion(client)
    assertKnown(version, place)
    if (version < migrations.length) await migrate(client, place)
  } catch (error) {
    if (error instanceof UnusableStore) throw error
    throw new UnusableStore(`cannot open the database ${place}: ${messageOf(error)}`, { cause: error })
  } finally {
    // Whatever is unfinished is rolled back.
    await client.end()
  }
}

function createClient(config: ClientConfig): Client {
  try {
    return new Client(config)
  } catch {
    // The error could quote the password.
    throw new UnusableStore('cannot open the database: its URL cannot be read')
  }
}

async function assertEncoding(client: Client, place: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding')
  const encoding = rows[0]?.server_encoding
  if (encoding !== 'UTF8') throw new UnusableStore(`the database ${place} keeps text as ${String(encoding)}; this service needs one that was created with ENCODING 'UTF8'`)
}

/** A database in which this service never was has version 0. A released schema is read without the right to make tables. */
async function readVersion(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>(statements.schemaVersion())
    return rows[0]?.version ?? 0
  } catch (error) {
    if (isUndefinedTable(error)) return 0
    throw error
  }
}

async function migrate(client: Client, place: string): Promise<void> {
  await client.query(beginMigration)
  // Another process may have migrated the database while this one waited for the lock.
  const version = await readVersion(client)
  assertKnown(version, place)
  for (const migration of migrations.slice(version)) await client.query(migration)
  await client.query(endMigration)
}

function assertKnown(version: number, place: string): void {
  if (version <= migrations.length) return
  throw new UnusableStore(
    `the database ${place} has schema version ${String(version)}, and this release knows versions up to ${String(migrations.length)}: start a newer release; nothing was changed`,
  )
}

function messageOf(error: unknown): string {
  // A name with several addresses gives an error for each of them, and none of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
