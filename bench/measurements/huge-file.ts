import { statfsSync } from 'node:fs'
import { own } from '../contenders/contenders.ts'
import { addPlants } from '../contenders/database-file.ts'
import type { LoadGenerator } from '../../scripts/measure/load/start-load.ts'
import { type Measurement, type RunningContender, measure, startContender } from '../contenders/running-contender.ts'
import { create, list20 } from '../workloads.ts'

/** List 20 and create on a file of 1,000 plants and on one of 10,000,000, round by round. */
export interface HugeRounds {
  list: { small: Measurement[]; huge: Measurement[] }
  create: { small: Measurement[]; huge: Measurement[] }
}

const smallPlants = 1_000
const hugePlants = 10_000_000

/** Between two of the small file's plants there is room for 999 more, for as many rounds as the bench takes. */
const createsPerRound = 20_000

/** What the file, its log and the file that grows from them take, with room to spare. */
const neededBytes = 8 * 2 ** 30

/**
 * Measures what 10,000,000 plants in the file add to a request. The ids of the plants are 1,000 apart and new plants
 * fall
 * between them in no order, so that each lands on another page.
 *
 * @throws Error when the folder's disk has too little room
 */
export async function measureHuge(
  folder: string,
  rounds: number,
  milliseconds: number,
  generator: LoadGenerator,
  onProgress: (what: string) => void,
): Promise<HugeRounds> {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < neededBytes) throw new Error(`${folder} has less than ${String(neededBytes / 2 ** 30)} GiB free`)
  const running: RunningContender[] = []
  try {
    for (const plants of [smallPlants, hugePlants]) {
      running.push(
        await startContender({ ...own, name: `${own.name}, ${String(plants)} plants` }, folder, ({ file }) => {
          // Half of them are the caller's whose plants are listed, half the caller's who creates.
          for (const caller of ['reader', 'writer'] as const) {
            addPlants(file, caller, 0, plants / 2, {
              distance: 1_000,
              onProgress: (added) => {
                onProgress(
                  `${added.toLocaleString('en')} of the ${caller}'s ${(plants / 2).toLocaleString('en')} plants`,
                )
              },
            })
          }
        }),
      )
    }
    // Two were started.
    const [small, huge] = running as [RunningContender, RunningContender]
    const figures: HugeRounds = { list: { small: [], huge: [] }, create: { small: [], huge: [] } }
    for (let round = 0; round <= rounds; round++) {
      for (const [workload, results] of [
        [list20, figures.list],
        [{ ...create, maxRequests: createsPerRound }, figures.create],
      ] as const) {
        onProgress(
          `${workload.title} with 1,000 and with 10,000,000 plants: ${round === 0 ? 'warm-up' : `round ${String(round)} of ${String(rounds)}`}`,
        )
        const pair = {
          small: await measure(
            small,
            { ...workload, scatterOver: smallPlants / 2 },
            round * createsPerRound,
            milliseconds,
            generator,
          ),
          huge: await measure(
            huge,
            { ...workload, scatterOver: hugePlants / 2 },
            round * createsPerRound,
            milliseconds,
            generator,
          ),
        }
        if (round === 0) continue
        results.small.push(pair.small)
        results.huge.push(pair.huge)
      }
    }
    return figures
  } finally {
    for (const { server } of running) await server.stop()
  }
}
