import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Contender, own } from '../contenders/contenders.ts'
import { addPlants, createDatabaseFile } from '../contenders/database-file.ts'
import { environmentOf } from '../contenders/running-contender.ts'
import { freePort, projectFolder } from '../../scripts/measure/servers/server-process.ts'
import { listedPlants } from '../workloads.ts'
import type { BenchRun } from './bench-run.ts'

/** Milliseconds from `node FILE` to the first answer, one for each start. */
export interface StartRounds {
  contender: string
  milliseconds: number[]
}

const retryMilliseconds = 2
const timeoutMilliseconds = 30_000

/** Starts the project on a file with plants, once for each round, until it answers a list. */
export async function measureStart({ folder, rounds, onProgress }: BenchRun): Promise<StartRounds> {
  onProgress('from the start to the first answer')
  const database = await createDatabaseFile(join(folder, 'start.db'), 'own')
  addPlants(database.file, 'reader', 1, listedPlants)
  const milliseconds: number[] = []
  for (let round = 0; round < rounds; round++)
    milliseconds.push(await timeStart(own, environmentOf(own, database), database.tokens.reader))
  return { contender: own.name, milliseconds }
}

async function timeStart(contender: Contender, environment: Record<string, string>, token: string): Promise<number> {
  const port = await freePort()
  const start = performance.now()
  const child = spawn(process.execPath, contender.arguments, {
    cwd: projectFolder,
    env: { PATH: process.env['PATH'], PORT: String(port), ...environment },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  try {
    for (;;) {
      const status = await fetch(`http://127.0.0.1:${String(port)}/plants?limit=20`, {
        headers: { authorization: `Bearer ${token}` },
      }).then(
        async (response) => {
          await response.arrayBuffer()
          return response.status
        },
        () => undefined,
      )
      const milliseconds = performance.now() - start
      if (status === 200) return milliseconds
      if (child.exitCode !== null || milliseconds > timeoutMilliseconds)
        throw new Error(`the server did not start; its last answer was ${String(status)}`)
      await wait(retryMilliseconds)
    }
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}
