import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spreadOf } from '../../measure/report/spread.ts'
import { processTimes, timeBetween } from '../../measure/servers/process-figures.ts'
import type { ServerProcess } from '../../measure/servers/server-process.ts'
import type { CitusCluster } from './citus-cluster.ts'
import { type PostgresNode, startNode } from '../../measure/servers/postgres-node.ts'
import { issueTokens, startWriters } from './writers.ts'

/** Where `npm run verify:citus -- --write` keeps what it measured. */
export const costsFile = join(import.meta.dirname, '../../../docs/bench/citus.json')

const callers = 64
const rounds = 5
const milliseconds = 2_000

/** The file of costs. */
export interface MeasuredCosts {
  date: string
  /** Of Citus, PostgreSQL and Node. */
  version: string
  costs: Costs
}

/** CPU for a request, in microseconds. */
export interface Cost {
  /** Of the process of this service. */
  server: number
  /** Of the one PostgreSQL, or of the coordinator. */
  coordinator: number
  /** Of all workers together. */
  workers: number
}

/** The medians of what a request costs. */
export interface Costs {
  single: Cost
  throughCoordinator: Cost
  throughWorker: Cost
}

/**
 * Measures what a request costs, half creates and half lists of at most 20, each of 64 callers in turn: on one
 * PostgreSQL, on Citus through the coordinator and on Citus through a worker, round by round in turn.
 */
export async function measureCosts(
  bin: string,
  folder: string,
  { coordinator, workers }: CitusCluster,
  serve: (url: string, name: string) => Promise<ServerProcess>,
): Promise<Costs> {
  const alone = await startNode({ bin, folder, name: 'alone', settings: ['max_connections=300'] })
  const groups: { name: keyof Costs; url: string; first: PostgresNode; others: PostgresNode[] }[] = [
    { name: 'single', url: alone.url, first: alone, others: [] },
    { name: 'throughCoordinator', url: coordinator.url, first: coordinator, others: workers },
    { name: 'throughWorker', url: workers[0]!.url, first: coordinator, others: workers },
  ]
  const servers: ServerProcess[] = []
  try {
    const costs: Record<keyof Costs, Cost[]> = { single: [], throughCoordinator: [], throughWorker: [] }
    for (const { name, url } of groups) servers.push(await serve(url, name))
    for (let round = 0; round < rounds; round++) {
      for (const [index, { name, url, first, others }] of groups.entries()) {
        const names = Array.from({ length: callers }, (_, number) => `${name} ${String(round)} ${String(number)}`)
        costs[name].push(await measureGroup(servers[index]!, first, others, await issueTokens(url, names)))
      }
    }
    const median = (name: keyof Costs, part: keyof Cost) =>
      Math.round(spreadOf(costs[name].map((cost) => cost[part])).median)
    const medians = (name: keyof Costs): Cost => ({
      server: median(name, 'server'),
      coordinator: median(name, 'coordinator'),
      workers: median(name, 'workers'),
    })
    return {
      single: medians('single'),
      throughCoordinator: medians('throughCoordinator'),
      throughWorker: medians('throughWorker'),
    }
  } finally {
    for (const server of servers) await server.stop()
    await alone.kill()
  }
}

async function measureGroup(
  server: ServerProcess,
  first: PostgresNode,
  others: PostgresNode[],
  tokens: Awaited<ReturnType<typeof issueTokens>>,
): Promise<Cost> {
  const read = () => ({
    server: server.scheduling().running,
    first: processTimes(first.processId()),
    others: others.map((node) => processTimes(node.processId())),
  })
  const writers = startWriters(server.port, tokens, true, 0)
  await sleep(milliseconds / 4)
  const [start, before] = [read(), writers.sent.length]
  await sleep(milliseconds)
  const [end, after] = [read(), writers.sent.length]
  await writers.stop()
  const requests = after - before
  const used = end.others.reduce((sum, times, index) => sum + timeBetween(start.others[index]!, times), 0)
  return {
    server: (end.server - start.server) / requests,
    coordinator: timeBetween(start.first, end.first) / requests,
    workers: used / requests,
  }
}
