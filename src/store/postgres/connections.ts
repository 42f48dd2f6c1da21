import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg'
import { hostUrls } from '../host-urls.ts'
import { UnusableStore } from '../store.ts'
import { stateOf } from './errors.ts'
import { statements } from './statements.ts'

/** Where a server listens. */
interface Place {
  host: string
  port: number
}

type Connected = Parameters<Client['connect']>[0] & ((error: Error) => void)

/** How long to wait before a host that did not accept writes is asked again. */
const pauseMilliseconds = 100

/**
 * The URL of each host that a URL names, and whether only one that accepts writes is to be used.
 *
 * @throws UnusableStore when `target_session_attrs` asks for anything else
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
 * The class of a pool's clients: `Client`, or with hosts to choose from one that first finds the host that accepts
 * writes. Each new connection looks for it anew, so there is no state that a failover could make wrong.
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
        // Not in its type: ~/.pgpass is read for this host and port.
        Object.assign((this as unknown as { connectionParameters: Place }).connectionParameters, place)
      })
      if (callback === undefined) return placed.then(() => super.connect())
      // The pool listens for errors in the callback, so it has to be called by `Client` itself.
      void placed.then(() => {
        super.connect(callback)
      }, callback)
      return undefined
    }
  }
}

/**
 * Asks all hosts at once, again and again, until one accepts writes: the primary, or the standby that is promoted
 * meanwhile.
 *
 * @throws AggregateError with the last error of each host once the time is over
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
      // The query that waits for an answer reports the loss of the connection.
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

/** The sockets of a pool, and when the server was last heard from on any of them. */
export class Sockets {
  readonly #open = new Set<Socket>()
  #heardAt = performance.now()

  /** Makes a socket, for the option `stream` of `Client`. */
  readonly create = (): Socket => {
    const socket = new Socket()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    socket.on('data', () => (this.#heardAt = performance.now()))
    return socket
  }

  /**
   * Closes all sockets if nothing was received on any of them for so long: the server hangs, and every statement would
   * wait for its timeout. A server that still answers on another connection is only slow with one statement.
   */
  closeIfSilent(milliseconds: number): void {
    if (performance.now() - this.#heardAt < milliseconds) return
    for (const socket of this.#open) socket.destroy()
  }
}

/** What PgBouncer and PostgreSQL answer where a pooler spreads one client's statements over several sessions. */
const lostStatements = {
  invalid_sql_statement_name: '26000',
  duplicate_prepared_statement: '42P05',
}

/**
 * Checks that a pooler, if there is one, gives the pool's connections what they need: prepared statements, transactions
 * and a statement's timeout.
 *
 * @throws UnusableStore which names the setting that is missing
 */
export async function checkSessions(pool: Pool, place: string): Promise<void> {
  const fail = (problem: string, remedy: string, cause?: unknown): never => {
    throw new UnusableStore(`the ${problem}: ${remedy}; see docs/postgres.md, PgBouncer`, { cause })
  }
  // Those that were opened are given back when a further one is refused: the pool waits for them at its end.
  const clients: PoolClient[] = []
  try {
    for (let count = 0; count < 2; count++) clients.push(await pool.connect())
    // One after the other, so that each is given a session that the other has used.
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
    if (Object.values(lostStatements).includes(code)) {
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
