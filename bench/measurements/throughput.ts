import { type Contender, contenders } from '../contenders/contenders.ts'
import { addPlants } from '../contenders/database-file.ts'
import type { LoadGenerator } from '../../scripts/measure/load/start-load.ts'
import { type Measurement, type RunningContender, measure, startContender } from '../contenders/running-contender.ts'
import { type Workload, listedPlants, workloads } from '../workloads.ts'

/** What each round of one workload gave for one contender. */
export interface ThroughputRounds {
  workload: string
  contender: string
  rounds: Measurement[]
}

export interface MemoryFigures {
  contender: string
  /** Resident before the first workload and the most until the end of the last, in bytes. */
  idle: number
  peak: number
}

export interface ThroughputOptions {
  only: ReadonlySet<string> | undefined
  rounds: number
  milliseconds: number
  folder: string
  generator: LoadGenerator
  onProgress: (what: string) => void
}

/** How long each server does a workload before it is measured, so that its code is compiled. */
const warmUpMilliseconds = 1_500

/**
 * Has every contender do every workload, in rounds that take the contenders in turn, each time from another one on:
 * what disturbs the machine then disturbs all of them.
 */
export async function measureThroughput({
  only,
  rounds,
  milliseconds,
  folder,
  generator,
  onProgress,
}: ThroughputOptions): Promise<{ throughput: ThroughputRounds[]; memory: MemoryFigures[] }> {
  const chosen = workloads.filter(({ name }) => only === undefined || only.has(name))
  if (chosen.length === 0) return { throughput: [], memory: [] }
  const running: RunningContender[] = []
  try {
    for (const contender of contenders) {
      onProgress(`starting ${contender.name}`)
      running.push(
        await startContender(contender, folder, ({ file }) => {
          addPlants(file, 'reader', 1, listedPlants)
        }),
      )
    }
    const idle = running.map(({ server }) => server.memory().resident)
    const throughput: ThroughputRounds[] = []
    const ids = new IdRanges()
    for (const workload of chosen) {
      const figures = new Map<Contender, Measurement[]>(contenders.map((contender) => [contender, []]))
      // Round 0 warms this workload up.
      for (let round = 0; round <= rounds; round++) {
        for (const index of running.keys()) {
          // The remainder is an index of the array.
          const current = running[(index + round) % running.length]!
          onProgress(
            `${workload.title}: ${round === 0 ? 'warm-up' : `round ${String(round)} of ${String(rounds)}`}, ${current.contender.name}`,
          )
          const firstId = ids.next(current, workload)
          if (workload.kind === 'delete') addPlants(current.database.file, 'writer', firstId, workload.maxRequests)
          const measurement = await measure(
            current,
            workload,
            firstId,
            round === 0 ? warmUpMilliseconds : milliseconds,
            generator,
          )
          if (round > 0) figures.get(current.contender)?.push(measurement)
        }
      }
      const results = contenders.map((contender) => ({
        workload: workload.name,
        contender: contender.name,
        rounds: figures.get(contender) ?? [],
      }))
      assertSameBodies(workload, results)
      throughput.push(...results)
    }
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

/** Ids that no earlier measurement of the same contender has used. */
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
  // Plants whose ids have more digits have longer names, so only lists answer the same each time.
  if (name.startsWith('list') && sizes.size > 1)
    throw new Error(`${name}: the contenders did not answer the same; their bodies have ${[...sizes].join(', ')} bytes`)
}
