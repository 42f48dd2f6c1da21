import { type Client, type ClientConfig, Pool } from 'pg'
import { UnusableStore } from '../store.ts'
import { readLayout } from './citus/layout.ts'
import { checkSessions } from './connections/check-sessions.ts'
import { type Engine, readEngine } from './connections/engine.ts'
import { clientClass, readHosts } from './connections/hosts.ts'
import { Sockets } from './connections/sockets.ts'
import { isAnswerTimeout } from './errors.ts'
import { migrate } from './schema.ts'

/** How long to wait for an answer while the schema is read and migrated. The server gives up its statements sooner. */
const schemaAnswerMilliseconds = 35_000

export interface DatabaseOptions {
  /** `postgres://…` or `postgresql://…`. Its parameters override the options below. */
  url: string
  /** The most connections of this process. */
  maxConnections: number
  /** How long a connection is used. A pooler or a proxy that is to stop waits until its clients are gone. */
  connectionSeconds: number
  /** How long to wait for a connection, whether it is new or in use. */
  connectTimeoutMilliseconds: number
  /** How long the server may work on a statement or wait for a lock. */
  statementTimeoutMilliseconds: number
  /** How long to wait for an answer of the server. */
  answerTimeoutMilliseconds: number
  /** How long to wait for locks that other sessions hold when the schema is migrated; 30 s by default. */
  migrationTimeoutMilliseconds?: number | undefined
  /** Receives the error of each connection that broke while idle. */
  onFault: (error: Error) => void
  /** Receives what the operator should know or change, in one line each. */
  onWarning?: ((message: string) => void) | undefined
}

/** An open database. */
export interface OpenedDatabase {
  pool: Pool
  engine: Engine
}

/**
 * Brings the database's schema up to date and opens a pool of connections to it.
 *
 * @throws UnusableStore when the database cannot be reached, does not store text as UTF-8, has tables of another
 *   program, or has a schema of a newer release, or when another session holds locks on the tables that are to be
 *   migrated; nothing has changed then. Also when a pooler in between keeps no prepared statements or drops the timeout
 *   of statements
 */
export async function openDatabase({ url, onFault, ...options }: DatabaseOptions): Promise<OpenedDatabase> {
  const { urls, isWritable } = readHosts(url)
  const config: ClientConfig = {
    connectionString: urls[0],
    connectionTimeoutMillis: options.connectTimeoutMilliseconds,
    keepAlive: true,
    fallback_application_name: 'plant-store',
  }
  const ChosenClient = clientClass(urls, isWritable, config)
  const { place, engine } = await prepareSchema(
    () => new ChosenClient({ ...config, query_timeout: schemaAnswerMilliseconds }),
    options,
  )
  const sockets = new Sockets()
  const pool = new Pool({
    ...config,
    Client: ChosenClient,
    stream: sockets.create,
    max: options.maxConnections,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: options.connectionSeconds,
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
  pool.on('release', (error) => {
    // Half of the time, because an answer may have been read late in the iteration in which the statement was sent.
    if (isAnswerTimeout(error)) sockets.closeIfSilent(options.answerTimeoutMilliseconds / 2)
  })
  try {
    if (options.maxConnections > 1) await checkSessions(pool, place)
  } catch (error) {
    await pool.end()
    throw unusable(place, error)
  }
  return { pool, engine }
}

async function prepareSchema(
  create: () => Client,
  {
    migrationTimeoutMilliseconds = 30_000,
    onWarning = () => undefined,
  }: Pick<DatabaseOptions, 'migrationTimeoutMilliseconds' | 'onWarning'>,
): Promise<{ engine: Engine; place: string }> {
  const client = createClient(create)
  // The query that waits for an answer reports the loss of the connection.
  client.on('error', () => undefined)
  const placeOf = () => `${client.host}:${String(client.port)}/${client.database ?? ''}`
  try {
    await client.connect()
    const place = placeOf()
    const engine = await readEngine(client)
    assertEncoding(engine, place)
    const deadline = performance.now() + migrationTimeoutMilliseconds
    await migrate(client, place, { engine, deadline, onWait: onWarning })
    const { isSharded, warnings } = engine.name === 'Citus' ? await readLayout(client) : { ...engine, warnings: [] }
    for (const warning of warnings) onWarning(warning)
    return { engine: { ...engine, isSharded }, place }
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

function assertEncoding({ encoding }: Engine, place: string): void {
  if (encoding === 'UTF8') return
  throw new UnusableStore(
    `the database ${place} keeps text as ${encoding}; this service needs one that was created with ENCODING 'UTF8'`,
  )
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
