import { join } from 'node:path'
import type { Contender } from '../contenders/contenders.ts'
import { addPlants } from '../contenders/database-file.ts'
import { type Measurement, type RunningContender, measure, startContender } from '../contenders/running-contender.ts'
import { list20, listedPlants } from '../workloads.ts'
import type { BenchRun } from './bench-run.ts'

/** List 20 with three operations in the contract and with a thousand, round by round. */
export interface ManyOperationsRounds {
  three: Measurement[]
  thousand: Measurement[]
}

const file = join(import.meta.dirname, '../contenders/many-operations-server.ts')

/** Measures what a request costs when the contract has 1,000 operations instead of three. */
export async function measureManyOperations(run: BenchRun): Promise<ManyOperationsRounds> {
  const { folder, rounds, milliseconds, generator } = run
  run.onProgress('list 20 with 3 and with 1,000 operations in the contract')
  const running: RunningContender[] = []
  try {
    for (const operations of [3, 1_000]) {
      const contender: Contender = {
        name: `${String(operations)} operations`,
        schema: 'own',
        arguments: [file],
        environment: { OPERATIONS: String(operations) },
      }
      running.push(
        await startContender(contender, folder, (database) => {
          addPlants(database.file, 'reader', 1, listedPlants)
        }),
      )
    }
    // Two were started.
    const [three, thousand] = running as [RunningContender, RunningContender]
    for (const contender of running) await measure(contender, list20, 0, 2_000, generator)
    const figures: ManyOperationsRounds = { three: [], thousand: [] }
    for (let round = 0; round < rounds; round++) {
      figures.three.push(await measure(three, list20, 0, milliseconds, generator))
      figures.thousand.push(await measure(thousand, list20, 0, milliseconds, generator))
    }
    return figures
  } finally {
    for (const { server } of running) await server.stop()
  }
}
