import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, createRandom } from '../random.ts'
import { type Prepared, copyPath, databasePath, readContent } from './content.ts'
import { mountDisk } from './disk/mounted-disk.ts'
import { type Failure, type Files, type Loss, rebuild, writeFiles } from './disk/rebuild.ts'
import type { Recorded } from './disk/recording.ts'
import { Processes } from './processes.ts'
import type { Run } from './run.ts'
import { type Scenario, runScenario } from './scenarios.ts'

/** A state of a disk in which a promise is broken. */
export interface Finding extends Failure {
  faults: string[]
}

export interface RoundResult {
  /** How many changes were acknowledged. */
  acknowledged: number
  findings: Finding[]
  /** The database that a loss of power has left and the service has started on, to go on with. */
  left: Prepared
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
  const { first, run, recording } = await record(scenario, folder, prepared, random, nodeOptions)
  const failures = drawFailures(recording, first, states, random)
  // To start the real programs takes a second.
  const checkedByPrograms = random.below(states)
  const processes = new Processes()
  const findings: Finding[] = []
  let left = prepared
  let index = 0
  for (const { files, instant, loss } of rebuild(recording, failures, random, dropsFolderSyncs)) {
    const state = join(folder, 'state')
    writeFiles(files, state)
    const faults = await run.broken(state, instant)
    if (index++ === checkedByPrograms) {
      faults.push(...(await run.brokenForPrograms(state, instant, processes)))
      if (faults.length === 0 && scenario.begins === 'filled' && scenario.isNew !== true) {
        left = { ...prepared, folder: join(folder, 'left'), content: readContent(join(state, databasePath)) }
        writeFiles(withoutOthers(files), left.folder)
      }
    }
    rmSync(state, { recursive: true })
    if (faults.length > 0) findings.push({ instant, loss, faults })
  }
  return { acknowledged: run.acknowledged(Infinity), findings, left }
}

/** Runs a scenario. @returns where its recording begins, what it promised, and what happened to the disk */
async function record(
  scenario: Scenario,
  folder: string,
  prepared: Prepared,
  random: Random,
  nodeOptions: string[],
): Promise<{ first: number; run: Run; recording: Recorded[] }> {
  const processes = new Processes(nodeOptions)
  const disk = await mountDisk(folder, prepared.folder)
  const first = disk.instant()
  let run: Run
  let recording: Recorded[]
  try {
    run = await runScenario(scenario, { disk, processes, random, prepared })
  } finally {
    await processes.kill()
    recording = await disk.end()
  }
  return { first, run, recording }
}

/** The files of the database and its copy, without what a scenario has made beside them. */
function withoutOthers(files: Files): Files {
  return new Map([...files].filter(([path]) => path.startsWith('data') || path === copyPath))
}

/** What a loss of power may leave of that which was not synced, from nothing to everything. */
const losses: Loss[] = (['posix', 'ordered'] as const).flatMap((model): Loss[] => {
  const none: Loss = { model, names: 'none', bytes: 'none', grain: 4_096, keepsSize: false }
  const some: Loss = { ...none, names: 'some', bytes: 'some' }
  const both: Loss[] = [
    none,
    { ...none, names: 'all' },
    { ...none, bytes: 'all' },
    { ...none, names: 'all', bytes: 'all' },
    some,
    { ...some, grain: 512 },
    { ...some, names: 'all', grain: 512 },
  ]
  // In order, a file grows once its bytes are there.
  return model === 'ordered'
    ? both
    : [...both, { ...none, names: 'all', keepsSize: true }, { ...some, grain: 512, keepsSize: true }]
})

/** After any operation, after the change of a name, before a sync, where most can be lost, and after one. */
function drawFailures(recording: Recorded[], first: number, count: number, random: Random): Failure[] {
  const own = recording.filter(({ instant }) => instant >= first)
  const renames = own.filter(({ kind }) => kind === 'names')
  const syncs = own.filter(({ kind }) => kind === 'sync')
  const beforeSyncs = own.filter((_, index) => own[index + 1]?.kind === 'sync')
  const kinds = [own, renames, beforeSyncs, syncs].filter(({ length }) => length > 0)
  return Array.from({ length: count }, (_, index) => ({
    instant: random.one(kinds[index % kinds.length]!).instant,
    loss: random.one(losses),
  })).sort((one, other) => one.instant - other.instant)
}
