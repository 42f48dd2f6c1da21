import { type Contender, contenders } from '../contenders/contenders.ts'
import { addPlants } from '../contenders/database-file.ts'
import { type Measurement, type RunningContender, measure, startContender } from '../contenders/running-contender.ts'
import { type Workload, listedPlants, workloads } from '../workloads.ts'
import { type BenchRun, roundName } from './bench-run.ts'

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
 * @param only the names of the workloads; undefined for all
 */
export async function measureThroughput(
  run: BenchRun,
  only: ReadonlySet<string> | undefined,
): Promise<{ throughput: ThroughputRounds[]; memory: MemoryFigures[] }> {
  const chosen = workloads.filter(({ name }) => only === undefined || only.has(name))
  if (chosen.length === 0) return { throughput: [], memory: [] }
  const running: RunningContender[] = []
  try {
    for (const contender of contenders) {
      run.onProgress(`starting ${contender.name}`)
      running.push(
        await startContender(contender, run.folder, ({ file }) => {
          addPlants(file, 'reader', 1, listedPlants)
        }),
      )
    }
    const idle = running.map(({ server }) => server.memory().resident)
    const throughput: ThroughputRounds[] = []
    const ids = new IdRanges()
    for (const workload of chosen) throughput.push(...(await measureWorkload(run, workload, running, ids)))
    const memory = running.map(({ contender, server }, index) => ({
      contender: contender.name,
      idle: idle[index] ?? 0,
      peak: server.memory().peak,
    }))
    return { throughput, memory }
  } finally {
    for (const { server } of running) await server.stop()
  }
}

/** Each round measures all contenders and begins with another one, so that other work of the machine disturbs all. */
async function measureWorkload(
  { rounds, milliseconds, generator, onProgress }: BenchRun,
  workload: Workload,
  running: readonly RunningContender[],
  ids: IdRanges,
): Promise<ThroughputRounds[]> {
  const figures = new Map<Contender, Measurement[]>(running.map(({ contender }) => [contender, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const index of running.keys()) {
      // The remainder is an index of the array.
      const current = running[(index + round) % running.length]!
      onProgress(`${workload.title}: ${roundName(round, rounds)}, ${current.contender.name}`)
      const firstId = ids.next(current, workload)
      if (workload.kind === 'delete') addPlants(current.database.file, 'writer', firstId, workload.maxRequests)
      const duration = round === 0 ? warmUpMilliseconds : milliseconds
      const measurement = await measure(current, workload, firstId, duration, generator)
      if (round > 0) figures.get(current.contender)?.push(measurement)
    }
  }
  const results = [...figures].map(([{ name }, measured]) => ({
    workload: workload.name,
    contender: name,
    rounds: measured,
  }))
  assertSameBodies(workload, results)
  return results
}

/** Gives each measurement of a contender ids that no earlier one has used. */
class IdRanges {
  readonly #next = new Map<RunningContender, number>()

  next(contender: RunningContender, { maxRequests }: Workload): number {
    const first = this.#next.get(contender) ?? 1
    this.#next.set(contender, first + maxRequests)
    return first
  }
}

function assertSameBodies({ name }: Workload, results: ThroughputRounds[]): void {
  const sizes = new Set(results.flatMap(({ rounds }) => rounds.map(({ bodyBytes }) => bodyBytes)))
  // Names have the digits of the id, so the answers to creates differ in length.
  if (name.startsWith('list') && sizes.size > 1)
    throw new Error(`${name}: the contenders did not answer the same; their bodies have ${[...sizes].join(', ')} bytes`)
}
