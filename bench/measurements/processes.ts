import { join } from 'node:path'
import { type PostgresNode, startPostgres } from '../../scripts/measure/servers/postgres-node.ts'
import { processTimes, timeBetween } from '../../scripts/measure/servers/process-figures.ts'
import { generatorBusy, requestsPerSecond, runWorkload } from '../contenders/running-contender.ts'
import { own } from '../contenders/contenders.ts'
import {
  type ServerProcess,
  loadProcessor,
  serverProcessor,
  startServer,
} from '../../scripts/measure/servers/server-process.ts'
import { type SharedDatabase, createPostgresDatabase, createSqliteDatabase } from '../contenders/shared-database.ts'
import { type Workload, create, list20, listedPlants, remove } from '../workloads.ts'
import { type BenchRun, roundName } from './bench-run.ts'
import { type WaitFigures, measureWaits } from './waits.ts'

/** CPU of servers that share a port and a database, on each store, and the waits of a request. */
export interface ProcessesRounds {
  entries: ProcessesEntry[]
  waits: WaitFigures
}

export interface ProcessesEntry {
  work: string
  store: StoreName
  /** The number of servers. */
  processes: number
  rounds: ProcessesMeasurement[]
}

export interface ProcessesMeasurement {
  requestsPerSecond: number
  /** CPU of all servers together for one request, in microseconds. */
  serverMicroseconds: number
  /** CPU of all PostgreSQL's processes for one request, in microseconds; undefined for SQLite. */
  databaseMicroseconds: number | undefined
  /** Each server's share of the servers' CPU. */
  shares: number[]
  generatorBusy: number
}

type StoreName = 'SQLite' | 'PostgreSQL'

interface Group {
  store: StoreName
  database: SharedDatabase
  postgres: PostgresNode
  servers: ServerProcess[]
}

/** The kernel distributes connections, not requests. With so many, each server has about the same number. */
export const processesConnections = 64

const works: readonly { work: string; workload: Workload }[] = [
  { work: 'list, limit 20', workload: list20 },
  { work: 'create', workload: create },
  { work: 'delete', workload: remove },
]

const warmUpMilliseconds = 2_000

/** Measures one and two servers on SQLite and on a PostgreSQL that waits for the disk. */
export async function measureProcesses(run: BenchRun): Promise<ProcessesRounds> {
  const { folder, rounds, onProgress } = run
  onProgress('starting PostgreSQL')
  const postgres = await startPostgres({ isDurable: true })
  const groups: Group[] = []
  try {
    const waits = await measureWaits(folder, postgres.url, rounds)
    for (const processes of [1, 2]) {
      for (const store of ['SQLite', 'PostgreSQL'] as const) {
        onProgress(`starting ${nameOf(store, processes)}`)
        groups.push(await createGroup(store, processes, postgres, folder))
      }
    }
    for (const group of groups) await measureGroup(group, list20, 0, warmUpMilliseconds, run)
    const entries: ProcessesEntry[] = []
    let firstId = 1
    for (const { work, workload } of works) {
      const results = new Map<Group, ProcessesMeasurement[]>(groups.map((group) => [group, []]))
      for (let round = 0; round <= rounds; round++) {
        onProgress(`${work} of 1 and 2 processes: ${roundName(round, rounds)}`)
        for (const group of groups) {
          if (workload.kind === 'delete') await group.database.addPlants('writer', firstId, workload.maxRequests)
          const measurement = await measureGroup(group, workload, firstId, run.milliseconds, run)
          if (round > 0) results.get(group)?.push(measurement)
        }
        firstId += workload.maxRequests
      }
      for (const [{ store, servers }, measured] of results)
        entries.push({ work, store, processes: servers.length, rounds: measured })
    }
    return { entries, waits }
  } finally {
    for (const { servers } of groups) for (const server of servers) await server.stop()
    await postgres.remove()
  }
}

async function createGroup(
  store: StoreName,
  processes: number,
  postgres: PostgresNode,
  folder: string,
): Promise<Group> {
  const name = `processes_${String(processes)}`
  const database =
    store === 'SQLite'
      ? await createSqliteDatabase(join(folder, `${name}.db`))
      : await createPostgresDatabase(postgres.url, name)
  await database.addPlants('reader', 1, listedPlants)
  return { store, database, postgres, servers: await startServers(processes, database, folder) }
}

/** Starts servers that share a port and a database. One server has the servers' processor, several have both. */
async function startServers(count: number, { url }: SharedDatabase, folder: string): Promise<ServerProcess[]> {
  const servers: ServerProcess[] = []
  const processors = count === 1 ? serverProcessor : `${serverProcessor},${loadProcessor}`
  const logFile = join(folder, 'processes.log')
  try {
    while (servers.length < count) {
      const port = String(servers[0]?.port ?? 0)
      const environment = { ...own.environment, DATABASE_URL: url, REUSE_PORT: '1', PORT: port }
      servers.push(await startServer({ arguments: own.arguments, environment, logFile, processors }))
    }
    return servers
  } catch (error) {
    for (const server of servers) await server.stop()
    throw error
  }
}

async function measureGroup(
  { store, database, postgres, servers }: Group,
  workload: Workload,
  firstId: number,
  milliseconds: number,
  { generator }: BenchRun,
): Promise<ProcessesMeasurement> {
  const read = () => ({
    servers: servers.map((server) => server.scheduling().running),
    database: processTimes(postgres.processId()),
  })
  const before = read()
  // A group has at least one server.
  const loaded = { name: nameOf(store, servers.length), port: servers[0]!.port, tokens: database.tokens }
  const connected = { ...workload, connections: processesConnections }
  const result = await runWorkload(loaded, connected, firstId, milliseconds, generator)
  const after = read()
  const used = after.servers.map((time, index) => time - (before.servers[index] ?? 0))
  const total = used.reduce((sum, time) => sum + time, 0)
  return {
    requestsPerSecond: requestsPerSecond(result),
    serverMicroseconds: total / result.requests,
    databaseMicroseconds:
      store === 'SQLite' ? undefined : timeBetween(before.database, after.database) / result.requests,
    shares: used.map((time) => time / total),
    generatorBusy: generatorBusy(result),
  }
}

function nameOf(store: StoreName, processes: number): string {
  return `${store}, ${String(processes)} ${processes === 1 ? 'process' : 'processes'}`
}
