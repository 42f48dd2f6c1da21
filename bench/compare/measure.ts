import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOf, schedulingOf } from '../../test/support/server/process-figures.ts'
import { startProgram } from '../../test/support/server/program.ts'
import { type ServerProcess, freePort, projectFolder } from '../../test/support/server/start-process.ts'
import { ask } from '../../test/support/client/ask.ts'
import { type Lab, pinned } from '../../test/support/server/lab.ts'
import type { LoadGenerator } from '../load/start-load.ts'
import type { Contender } from './contenders.ts'
import type { BenchDatabase } from './database.ts'
import type { Figures } from './figures.ts'

/** A kind of load. */
export interface Work {
  name: string
  kind: 'list' | 'create' | 'delete'
  /** Of a list. */
  limit?: number
  connections: number
  /** The limit of requests of one measurement, and of the ids that it uses. */
  maxRequests: number
  isOnPostgres?: true
}

const [lists, writes] = [1_000_000, 40_000]

export const works: readonly Work[] = [
  { name: 'list-1', kind: 'list', limit: 1, connections: 32, maxRequests: lists },
  { name: 'list-20', kind: 'list', limit: 20, connections: 32, maxRequests: lists, isOnPostgres: true },
  { name: 'list-1000', kind: 'list', limit: 1_000, connections: 32, maxRequests: lists },
  { name: 'create', kind: 'create', connections: 32, maxRequests: writes, isOnPostgres: true },
  { name: 'delete', kind: 'delete', connections: 32, maxRequests: writes },
  { name: 'list-20-alone', kind: 'list', limit: 20, connections: 1, maxRequests: lists },
  { name: 'create-alone', kind: 'create', connections: 1, maxRequests: writes },
  { name: 'delete-alone', kind: 'delete', connections: 1, maxRequests: 2_000 },
]

/** Such as `list, limit 20, 32 connections`. */
export function titleOf({ kind, limit, connections }: Work): string {
  const what = limit === undefined ? kind : `${kind}, limit ${limit.toLocaleString('en')}`
  return `${what}, ${String(connections)} connection${connections === 1 ? '' : 's'}`
}

/** The expected status of every response. */
const statuses = { list: 200, create: 200, delete: 204 }

/** A contender and its database. */
export interface Entrant {
  contender: Contender
  database: BenchDatabase
}

/** The project reads DATABASE_URL, the peers DATABASE_FILE. */
function environmentOf({ contender, database: { url } }: Entrant): Record<string, string> {
  return { ...contender.environment, DATABASE_URL: url, DATABASE_FILE: url.replace('sqlite:', '') }
}

/** An entrant with a running server. */
export interface RunningEntrant extends Entrant {
  server: ServerProcess
}

/** Starts the server of an entrant on its own processor. It ends with the lab. */
export async function startEntrant(entrant: Entrant, lab: Lab): Promise<RunningEntrant> {
  const { contender, database } = entrant
  const command = pinned('server', contender.command)
  return { ...entrant, server: await lab.serve(database.url, contender.name, environmentOf(entrant), command) }
}

/** The pause before CPU is read, in which the server writes its log. */
export const settleMilliseconds = 20

/**
 * Loads a running entrant and measures its CPU.
 *
 * @param firstId the first id that the work may use
 * @throws Error when a response has an unexpected status
 */
export async function measureLoad(
  { server, database }: RunningEntrant,
  work: Work,
  firstId: number,
  maxMilliseconds: number,
  generator: LoadGenerator,
): Promise<{ figures: Figures; bodyBytes: number }> {
  const { kind, limit } = work
  const operation = kind === 'list' ? { kind, path: `/plants?limit=${String(limit)}` } : { kind, firstId }
  if (kind === 'delete') await database.addPlants('writer', firstId, work.maxRequests)
  const before = schedulingOf(server.pid)
  const {
    requests,
    milliseconds,
    statuses: counts,
    firstBodyBytes,
  } = await generator.run({
    port: server.port,
    token: database.tokens[kind === 'list' ? 'reader' : 'writer'],
    operation,
    connections: work.connections,
    maxRequests: work.maxRequests,
    maxMilliseconds,
  })
  if (counts[statuses[kind]] !== requests)
    throw new Error(`${String(requests)} responses have the statuses ${JSON.stringify(counts)}`)
  await sleep(settleMilliseconds)
  const after = schedulingOf(server.pid)
  return {
    figures: {
      cpu: (after.running - before.running) / requests,
      rate: (requests / milliseconds) * 1_000,
      waiting: (after.waiting - before.waiting) / (milliseconds * 10),
    },
    bodyBytes: firstBodyBytes,
  }
}

/** How long after its first response a server counts as idle. */
const idleMilliseconds = 200

/** Starts an entrant's server without npm, and measures its first response and its memory then. */
export async function measureStart(entrant: Entrant): Promise<Figures> {
  const { contender, database } = entrant
  const port = await freePort()
  const own = { PATH: process.env['PATH'], PORT: String(port), SHUTDOWN_DELAY: '0' }
  const options = { cwd: projectFolder, env: { ...own, ...environmentOf(entrant) }, pollMilliseconds: 2 }
  let responded = 0
  const started = performance.now()
  await using program = await startProgram(pinned('server', contender.command), options, async () => {
    const { status, to } = await ask(port, database.tokens.reader, { method: 'GET', path: '/plants?limit=20' })
    responded = to
    return status === 200
  })
  await sleep(idleMilliseconds)
  const memory = memoryOf(program.pid, 'VmRSS')
  // In order: a process that is killed saves no compiled code for the next start.
  await program.end()
  return { start: responded - started, memory }
}
