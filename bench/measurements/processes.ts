import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../../scripts/measure/servers/postgres-server.ts'
import type { LoadGenerator } from '../../scripts/measure/load/start-load.ts'
import { processTimes, timeBetween } from '../../scripts/measure/servers/process-figures.ts'
import { generatorBusy, requestsPerSecond, runWorkload } from '../contenders/running-contender.ts'
import { startGroup } from '../contenders/server-group.ts'
import type { ServerProcess } from '../../scripts/measure/servers/server-process.ts'
import { type SharedDatabase, createPostgresDatabase, createSqliteDatabase } from '../contenders/shared-database.ts'
import { type Workload, create, list20, listedPlants, remove } from '../workloads.ts'
import { type WaitFigures, measureWaits } from './waits.ts'

/** What servers that share a port and a database take for a request, on each store, and what a request waits for. */
export interface ProcessesRounds {
  entries: ProcessesEntry[]
  waits: WaitFigures
}

export interface ProcessesEntry {
  work: string
  store: StoreName
  /** How many servers there were. */
  processes: number
  rounds: ProcessesMeasurement[]
}

export interface ProcessesMeasurement {
  requestsPerSecond: number
  /** CPU of all servers together for one request, in microseconds. */
  serverMicroseconds: number
  /** That of all PostgreSQL's processes; undefined for SQLite, which works in the server. */
  databaseMicroseconds: number | undefined
  /** Each server's share of the servers' CPU. */
  shares: number[]
  generatorBusy: number
}

type StoreName = 'SQLite' | 'PostgreSQL'

interface Group {
  store: StoreName
  database: SharedDatabase
  servers: ServerProcess[]
}

/** Enough for the kernel, which gives connections and not requests to the servers, to spread them about evenly. */
export const processesConnections = 64

const works: readonly { work: string; workload: Workload }[] = [
  { work: 'list, limit 20', workload: list20 },
  { work: 'create', workload: create },
  { work: 'delete', workload: remove },
]

const warmUpMilliseconds = 2_000

/** Measures one and two servers on SQLite and on a PostgreSQL that waits for the disk, round by round in turn. */
export async function measureProcesses(
  folder: string,
  rounds: number,
  milliseconds: number,
  generator: LoadGenerator,
  onProgress: (what: string) => void,
): Promise<ProcessesRounds> {
  onProgress('starting PostgreSQL')
  const postgres = await startPostgres({ isDurable: true })
  const groups: Group[] = []
  try {
    const waits = await measureWaits(folder, postgres.url, rounds)
    for (const processes of [1, 2]) {
      for (const store of ['SQLite', 'PostgreSQL'] as const) {
        onProgress(`starting ${nameOf(store, processes)}`)
        const name = `processes_${String(processes)}`
        const database =
          store === 'SQLite'
            ? await createSqliteDatabase(join(folder, `${name}.db`))
            : await createPostgresDatabase(postgres.url, name)
        await database.addPlants('reader', 1, listedPlants)
        groups.push({ store, database, servers: await startGroup(processes, database, folder) })
      }
    }
    for (const group of groups) await measureGroup(group, list20, 0, warmUpMilliseconds, generator, postgres)
    const entries: ProcessesEntry[] = []
    let firstId = 1
    for (const { work, workload } of works) {
      const measured = groups.map((group) => ({ group, rounds: [] as ProcessesMeasurement[] }))
      // Round 0 warms this workload up.
      for (let round = 0; round <= rounds; round++) {
        onProgress(
          `${work} of 1 and 2 processes: ${round === 0 ? 'warm-up' : `round ${String(round)} of ${String(rounds)}`}`,
        )
        for (const { group, rounds: results } of measured) {
          if (workload.kind === 'delete') await group.database.addPlants('writer', firstId, workload.maxRequests)
          const measurement = await measureGroup(group, workload, firstId, milliseconds, generator, postgres)
          if (round > 0) results.push(measurement)
        }
        firstId += workload.maxRequests
      }
      entries.push(
        ...measured.map(({ group: { store, servers }, rounds: results }) => ({
          work,
          store,
          processes: servers.length,
          rounds: results,
        })),
      )
    }
    return { entries, waits }
  } finally {
    for (const { servers } of groups) for (const server of servers) await server.stop()
    await postgres.remove()
  }
}

async function measureGroup(
  { store, database, servers }: Group,
  workload: Workload,
  firstId: number,
  milliseconds: number,
  generator: LoadGenerator,
  postgres: PostgresServer,
): Promise<ProcessesMeasurement> {
  const read = () => ({
    servers: servers.map((server) => server.scheduling().running),
    database: processTimes(postgres.processId()),
  })
  const before = read()
  // A group has at least one server.
  const loaded = { name: nameOf(store, servers.length), port: servers[0]!.port, tokens: database.tokens }
  const result = await runWorkload(
    loaded,
    { ...workload, connections: processesConnections },
    firstId,
    milliseconds,
    generator,
  )
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
