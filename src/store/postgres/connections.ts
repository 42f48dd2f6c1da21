import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg'
import { hostUrls } from '../location.ts'
import { UnusableStore } from '../store.ts'
import { stateOf } from './errors.ts'
import { statements } from './statements.ts'

/** A server's address. */
interface Place {
  host: string
  port: number
}

type Connected = Parameters<Client['connect']>[0] & ((error: Error) => void)

/** The pause before asking a host again that accepted no writes. */
const pauseMilliseconds = 100

/**
 * Splits a URL into one for each host, and reads whether the host must accept writes.
 *
 * @throws UnusableStore for another `target_session_attrs`, and for several hosts without it
 */
export function readHosts(url: string): { urls: [string, ...string[]]; isWritable: boolean } {
  const urls = hostUrls(url)
  const target = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).get('target_session_attrs') ?? 'any'
  const isWritable = target === 'read-write' || target === 'primary'
  if (isWritable || (target === 'any' && urls.length === 1)) return { urls, isWritable }
  throw new UnusableStore(
    `cannot open the database: its URL has ${target === 'any' ? 'several hosts' : `target_session_attrs=${target}`}; ` +
      'this service writes, so add target_session_attrs=read-write',
  )
}

/**
 * The class of a pool's clients: `Client`, or a subclass that first finds the host that accepts writes. Each new
 * connection searches again, so a failover makes no state stale.
 */
export function clientClass(urls: [string, ...string[]], isWritable: boolean, config: ClientConfig): typeof Client {
  if (!isWritable) return Client
  const milliseconds = config.connectionTimeoutMillis ?? 0
  return class extends Client {
    override connect(): Promise<Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<Client> | undefined {
      const placed = findPrimary(urls, config, milliseconds).then((place) => {
        Object.assign(this, place)
        // Missing from the type. pg searches ~/.pgpass for this host and port.
        Object.assign((this as unknown as { connectionParameters: Place }).connectionParameters, place)
      })
      if (callback === undefined) return placed.then(() => super.connect())
      // The pool takes errors from the callback, so `Client` itself must call it.
      void placed.then(() => {
        super.connect(callback)
      }, callback)
      return undefined
    }
  }
}

/**
 * Polls all hosts at once until one accepts writes: the primary, or a standby that is promoted meanwhile.
 *
 * @throws AggregateError with the last error of each host when time is up
 */
async function findPrimary(urls: string[], config: ClientConfig, milliseconds: number): Promise<Place> {
  const deadline = performance.now() + milliseconds
  let isFound = false

  async function waitFor(url: string): Promise<Place> {
    for (;;) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()))
      const client = new Client({
        ...config,
        connectionString: url,
        connectionTimeoutMillis: left,
        query_timeout: left,
      })
      // The pending query reports a lost connection.
      client.on('error', () => undefined)
      try {
        await client.connect()
        const { rows } = await client.query<{ writable: boolean }>(statements.isWritable())
        if (rows[0]?.writable === true) return { host: client.host, port: client.port }
        throw new Error(`${client.host}:${String(client.port)} is a standby: it accepts no writes`)
      } catch (error) {
        if (isFound || performance.now() + pauseMilliseconds > deadline) throw error
      } finally {
        void client.end()
      }
      await sleep(pauseMilliseconds)
    }
  }

  try {
    return await Promise.any(urls.map(waitFor))
  } finally {
    isFound = true
  }
}

/** The sockets of a pool, and the time of the last byte received on any of them. */
export class Sockets {
  readonly #open = new Set<Socket>()
  #heardAt = performance.now()

  /** Creates a socket, for the option `stream` of `Client`. */
  readonly create = (): Socket => {
    const socket = new Socket()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    socket.on('data', () => (this.#heardAt = performance.now()))
    return socket
  }

  /**
   * Closes all sockets if none has received anything for this long: the server hangs, and every statement would wait
   * for its timeout. If it still answers on another connection, only one statement is slow.
   */
  closeIfSilent(milliseconds: number): void {
    if (performance.now() - this.#heardAt < milliseconds) return
    for (const socket of this.#open) socket.destroy()
  }
}

/** The pause before connecting again after the last session was lost. */
const reconnectMilliseconds = 1_000

/**
 * Connects again whenever a pool has closed its last connection. So an idle server has a session, by which
 * `npm run move` finds it.
 */
export function keepSession(pool: Pool): void {
  const connect = () => {
    if (pool.ending || pool.totalCount > 0) return
    pool.connect().then(
      (client) => {
        client.release()
      },
      // The next request reports the fault.
      () => setTimeout(connect, reconnectMilliseconds).unref(),
    )
  }
  pool.on('remove', connect)
}

/**
 * `invalid_sql_statement_name` and `duplicate_prepared_statement`: a pooler spreads a client's statements over several
 * sessions.
 */
const lostStatements = ['26000', '42P05']

/**
 * Checks that a pooler, if there is one, keeps prepared statements and the timeout of statements.
 *
 * @throws UnusableStore naming the missing setting
 */
export async function checkSessions(pool: Pool, place: string): Promise<void> {
  const fail = (problem: string, remedy: string, cause?: unknown): never => {
    throw new UnusableStore(`the ${problem}: ${remedy}; see docs/postgres.md, PgBouncer`, { cause })
  }
  // All are released even if a further one is refused, because the pool's end waits for them.
  const clients: PoolClient[] = []
  try {
    for (let count = 0; count < 2; count++) clients.push(await pool.connect())
    // In turn, so that each gets a session that the other has used.
    for (const client of [...clients, ...clients]) await client.query(statements.isReady())
    const { rows } = await clients[0]!.query<{ statement_timeout: string }>('SHOW statement_timeout')
    if (rows[0]?.statement_timeout === '0') {
      fail(
        `sessions at ${place} have no statement_timeout`,
        'if a pooler drops it, set it in its connect_query or for the role',
      )
    }
  } catch (error) {
    const code = stateOf(error) ?? ''
    if (lostStatements.includes(code)) {
      fail(
        `pooler at ${place} loses prepared statements (${code})`,
        'PgBouncer keeps them from 1.21 on with max_prepared_statements above 0; before that use pool_mode = session',
        error,
      )
    }
    if (error instanceof Error && /unsupported startup parameter: statement_timeout/.test(error.message)) {
      fail(
        `pooler at ${place} refuses the start-up parameter statement_timeout`,
        'add it to ignore_startup_parameters, and set it in connect_query or for the role',
        error,
      )
    }
    throw error
  } finally {
    for (const client of clients) client.release()
  }
}

/** Runs asynchronous functions, at most `max` at a time. The others wait, first come first served. */
export function limitConcurrency(max: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running < max) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      // The next one runs instead, so `running` stays the same.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
