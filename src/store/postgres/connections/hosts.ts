import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { hostUrls } from '../../host-urls.ts'
import { UnusableStore } from '../../store.ts'
import { statements } from '../statements.ts'

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
 * Asks all hosts at once, again and again, until one accepts writes: the primary, or the standby that is promoted
 * meanwhile.
 *
 * @throws AggregateError with the last error of each host once the time is over
 */
async function findPrimary(urls: string[], config: ClientConfig, milliseconds: number): Promise<Place> {
  const deadline = performance.now() + milliseconds
  const found = new AbortController()
  try {
    return await Promise.any(urls.map((url) => waitForPrimary({ ...config, connectionString: url }, deadline, found)))
  } finally {
    found.abort()
  }
}

async function waitForPrimary(config: ClientConfig, deadline: number, found: AbortController): Promise<Place> {
  for (;;) {
    const left = Math.max(1, Math.ceil(deadline - performance.now()))
    const client = new Client({ ...config, connectionTimeoutMillis: left, query_timeout: left })
    // The query that waits for an answer reports the loss of the connection.
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ writable: boolean }>(statements.isWritable())
      if (rows[0]?.writable === true) return { host: client.host, port: client.port }
      throw new Error(`${client.host}:${String(client.port)} is a standby: it accepts no writes`)
    } catch (error) {
      if (found.signal.aborted || performance.now() + pauseMilliseconds > deadline) throw error
    } finally {
      void client.end()
    }
    await sleep(pauseMilliseconds)
  }
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
