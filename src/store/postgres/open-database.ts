import { type Client, type ClientConfig, Pool } from 'pg'
import type { OpenOptions } from '../schema-version.ts'
import { type StoreOptions, UnusableStore } from '../store.ts'
import { Sockets, checkSessions, clientClass, keepSession, readHosts } from './connections.ts'
import { isAnswerTimeout } from './errors.ts'
import { assertTables, migrate } from './schema.ts'

/** How long to wait for an answer during a migration. The server's own timeouts are shorter. */
const schemaAnswerMilliseconds = 35_000

/** How long a statement takes at most, locks and work together. */
const statementMilliseconds = 2_000

/** The connections of one process. */
const defaultConnections = {
  max: 10,
  // A pooler or proxy that stops waits for its clients to leave.
  maxLifetimeSeconds: 60,
  idleTimeoutMillis: 60_000,
  // For a new connection, or for one in use to become free.
  connectionTimeoutMillis: 2_000,
  statement_timeout: statementMilliseconds,
  // For an answer.
  query_timeout: statementMilliseconds + 250,
}

export interface DatabaseOptions extends Pick<StoreOptions, 'onFault' | 'onWarning'>, OpenOptions {
  /** `postgres://…` or `postgresql://…`. Its parameters override `connections`. */
  url: string
  /** Overrides the defaults. */
  connections?: Partial<typeof defaultConnections>
  /** How long a migration waits for locks that other sessions hold. */
  migrationMilliseconds?: number
}

/** An open database. */
export interface OpenedDatabase {
  pool: Pool
  /** Whether the database has Citus, so that a query or transaction should have one caller. */
  isCitus: boolean
}

/**
 * Brings the database's schema up to date and opens a pool of connections to it.
 *
 * @throws UnusableStore when the database cannot be reached, is not in UTF-8, has tables of another program or the
 *   schema of a newer release, is the target of an unfinished move, or when another session holds locks that a
 *   migration needs; nothing has changed then. Also when a pooler loses prepared statements or the timeout of
 *   statements
 */
export async function openDatabase(options: DatabaseOptions): Promise<OpenedDatabase> {
  const { urls, isWritable } = readHosts(options.url)
  const limits = { ...defaultConnections, ...options.connections }
  const config: ClientConfig = {
    connectionString: urls[0],
    connectionTimeoutMillis: limits.connectionTimeoutMillis,
    keepAlive: true,
    fallback_application_name: 'plant-store',
  }
  const ChosenClient = clientClass(urls, isWritable, config)
  const create = () => new ChosenClient({ ...config, query_timeout: schemaAnswerMilliseconds })
  const { place, isCitus } = await prepareSchema(create, options)
  const sockets = new Sockets()
  // `pipeline` sends statements without waiting for earlier answers.
  const pool = new Pool({ ...config, ...limits, Client: ChosenClient, stream: sockets.create, pipeline: true })
  // Without a listener, the loss of an idle connection would end the process.
  pool.on('error', (error) => {
    // The pool adds the connection to the error. The log would show its secret key and its queries.
    Reflect.deleteProperty(error, 'client')
    options.onFault(error)
  })
  pool.on('release', (error) => {
    // Half of it, because the last answer may have arrived after the statement was sent.
    if (isAnswerTimeout(error)) sockets.closeIfSilent(limits.query_timeout / 2)
  })
  keepSession(pool)
  try {
    if (limits.max > 1) await checkSessions(pool, place)
  } catch (error) {
    await pool.end()
    throw unusable(place, error)
  }
  return { pool, isCitus }
}

async function prepareSchema(
  create: () => Client,
  { migrationMilliseconds = 30_000, onWarning = () => undefined, isMoveTarget = false }: DatabaseOptions,
): Promise<{ place: string; isCitus: boolean }> {
  const client = createClient(create)
  // The pending query reports a lost connection.
  client.on('error', () => undefined)
  const placeOf = () => `${client.host}:${String(client.port)}/${client.database ?? ''}`
  try {
    await client.connect()
    const place = placeOf()
    const { encoding, isCitus } = await readDatabase(client)
    if (encoding !== 'UTF8') {
      throw new UnusableStore(`the database ${place} has the encoding ${encoding}; create one with ENCODING 'UTF8'`)
    }
    const deadline = performance.now() + migrationMilliseconds
    await migrate(client, place, { deadline, onWait: onWarning, isMoveTarget })
    await assertTables(client, place)
    return { place, isCitus }
  } catch (error) {
    throw unusable(placeOf(), error)
  } finally {
    // Rolls back an unfinished migration.
    await client.end()
  }
}

function createClient(create: () => Client): Client {
  try {
    return create()
  } catch {
    // The error could quote the password.
    throw new UnusableStore('cannot open the database: its URL is malformed')
  }
}

async function readDatabase(client: Client): Promise<{ encoding: string; isCitus: boolean }> {
  const { rows } = await client.query<{ encoding: string; isCitus: boolean }>(
    `SELECT current_setting('server_encoding') AS encoding,
      to_regclass('pg_dist_partition') IS NOT NULL AS "isCitus"`,
  )
  // A SELECT without FROM returns one row.
  return rows[0]!
}

function unusable(place: string, error: unknown): UnusableStore {
  if (error instanceof UnusableStore) return error
  const { code = '' } = error as { code?: string }
  const reason = [messageOf(error), remedies[code]].filter((part) => part !== undefined).join('; ')
  return new UnusableStore(`cannot open the database ${place}: ${reason}`, { cause: error })
}

/** Remedies by error code of connect(2) and getaddrinfo(3), or by SQLSTATE. */
const remedies: Partial<Record<string, string>> = {
  ECONNREFUSED: 'start the database server, or correct its address',
  ENOTFOUND: 'correct the name of the host',
  '28P01': 'correct the user, or the password in PGPASSWORD',
  '3D000': 'create it, or name another one',
}

function messageOf(error: unknown): string {
  // For a host with several addresses, Node wraps one error for each in an error without a message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  // pg's message if the server asks for a password and none is set.
  return error.message.includes('client password must be a')
    ? 'the server asks for a password; set PGPASSWORD'
    : error.message
}
