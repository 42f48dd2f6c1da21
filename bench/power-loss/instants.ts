import { join } from 'node:path'
import { type Random, createRandom } from '../../scripts/measure/fuzz/random.ts'
import { type Failure, rebuild } from './disk/rebuild.ts'
import type { Recorded } from './disk/recording.ts'
import { losses } from './losses.ts'
import type { Prepared } from './prepare.ts'
import { inFolder, runOnDisk } from './run-on-disk.ts'
import type { Scenario } from './scenarios.ts'
import { Processes } from './service/processes.ts'

/** A state of a disk in which a promise is broken. */
export interface Finding extends Failure {
  faults: string[]
}

export interface RoundResult {
  /** How many changes were acknowledged. */
  acknowledged: number
  states: number
  findings: Finding[]
}

export interface RoundOptions {
  /** An empty folder. */
  folder: string
  seed: number
  prepared: Prepared
  /** How many states are rebuilt. */
  states: number
  /** For the programs, as a control. */
  nodeOptions?: string[]
  /** A control: the syncs of folders count for nothing. */
  dropsFolderSyncs?: boolean
}

/** Runs a scenario on a disk, and rebuilds what failures of the power at any instant would have left. */
export async function tryInstants(
  scenario: Scenario,
  { folder, seed, prepared, states, nodeOptions = [], dropsFolderSyncs = false }: RoundOptions,
): Promise<RoundResult> {
  const random = createRandom(seed)
  const { result, recording } = await runOnDisk(
    { folder, content: prepared.folder, nodeOptions },
    async (disk, processes) => {
      const first = disk.instant()
      return { first, promises: await scenario.run({ disk, processes, random, prepared }) }
    },
  )
  const { first, promises } = result
  const failures = drawFailures(recording, first, states, random)
  // To start the real programs takes a second.
  const checkedByPrograms = random.below(states)
  const processes = new Processes()
  const findings: Finding[] = []
  let index = 0
  for (const { files, instant, loss } of rebuild(recording, failures, random, dropsFolderSyncs)) {
    const place = join(folder, 'state')
    const faults = await inFolder(files, place, (state) => promises.broken(state, instant))
    if (index++ === checkedByPrograms) {
      faults.push(...(await inFolder(files, place, (state) => promises.brokenForPrograms(state, instant, processes))))
    }
    if (faults.length > 0) findings.push({ instant, loss, faults })
  }
  return { acknowledged: promises.acknowledged(Infinity), states, findings }
}

/** After any operation, after the change of a name, before a sync, where most can be lost, and after one. */
function drawFailures(recording: Recorded[], first: number, count: number, random: Random): Failure[] {
  const own = recording.filter(({ instant }) => instant >= first)
  const renames = own.filter(({ kind }) => kind === 'names')
  const syncs = own.filter(({ kind }) => kind === 'sync')
  const beforeSyncs = own.filter((_, index) => own[index + 1]?.kind === 'sync')
  return Array.from({ length: count }, (_, index) => ({
    instant: random.one([own, renames, beforeSyncs, syncs][index % 4]!).instant,
    loss: random.one(losses),
  })).sort((one, other) => one.instant - other.instant)
}
