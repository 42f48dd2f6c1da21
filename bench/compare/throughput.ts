import { contenders } from './contenders.ts'
import { addPlants } from './database-file.ts'
import { type BenchRun, type Measurement, type RunningContender, measure, startContender } from './running-contender.ts'
import { type Workload, listedPlants, workloads } from './workloads.ts'

/** The figures of one contender in one workload, one for each round. */
export interface ThroughputRounds {
  workload: string
  contender: string
  rounds: Measurement[]
}

export interface MemoryFigures {
  contender: string
  /** Resident memory before the first workload, and the peak of all workloads, in bytes. */
  idle: number
  peak: number
}

/** How long each server does a workload before it is measured, so that its code is compiled. */
const warmUpMilliseconds = 1_500

/**
 * Measures every workload on every contender.
 *
 * @param isChosen says of which workloads, by their names
 */
export async function measureThroughput(
  run: BenchRun,
  isChosen: (name: string) => boolean,
): Promise<{ throughput: ThroughputRounds[]; memory: MemoryFigures[] }> {
  const chosen = workloads.filter(({ name }) => isChosen(name))
  if (chosen.length === 0) return { throughput: [], memory: [] }
  await using stack = new AsyncDisposableStack()
  const running: RunningContender[] = []
  for (const contender of contenders) {
    const started = await startContender(contender, run.folder, ({ file }) => {
      addPlants(file, 'reader', 1, listedPlants)
    })
    running.push(stack.use(started))
  }
  const idle = running.map(({ server }) => server.memory().resident)
  const throughput: ThroughputRounds[] = []
  let firstId = 1
  for (const workload of chosen) {
    console.error(workload.title)
    throughput.push(...(await measureWorkload(run, workload, running, firstId)))
    // No measurement of a contender uses the ids of an earlier one.
    firstId += (run.rounds + 1) * workload.maxRequests
  }
  const memory = running.map(({ contender, server }, index) => ({
    contender: contender.name,
    idle: idle[index] ?? 0,
    peak: server.memory().peak,
  }))
  return { throughput, memory }
}

/** Each round measures all contenders and begins with another one, so that other work of the machine disturbs all. */
async function measureWorkload(
  { rounds, milliseconds, generator }: BenchRun,
  workload: Workload,
  running: readonly RunningContender[],
  firstId: number,
): Promise<ThroughputRounds[]> {
  const results = running.map(({ contender }): ThroughputRounds => ({
    workload: workload.name,
    contender: contender.name,
    rounds: [],
  }))
  for (let round = 0; round <= rounds; round++) {
    for (const turn of running.keys()) {
      const index = (turn + round) % running.length
      // The remainder is an index of both arrays.
      const [current, result] = [running[index]!, results[index]!]
      const first = firstId + round * workload.maxRequests
      if (workload.kind === 'delete') addPlants(current.database.file, 'writer', first, workload.maxRequests)
      const duration = round === 0 ? warmUpMilliseconds : milliseconds
      const measurement = await measure(current, workload, first, duration, generator)
      if (round > 0) result.rounds.push(measurement)
    }
  }
  assertSameBodies(workload, results)
  return results
}

function assertSameBodies({ name }: Workload, results: ThroughputRounds[]): void {
  const sizes = new Set(results.flatMap(({ rounds }) => rounds.map(({ bodyBytes }) => bodyBytes)))
  // Names have the digits of the id, so the answers to creates differ in length.
  if (name.startsWith('list') && sizes.size > 1)
    throw new Error(`${name}: the contenders did not answer the same; their bodies have ${[...sizes].join(', ')} bytes`)
}
