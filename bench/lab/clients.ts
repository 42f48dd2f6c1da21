import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../test/support/server/issue-tokens.ts'
import type { PostgresNode } from '../../test/support/server/postgres-node.ts'

/** A request to a server. */
export interface Question {
  method: string
  path: string
  /** JSON. */
  body?: string
}

/** The times of a request and its response, in milliseconds of `performance.now()`, and the status. */
export interface Exchange {
  from: number
  to: number
  /** 0 without a complete response. */
  status: number
}

/** Sends one request. @returns its times, and the status and body of the response */
export async function ask(
  port: number,
  token: string | undefined,
  { method, path, body }: Question,
): Promise<Exchange & { text: string }> {
  const from = performance.now()
  const received = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(30_000),
  }).then(
    async (response) => ({ text: await response.text(), status: response.status }),
    () => ({ text: '', status: 0 }),
  )
  return { ...received, from, to: performance.now() }
}

/** @returns the status of `/readyz`, 0 without a response */
export async function readiness(port: number): Promise<number> {
  return (await ask(port, undefined, { method: 'GET', path: '/readyz' })).status
}

/** A request that creates a plant named after its id. */
export function create(id: number): Question {
  return { method: 'POST', path: '/plants', body: JSON.stringify({ id, name: String(id) }) }
}

const list: Question = { method: 'GET', path: '/plants?limit=20' }

/** A request that a client has sent. */
export interface Sent extends Exchange {
  caller: Caller
  kind: 'create' | 'list'
  /** Of a create. */
  id: number
}

/** Loads a server while `happen` runs. @returns all requests, and the start and end of `happen` */
export async function loadWhile(
  port: number,
  callers: readonly Caller[],
  { pause = 0, before = 0, after = 0 }: { pause?: number; before?: number; after?: number },
  happen: () => Promise<void>,
): Promise<{ sent: Sent[]; from: number; to: number }> {
  const sent: Sent[] = []
  const stopped = new AbortController()
  // Each caller creates one plant after the other and lists them after each.
  const clients = callers.map(async (caller) => {
    for (let id = 1; !stopped.signal.aborted; id++) {
      sent.push({ caller, kind: 'create', id, ...(await ask(port, caller.token, create(id))) })
      sent.push({ caller, kind: 'list', id: 0, ...(await ask(port, caller.token, list)) })
      await sleep(pause)
    }
  })
  try {
    await sleep(before)
    const from = performance.now()
    await happen()
    const to = performance.now()
    await sleep(after)
    return { sent, from, to }
  } finally {
    stopped.abort()
    await Promise.all(clients)
  }
}

/** Counts requests by status, such as `200: 5, 503: 1`. */
export function countStatuses(sent: readonly Exchange[]): string {
  const counts = Map.groupBy(sent, ({ status }) => status)
  return [...counts]
    .map(([status, { length }]) => `${status === 0 ? 'none' : String(status)}: ${String(length)}`)
    .join(', ')
}

/** Reports how many acknowledged creates a database has lost. */
export async function reportKept(name: string, node: PostgresNode, sent: readonly Sent[]): Promise<void> {
  const acknowledged = sent.filter(({ kind, status }) => kind === 'create' && status === 200)
  const rows = await node.query<{ key: string }>(`SELECT caller || ' ' || id AS key FROM plants`)
  const stored = new Set(rows.map(({ key }) => key))
  const lost = acknowledged.filter(({ caller, id }) => !stored.has(`${caller.name} ${String(id)}`)).length
  report(`${name}: acknowledged creates lost`, `${String(lost)} of ${String(acknowledged.length)}`, lost === 0)
}

/** The slowest response, in milliseconds. */
export function slowest(sent: readonly Exchange[]): number {
  return Math.round(Math.max(...sent.map(({ from, to }) => to - from)))
}

/**
 * Reports the effect of a fault on a load.
 *
 * @param node must have every acknowledged create
 * @param maxMilliseconds how long requests may fail after the fault
 */
export async function reportFault(
  name: string,
  node: PostgresNode,
  { sent, from, to }: Awaited<ReturnType<typeof loadWhile>>,
  maxMilliseconds: number,
): Promise<void> {
  const creates = sent.filter((each) => each.kind === 'create' && each.status === 200 && each.to > to)
  const last = Math.max(0, ...sent.filter(({ status }) => status !== 200).map((each) => each.to - to))
  const isClear = sent.every(({ status }) => status === 200 || status === 503)
  report(`${name}: requests`, countStatuses(sent), isClear)
  report(`${name}: until it is over, ms`, Math.round(to - from))
  report(`${name}: first create after it, ms`, Math.round(Math.min(...creates.map((each) => each.to - to))))
  report(`${name}: last failure after it, ms`, Math.round(last), last <= maxMilliseconds)
  report(`${name}: slowest response, ms`, slowest(sent))
  await reportKept(name, node, sent)
}

/** @returns the names of this many callers */
export function callersOf(count: number, prefix = 'caller'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix} ${String(index)}`)
}

/** Prints a figure. An unexpected one makes the exit code 1. */
export function report(what: string, value: string | number, isExpected = true): void {
  if (!isExpected) process.exitCode = 1
  console.log(`${isExpected ? ' ' : '!'} ${what.padEnd(76)} ${String(value)}`)
}
