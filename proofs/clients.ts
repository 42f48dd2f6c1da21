import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { DatabaseLocation } from '../src/store/location.ts'
import { type Exchange, ask, create, list } from '../test/support/client/ask.ts'
import { report } from '../test/support/run-named.ts'
import { type Caller, issueTokens } from '../test/support/server/issue-tokens.ts'
import type { PostgresNode } from '../test/support/server/postgres-node.ts'

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
      sent.push({ caller, kind: 'list', id: 0, ...(await ask(port, caller.token, list(20))) })
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

/** Issues tokens for this many callers. */
export function issueCallers(location: DatabaseLocation, count: number, prefix = 'caller'): Promise<Caller[]> {
  return issueTokens(
    location,
    Array.from({ length: count }, (_, index) => `${prefix} ${String(index)}`),
  )
}

/** @returns the version that a program prints, such as `1.24.1` */
export async function versionOf(program: string, flag: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, [flag])
  return /[0-9]+(?:\.[0-9]+)+/.exec(stdout + stderr)?.[0] ?? 'of an unknown version'
}
