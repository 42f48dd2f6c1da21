import { Client, type ClientConfig, Pool } from 'pg'
import { UnusableStore } from '../store.ts'
import { migrate } from './schema.ts'
import { statements } from './statements.ts'

/** How long the start waits for another process that migrates the same database. */
const migrationTimeoutMilliseconds = 30_000

export interface DatabaseOptions {
  /** `postgres://…` or `postgresql://…`. Its parameters override the options below. */
  url: string
  /** The most connections of this process. */
  maxConnections: number
  /** How long to wait for a connection, whether it is new or in use. */
  connectTimeoutMilliseconds: number
  /** How long the server may work on a statement or wait for a lock. */
  statementTimeoutMilliseconds: number
  /** How long to wait for an answer of the server. */
  answerTimeoutMilliseconds: number
  /** Receives the error of each connection that broke while idle. */
  onFault: (error: Error) => void
}

/**
 * Brings the database's schema up to date and opens a pool of connections to it.
 *
 * @throws UnusableStore when the database cannot be reached, does not store text as UTF-8, has tables of another
 *   program, or has a schema of a newer release; nothing has changed then
 */
export async function openDatabase({ url, onFault, ...options }: DatabaseOptions): Promise<Pool> {
  const config: ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: options.connectTimeoutMilliseconds,
    keepAlive: true,
    fallback_application_name: 'plant-store',
  }
  await prepareSchema({ ...config, query_timeout: migrationTimeoutMilliseconds })
  const pool = new Pool({
    ...config,
    max: options.maxConnections,
    idleTimeoutMillis: 60_000,
    statement_timeout: options.statementTimeoutMilliseconds,
    query_timeout: options.answerTimeoutMilliseconds,
    // Sends a statement without waiting for the answers to those before it.
    pipeline: true,
  })
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => {
    // The pool adds the connection to the error; the log would show its secret key and its queries.
    Reflect.deleteProperty(error, 'client')
    onFault(error)
  })
  return pool
}

async function prepareSchema(config: ClientConfig): Promise<void> {
  const client = createClient(config)
  // The query that waits for an answer reports the loss of the connection.
  client.on('error', () => undefined)
  const place = `${client.host}:${String(client.port)}/${client.database ?? ''}`
  try {
    await client.connect()
    await assertEncoding(client, place)
    await migrate(client, place)
  } catch (error) {
    if (error instanceof UnusableStore) throw error
    throw new UnusableStore(`cannot open the database ${place}: ${messageOf(error)}`, { cause: error })
  } finally {
    // Rolls back an unfinished migration.
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
  const { rows } = await client.query<{ server_encoding: string }>(statements.encoding())
  const encoding = rows[0]?.server_encoding
  if (encoding === 'UTF8') return
  throw new UnusableStore(
    `the database ${place} keeps text as ${String(encoding)}; ` +
      "this service needs one that was created with ENCODING 'UTF8'",
  )
}

function messageOf(error: unknown): string {
  // Connecting to a host with several addresses fails with one error for each, inside an error without a message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
