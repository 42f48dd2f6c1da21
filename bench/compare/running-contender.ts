import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadGenerator } from '../load/start-load.ts'
import { ask } from '../servers/clients.ts'
import { startProgram } from '../servers/program.ts'
import { memoryOf } from '../servers/process-figures.ts'
import { type ServerProcess, freePort, projectFolder, serverProcessor, startServer } from '../servers/server-process.ts'
import type { Contender } from './contenders.ts'
import { type BenchDatabase, createDatabase } from './database.ts'
import type { Figures } from './figures.ts'
import type { Work } from './works.ts'

/** A contender with its server and its database, which end with it. */
export interface RunningContender extends AsyncDisposable {
  contender: Contender
  server: ServerProcess
  database: BenchDatabase
}

/** Creates a contender's database, and starts its server. */
export async function startContender(contender: Contender, folder: string): Promise<RunningContender> {
  await using cleanup = new AsyncDisposableStack()
  const database = cleanup.use(await createDatabase(contender, folder))
  const server = await startServer({
    program: contender.program,
    arguments: contender.arguments,
    environment: { ...contender.environment, ...database.environment },
    logFile: join(folder, `${contender.name}.log`),
  })
  cleanup.defer(() => server.stop())
  const ending = cleanup.move()
  return { contender, database, server, [Symbol.asyncDispose]: () => ending.disposeAsync() }
}

/** The time between the last answer and the reading of CPU, in which the server writes its log. */
const settleMilliseconds = 20

/**
 * Loads a running contender and measures its CPU.
 *
 * @param firstId the first id that the work may use
 * @throws Error when an answer is not the one that the work expects
 */
export async function measureLoad(
  { server, database }: RunningContender,
  work: Work,
  firstId: number,
  maxMilliseconds: number,
  generator: LoadGenerator,
): Promise<{ figures: Figures; bodyBytes: number }> {
  const operation = work.operation(firstId)
  if (operation.kind === 'delete') await database.addPlants('writer', firstId, work.maxRequests)
  const before = server.scheduling()
  const { requests, milliseconds, statuses, firstBodyBytes } = await generator.run({
    port: server.port,
    token: database.tokens[operation.kind === 'list' ? 'reader' : 'writer'],
    operation,
    connections: work.connections,
    maxRequests: work.maxRequests,
    maxMilliseconds,
  })
  if (statuses[String(work.status)] !== requests)
    throw new Error(`${String(requests)} answers have the statuses ${JSON.stringify(statuses)}`)
  await sleep(settleMilliseconds)
  const after = server.scheduling()
  return {
    figures: {
      cpu: (after.running - before.running) / requests,
      rate: (requests / milliseconds) * 1_000,
      waiting: (after.waiting - before.waiting) / (milliseconds * 10),
    },
    bodyBytes: firstBodyBytes,
  }
}

/** How long after its first answer a server counts as idle. */
const idleMilliseconds = 200

/** Starts a contender's server without npm, and measures its first answer and its memory then. */
export async function measureStart(contender: Contender, database: BenchDatabase): Promise<Figures> {
  const port = await freePort()
  const { program = process.execPath, arguments: args, environment } = contender
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    SHUTDOWN_DELAY: '0',
    ...environment,
    ...database.environment,
  }
  let answered = 0
  const started = performance.now()
  const { pid, end } = await startProgram(
    ['taskset', '-c', serverProcessor, program, ...args],
    { cwd: projectFolder, env, pollMilliseconds: 2 },
    async () => {
      const { status, to } = await ask(port, database.tokens.reader, { method: 'GET', path: '/plants?limit=20' })
      answered = to
      return status === 200
    },
  )
  await sleep(idleMilliseconds)
  const memory = memoryOf(pid, 'VmRSS')
  await end()
  return { start: answered - started, memory }
}
