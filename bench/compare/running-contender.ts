import { join } from 'node:path'
import type { LoadGenerator } from '../load/start-load.ts'
import { type ServerProcess, startServer } from '../servers/server-process.ts'
import type { Contender } from './contenders.ts'
import { type DatabaseFile, createDatabaseFile } from './database-file.ts'
import { type Workload, callerOf, operationOf } from './workloads.ts'

/** What all measurements of one run share. */
export interface BenchRun {
  /** A temporary folder for database files and logs. */
  folder: string
  rounds: number
  /** How long each measurement takes. */
  milliseconds: number
  generator: LoadGenerator
}

/** A contender with its server, which ends with it, and its database file. */
export interface RunningContender extends AsyncDisposable {
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
  return { contender, database, server, [Symbol.asyncDispose]: () => server.stop() }
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

/** The time between the last answer and the reading of CPU, in which the server writes its log. */
const settleMilliseconds = 20

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
  maxMilliseconds: number,
  generator: LoadGenerator,
): Promise<Measurement> {
  const before = server.scheduling()
  const { requests, milliseconds, statuses, firstBodyBytes, generatorMicroseconds } = await generator.run({
    port: server.port,
    token: database.tokens[callerOf(workload)],
    operation: operationOf(workload, firstId),
    connections: workload.connections,
    maxRequests: workload.maxRequests,
    maxMilliseconds,
  })
  if (statuses[String(workload.status)] !== requests)
    throw new Error(
      `${workload.name} of ${contender.name}: ${String(requests)} answers have the statuses ${JSON.stringify(statuses)}`,
    )
  await new Promise((resolve) => setTimeout(resolve, settleMilliseconds))
  const after = server.scheduling()
  return {
    microseconds: (after.running - before.running) / requests,
    requestsPerSecond: (requests / milliseconds) * 1_000,
    generatorBusy: generatorMicroseconds / (milliseconds * 1_000),
    serverWaiting: (after.waiting - before.waiting) / (milliseconds * 1_000),
    bodyBytes: firstBodyBytes,
  }
}
