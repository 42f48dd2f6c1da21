import { join } from 'node:path'
import type { Contender } from './contenders.ts'
import { type CallerTokens, type DatabaseFile, createDatabaseFile } from './database-file.ts'
import type { LoadResult } from '../../scripts/measure/load/http-load.ts'
import type { LoadGenerator } from '../../scripts/measure/load/start-load.ts'
import { type ServerProcess, startServer } from '../../scripts/measure/servers/server-process.ts'
import { type Workload, callerOf, operationOf } from '../workloads.ts'

/** A contender with its server and its database file. */
export interface RunningContender {
  contender: Contender
  server: ServerProcess
  database: DatabaseFile
}

/** Creates a contender's file, calls `fill` to add plants, and starts its server. */
export async function startContender(
  contender: Contender,
  folder: string,
  fill: (database: DatabaseFile) => void,
): Promise<RunningContender> {
  const name = contender.name.replaceAll(/\W+/g, '-')
  const database = await createDatabaseFile(join(folder, `${name}.db`), contender.schema)
  fill(database)
  const server = await startServer({
    program: contender.program,
    arguments: contender.arguments,
    environment: environmentOf(contender, database),
    logFile: join(folder, `${name}.log`),
  })
  return { contender, database, server }
}

/** @returns the variables that name a contender's file: the project reads the one, the peers the other */
export function environmentOf(contender: Contender, { file }: DatabaseFile): Record<string, string> {
  return { DATABASE_URL: `sqlite:${file}`, DATABASE_FILE: file, ...contender.environment }
}

/** The figures of one measurement of one contender. */
export interface Measurement {
  /** Server CPU for one request, in microseconds. */
  microseconds: number
  requestsPerSecond: number
  /** The share of the time in which the load generator used its processor. Near 1 the generator was the limit. */
  generatorBusy: number
  /** The share of the time in which the server was ready to run, but another process had its processor. */
  serverWaiting: number
  bodyBytes: number
}

/**
 * Loads a running contender and measures its CPU.
 *
 * @param firstId the first id that the workload may use
 * @throws Error when an answer is not the one that the workload expects
 */
export async function measure(
  { contender, server, database }: RunningContender,
  workload: Workload,
  firstId: number,
  milliseconds: number,
  generator: LoadGenerator,
): Promise<Measurement> {
  const before = server.scheduling()
  const result = await runWorkload(
    { name: contender.name, port: server.port, tokens: database.tokens },
    workload,
    firstId,
    milliseconds,
    generator,
  )
  const after = server.scheduling()
  return {
    microseconds: (after.running - before.running) / result.requests,
    requestsPerSecond: requestsPerSecond(result),
    generatorBusy: generatorBusy(result),
    serverWaiting: (after.waiting - before.waiting) / (result.milliseconds * 1_000),
    bodyBytes: result.firstBodyBytes,
  }
}

/** A server under load. */
export interface Loaded {
  name: string
  port: number
  tokens: CallerTokens
}

/** The time between the last answer and the reading of CPU, in which the server writes its log. */
const settleMilliseconds = 20

/**
 * Sends a workload to a server, and waits until the server has written its log.
 *
 * @throws Error when an answer is not the one that the workload expects
 */
export async function runWorkload(
  { name, port, tokens }: Loaded,
  workload: Workload,
  firstId: number,
  milliseconds: number,
  generator: LoadGenerator,
): Promise<LoadResult> {
  const result = await generator.run({
    port,
    token: tokens[callerOf(workload)],
    operation: operationOf(workload, firstId),
    connections: workload.connections,
    maxRequests: workload.maxRequests,
    maxMilliseconds: milliseconds,
  })
  const { requests, statuses } = result
  if (statuses[String(workload.status)] !== requests)
    throw new Error(
      `${workload.name} of ${name}: ${String(requests)} answers have the statuses ${JSON.stringify(statuses)}`,
    )
  await new Promise((resolve) => setTimeout(resolve, settleMilliseconds))
  return result
}

export function requestsPerSecond({ requests, milliseconds }: LoadResult): number {
  return (requests / milliseconds) * 1_000
}

/** The share of the time in which the load generator used its processor. */
export function generatorBusy({ generatorMicroseconds, milliseconds }: LoadResult): number {
  return generatorMicroseconds / (milliseconds * 1_000)
}
