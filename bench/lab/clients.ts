import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../test/support/server/issue-tokens.ts'
import type { PostgresNode } from '../../test/support/server/postgres-node.ts'

/** What is asked of a server. */
export interface Question {
  method: string
  path: string
  /** JSON. */
  body?: string
}

/** Sends one request. @returns the status, 0 if the answer was not whole, and when it was sent and answered */
export async function ask(
  port: number,
  token: string | undefined,
  { method, path, body }: Question,
): Promise<{ status: number; from: number; to: number }> {
  const from = performance.now()
  const status = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(30_000),
  }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
  return { status, from, to: performance.now() }
}

/** A request that a client has sent. */
export interface Sent {
  caller: Caller
  kind: 'create' | 'list'
  /** Of a create. */
  id: number
  /** When it was sent and answered, in milliseconds of `performance.now()`. */
  from: number
  to: number
  /** 0 if it was not answered. */
  status: number
}

/** Creates a plant whose name is its id. */
export function create(id: number): Question {
  return { method: 'POST', path: '/plants', body: JSON.stringify({ id, name: String(id) }) }
}

const list: Question = { method: 'GET', path: '/plants?limit=20' }

/** Callers who send one request after the other. */
export interface Clients extends AsyncDisposable {
  sent: Sent[]
  stop: () => Promise<void>
}

/**
 * Each caller creates plants, and lists them after every create where `lists` says so.
 *
 * @param pauseMilliseconds between the creates of one caller
 */
export function startClients(port: number, callers: Caller[], lists: boolean, pauseMilliseconds: number): Clients {
  const sent: Sent[] = []
  const stopped = new AbortController()
  const all = Promise.all(
    callers.map(async (caller) => {
      for (let id = 1; !stopped.signal.aborted; id++) {
        sent.push({ caller, kind: 'create', id, ...(await ask(port, caller.token, create(id))) })
        if (lists) sent.push({ caller, kind: 'list', id: 0, ...(await ask(port, caller.token, list)) })
        await sleep(pauseMilliseconds)
      }
    }),
  )
  const stop = async () => {
    stopped.abort()
    await all
  }
  return { sent, stop, [Symbol.asyncDispose]: stop }
}

/** How many requests had each status, as `200: 5, 503: 1`. */
export function countStatuses(sent: Sent[]): string {
  const counts = Map.groupBy(sent, ({ status }) => status)
  return [...counts]
    .map(([status, { length }]) => `${status === 0 ? 'none' : String(status)}: ${String(length)}`)
    .join(', ')
}

/** The acknowledged creates, and those of them that a database does not have. */
export async function keptBy(
  node: Pick<PostgresNode, 'query'>,
  sent: Sent[],
): Promise<{ acknowledged: Sent[]; lost: Sent[] }> {
  const acknowledged = sent.filter(({ kind, status }) => kind === 'create' && status === 200)
  const rows = await node.query<{ key: string }>(`SELECT caller || ' ' || id AS key FROM plants`)
  const stored = new Set(rows.map(({ key }) => key))
  return { acknowledged, lost: acknowledged.filter(({ caller, id }) => !stored.has(`${caller.name} ${String(id)}`)) }
}

/** How long after an instant the last request has failed; 0 if none has. */
export function lastFailureAfter(sent: Sent[], instant: number): number {
  return Math.max(0, ...sent.filter(({ status }) => status !== 200).map(({ to }) => to - instant))
}

/** The longest time from a request to its answer, in milliseconds. */
export function slowest(sent: Pick<Sent, 'from' | 'to'>[]): number {
  return Math.max(...sent.map(({ from, to }) => to - from))
}

/** @returns the status of `/readyz`, 0 where nobody answers */
export async function readiness(port: number): Promise<number> {
  return (await ask(port, undefined, { method: 'GET', path: '/readyz' })).status
}

/** @returns names of callers, of whom a run needs so many */
export function callersOf(count: number, prefix = 'caller'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix} ${String(index)}`)
}
