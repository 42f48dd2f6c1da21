import { type Client, type ClientConfig, Pool } from 'pg'
import { type StoreOptions, UnusableStore } from '../store.ts'
import { readLayout } from './citus.ts'
import { Sockets, checkSessions, clientClass, readHosts } from './connections.ts'
import { isAnswerTimeout } from './errors.ts'
import { migrate } from './schema.ts'

/** How long to wait for an answer while the schema is read and migrated. The server gives up its statements sooner. */
const schemaAnswerMilliseconds = 35_000

/** How long the server may work on a statement or wait for a lock. */
const statementMilliseconds = 2_000

/** The connections of one process. */
const defaultConnections = {
  max: 10,
  // A pooler or a proxy that is to stop waits until its clients are gone.
  maxLifetimeSeconds: 60,
  idleTimeoutMillis: 60_000,
  // For a connection, whether it is new or in use.
  connectionTimeoutMillis: 2_000,
  statement_timeout: statementMilliseconds,
  // For an answer.
  query_timeout: statementMilliseconds + 250,
}

export interface DatabaseOptions extends Pick<StoreOptions, 'onFault' | 'onWarning'> {
  /** `postgres://…` or `postgresql://…`. Its parameters override `connections`. */
  url: string
  /** What is other than by default. */
  connections?: Partial<typeof defaultConnections>
  /** How long to wait for locks that other sessions hold when the schema is migrated. */
  migrationMilliseconds?: number
}

/** An open database. */
export interface OpenedDatabase {
  pool: Pool
  /** Whether Citus spreads the callers over machines, so that a transaction is to name one caller. */
  isSharded: boolean
}

/**
 * Brings the database's schema up to date and opens a pool of connections to it.
 *
 * @throws UnusableStore when the database cannot be reached, does not store text as UTF-8, has tables of another
 *   program, or has a schema of a newer release, or when another session holds locks on the tables that are to be
 *   migrated; nothing has changed then. Also when a pooler in between keeps no prepared statements or drops the timeout
 *   of statements
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
  const { place, isSharded } = await prepareSchema(create, options)
  const sockets = new Sockets()
  // The pipeline sends a statement without waiting for the answers to those before it.
  const pool = new Pool({ ...config, ...limits, Client: ChosenClient, stream: sockets.create, pipeline: true })
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => {
    // The pool adds the connection to the error; the log would show its secret key and its queries.
    Reflect.deleteProperty(error, 'client')
    options.onFault(error)
  })
  pool.on('release', (error) => {
    // Half of the time, because an answer may have been read late in the iteration in which the statement was sent.
    if (isAnswerTimeout(error)) sockets.closeIfSilent(limits.query_timeout / 2)
  })
  try {
    if (limits.max > 1) await checkSessions(pool, place)
  } catch (error) {
    await pool.end()
    throw unusable(place, error)
  }
  return { pool, isSharded }
}

async function prepareSchema(
  create: () => Client,
  { migrationMilliseconds = 30_000, onWarning = () => undefined }: DatabaseOptions,
): Promise<{ place: string; isSharded: boolean }> {
  const client = createClient(create)
  // The query that waits for an answer reports the loss of the connection.
  client.on('error', () => undefined)
  const placeOf = () => `${client.host}:${String(client.port)}/${client.database ?? ''}`
  try {
    await client.connect()
    const place = placeOf()
    const { encoding, isCitus } = await readDatabase(client)
    if (encoding !== 'UTF8') {
      throw new UnusableStore(
        `the database ${place} keeps text as ${encoding}; this service needs one that was created with ENCODING 'UTF8'`,
      )
    }
    const deadline = performance.now() + migrationMilliseconds
    await migrate(client, place, { isCitus, deadline, onWait: onWarning })
    const { isSharded, warnings } = isCitus ? await readLayout(client) : { isSharded: false, warnings: [] }
    for (const warning of warnings) onWarning(warning)
    return { place, isSharded }
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
    throw new UnusableStore('cannot open the database: its URL cannot be read')
  }
}

async function readDatabase(client: Client): Promise<{ encoding: string; isCitus: boolean }> {
  const { rows } = await client.query<{ encoding: string; isCitus: boolean }>(
    `SELECT current_setting('server_encoding') AS encoding,
      EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS "isCitus"`,
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

/**
 * What to do about errors of connect(2) and getaddrinfo(3), and about SQLSTATEs
 * (postgresql.org/docs/18/errcodes-appendix.html).
 */
const remedies: Partial<Record<string, string>> = {
  ECONNREFUSED: 'start the database server, or correct its address',
  ENOTFOUND: 'correct the name of the host',
  '28P01': 'correct the user, or the password in PGPASSWORD',
  '3D000': 'create it, or name another one',
}

function messageOf(error: unknown): string {
  // Connecting to a host with several addresses fails with one error for each, inside an error without a message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  // What pg says where the server asks for a password and none is set.
  return error.message.includes('client password must be a')
    ? 'the server asks for a password; set PGPASSWORD'
    : error.message
}
