import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, createRandom } from '../lab/random.ts'
import type { Prepared } from './database.ts'
import { mountDisk } from './disk/mounted-disk.ts'
import { type Failure, type Loss, rebuild, writeFiles } from './disk/rebuild.ts'
import type { Recorded } from './disk/recording.ts'
import { Run } from './run.ts'
import type { Scenario } from './scenarios.ts'

/** Faults of the programs or of the disk, as controls. */
export interface ControlFaults {
  environment?: Record<string, string>
  /** The syncs of folders count for nothing. */
  dropsFolderSyncs?: boolean
}

export interface RoundOptions extends ControlFaults {
  /** An empty folder. */
  folder: string
  prepared: Prepared
  /** How many states are rebuilt. Each costs a copy of the database. */
  states: number
}

/**
 * Runs a scenario on a disk, and rebuilds what failures of the power at any instant would have left.
 *
 * @returns how many changes were acknowledged, and what is wrong with each state in which a promise is broken
 */
export async function tryInstants(
  { path, act }: Scenario,
  { folder, prepared, states, environment = {}, dropsFolderSyncs = false }: RoundOptions,
): Promise<{ acknowledged: number; broken: string[] }> {
  const random = createRandom(Math.floor(Math.random() * 2 ** 31))
  const disk = await mountDisk(folder, prepared.folder)
  const first = disk.instant()
  const run = new Run({ disk, random, prepared, environment }, path)
  let recording: Recorded[]
  try {
    await act(run)
  } finally {
    await run.kill()
    recording = await disk.end()
  }
  const broken: string[] = []
  const failures = drawFailures(recording, first, states, random)
  for (const { files, instant, loss } of rebuild(recording, failures, random, dropsFolderSyncs)) {
    const state = join(folder, 'state')
    writeFiles(files, state)
    const faults = await run.broken(state, instant)
    rmSync(state, { recursive: true })
    const rest = faults.length > 1 ? ` and ${String(faults.length - 1)} more` : ''
    if (faults.length > 0)
      broken.push(`instant ${String(instant)}, ${JSON.stringify(loss)}: ${faults[0]!.slice(0, 200)}${rest}`)
  }
  return { acknowledged: run.acknowledged(), broken }
}

const none: Loss = { names: 'none', bytes: 'none', grain: 4_096, keepsSize: false }
const some: Loss = { ...none, names: 'some', bytes: 'some' }

/** What a loss of power may leave of that which was not synced, from nothing to everything. */
const losses: Loss[] = [
  none,
  { ...none, names: 'all' },
  { ...none, bytes: 'all' },
  { ...none, names: 'all', bytes: 'all' },
  some,
  { ...some, grain: 512 },
  { ...some, names: 'all', grain: 512 },
  { ...none, names: 'all', keepsSize: true },
  { ...some, grain: 512, keepsSize: true },
]

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
