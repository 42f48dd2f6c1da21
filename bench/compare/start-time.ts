import { join } from 'node:path'
import { ask } from '../servers/clients.ts'
import { startProgram } from '../servers/program.ts'
import { freePort, projectFolder, serverProcessor, startEnvironment } from '../servers/server-process.ts'
import { type Contender, own, ownUncached, peers } from './contenders.ts'
import { type DatabaseFile, addPlants, createDatabaseFile } from './database-file.ts'
import { type BenchRun, environmentOf } from './running-contender.ts'
import { listedPlants } from './workloads.ts'

/** Milliseconds from the start of a server's process to its first answer, one for each round. */
export interface StartRounds {
  contender: string
  milliseconds: number[]
}

const started: readonly Contender[] = [own, ownUncached, ...peers]

/**
 * Starts each server on a file with plants, once a round, until it answers a list. The first round is a warm-up: it
 * writes the compile cache.
 */
export async function measureStart({ folder, rounds }: BenchRun): Promise<StartRounds[]> {
  const starts: { contender: Contender; database: DatabaseFile; milliseconds: number[] }[] = []
  for (const [index, contender] of started.entries()) {
    const database = await createDatabaseFile(join(folder, `start-${String(index)}.db`), contender.schema)
    addPlants(database.file, 'reader', 1, listedPlants)
    starts.push({ contender, database, milliseconds: [] })
  }
  for (let round = 0; round <= rounds; round++) {
    for (const { contender, database, milliseconds } of starts) {
      const time = await timeStart(contender, database)
      if (round > 0) milliseconds.push(time)
    }
  }
  return starts.map(({ contender, milliseconds }) => ({ contender: contender.name, milliseconds }))
}

async function timeStart(contender: Contender, database: DatabaseFile): Promise<number> {
  const port = await freePort()
  const { program = process.execPath, arguments: args } = contender
  const environment = { PATH: process.env['PATH'], PORT: String(port), ...environmentOf(contender, database) }
  let answered = 0
  const start = performance.now()
  const { end } = await startProgram(
    ['taskset', '-c', serverProcessor, program, ...args],
    { cwd: projectFolder, env: { ...startEnvironment, ...environment }, pollMilliseconds: 2 },
    async () => {
      const { status, to } = await ask(port, database.tokens.reader, { method: 'GET', path: '/plants?limit=20' })
      answered = to
      return status === 200
    },
  )
  await end()
  return answered - start
}
