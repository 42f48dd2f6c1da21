import { statfsSync } from 'node:fs'
import { own } from '../contenders/contenders.ts'
import { addPlants } from '../contenders/database-file.ts'
import { type Measurement, type RunningContender, measure, startContender } from '../contenders/running-contender.ts'
import { type Workload, create, list20 } from '../workloads.ts'
import { type BenchRun, roundName } from './bench-run.ts'

/** List 20 and create on a file of 1,000 plants and on one of 10,000,000, round by round. */
export interface HugeRounds {
  list: { small: Measurement[]; huge: Measurement[] }
  create: { small: Measurement[]; huge: Measurement[] }
}

const smallPlants = 1_000
const hugePlants = 10_000_000

/** Between two plants of the small file 999 more fit: enough for all rounds. */
const createsPerRound = 20_000

/** More than the database file and its log take. */
const neededBytes = 8 * 2 ** 30

/**
 * Measures what 10,000,000 plants in the file add to a request. The ids of the plants are 1,000 apart. New plants fall
 * between them in no order, so each goes to another page.
 *
 * @throws Error when the disk of the folder has too little space
 */
export async function measureHuge(run: BenchRun): Promise<HugeRounds> {
  const { folder, rounds, onProgress } = run
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < neededBytes) throw new Error(`${folder} has less than ${String(neededBytes / 2 ** 30)} GiB free`)
  const running: RunningContender[] = []
  try {
    for (const plants of [smallPlants, hugePlants]) running.push(await startWith(plants, run))
    // Two were started.
    const [small, huge] = running as [RunningContender, RunningContender]
    const figures: HugeRounds = { list: { small: [], huge: [] }, create: { small: [], huge: [] } }
    const works = [
      [list20, figures.list],
      [{ ...create, maxRequests: createsPerRound }, figures.create],
    ] as const
    for (let round = 0; round <= rounds; round++) {
      for (const [workload, results] of works) {
        onProgress(`${workload.title} with 1,000 and with 10,000,000 plants: ${roundName(round, rounds)}`)
        const smallRound = await measureRound(small, smallPlants, workload, round, run)
        const hugeRound = await measureRound(huge, hugePlants, workload, round, run)
        if (round === 0) continue
        results.small.push(smallRound)
        results.huge.push(hugeRound)
      }
    }
    return figures
  } finally {
    for (const { server } of running) await server.stop()
  }
}

/** Starts the project on a file with so many plants: half of the caller who lists, half of the caller who creates. */
function startWith(plants: number, { folder, onProgress }: BenchRun): Promise<RunningContender> {
  const half = plants / 2
  return startContender({ ...own, name: `${own.name}, ${String(plants)} plants` }, folder, ({ file }) => {
    for (const caller of ['reader', 'writer'] as const) {
      addPlants(file, caller, 0, half, {
        distance: 1_000,
        onProgress: (added) => {
          onProgress(`${added.toLocaleString('en')} of the ${caller}'s ${half.toLocaleString('en')} plants`)
        },
      })
    }
  })
}

function measureRound(
  contender: RunningContender,
  plants: number,
  workload: Workload,
  round: number,
  { milliseconds, generator }: BenchRun,
): Promise<Measurement> {
  const scattered = { ...workload, scatterOver: plants / 2 }
  return measure(contender, scattered, round * createsPerRound, milliseconds, generator)
}
