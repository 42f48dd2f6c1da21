import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, own } from './contenders.ts'
import { addPlants } from './database-file.ts'
import { type BenchRun, type Measurement, type RunningContender, measure, startContender } from './running-contender.ts'
import { type Workload, create, list20, listedPlants } from './workloads.ts'

/** A workload on two servers of the project, of which the second has more of something, round by round. */
export type PairRounds = { few: Measurement; many: Measurement }[]

type Pair = readonly [few: RunningContender, many: RunningContender]

/** How long each server does a workload before it is measured, so that its code is compiled. */
const warmUpMilliseconds = 2_000

/** No id is used in two rounds. */
const idsPerRound = 20_000

async function measurePair(
  { rounds, milliseconds, generator }: BenchRun,
  pair: Pair,
  workloadOf: (contender: RunningContender) => Workload,
): Promise<PairRounds> {
  const [few, many] = pair
  const measured: PairRounds = []
  for (const contender of pair) await measure(contender, workloadOf(contender), 0, warmUpMilliseconds, generator)
  for (let round = 1; round <= rounds; round++) {
    const of = (contender: RunningContender) =>
      measure(contender, workloadOf(contender), round * idsPerRound, milliseconds, generator)
    measured.push({ few: await of(few), many: await of(many) })
  }
  return measured
}

/** Measures what a request costs when the contract has 1,000 operations instead of three. */
export async function measureManyOperations(run: BenchRun): Promise<PairRounds> {
  const start = (operations: number) => {
    const contender: Contender = {
      name: `${String(operations)} operations`,
      schema: 'own',
      arguments: [join(import.meta.dirname, 'many-operations-server.ts')],
      environment: { OPERATIONS: String(operations) },
    }
    return startContender(contender, run.folder, ({ file }) => {
      addPlants(file, 'reader', 1, listedPlants)
    })
  }
  await using few = await start(3)
  await using many = await start(1_000)
  return await measurePair(run, [few, many], () => list20)
}

const [fewPlants, manyPlants] = [1_000, 10_000_000]

/** More than the database file and its log take. */
const neededBytes = 8 * 2 ** 30

/**
 * Measures what 10,000,000 plants in the file add to a request. The ids of the plants are 1,000 apart. New plants fall
 * between them in no order, so each goes to another page.
 *
 * @throws Error when the disk of the folder has too little space
 */
export async function measureHuge(run: BenchRun): Promise<{ list: PairRounds; create: PairRounds }> {
  const { bavail, bsize } = statfsSync(run.folder)
  if (bavail * bsize < neededBytes)
    throw new Error(`${run.folder} has less than ${String(neededBytes / 2 ** 30)} GiB free`)
  const start = (plants: number) =>
    startContender({ ...own, name: `${own.name}, ${String(plants)} plants` }, run.folder, ({ file }) => {
      // Half of the caller who lists, half of the caller who creates.
      for (const caller of ['reader', 'writer'] as const) addPlants(file, caller, 0, plants / 2, 1_000)
    })
  await using few = await start(fewPlants)
  await using many = await start(manyPlants)
  const scattered = (workload: Workload) => (contender: RunningContender) => ({
    ...workload,
    scatterOver: (contender === few ? fewPlants : manyPlants) / 2,
    maxRequests: idsPerRound,
  })
  return {
    list: await measurePair(run, [few, many], scattered(list20)),
    create: await measurePair(run, [few, many], scattered(create)),
  }
}
