import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments, readInteger } from '../../scripts/command.ts'
import { createRandom } from '../../test/support/random.ts'
import { type Prepared, prepare } from './database.ts'
import { mountDisk } from './disk/mounted-disk.ts'
import { drawFailures, rebuild, writeFiles } from './disk/rebuild.ts'
import type { Recorded } from './disk/recording.ts'
import { Run } from './run.ts'
import { type Scenario, scenarios } from './scenarios.ts'

const usage = `Usage: npm run proofs -- power-loss [--rounds N]

Runs the service and its commands on a disk of its own (FUSE) that records what is written and what is synced, rebuilds
what the disk would have after a loss of power at any instant, and checks that all that was acknowledged is there.

  --rounds N   how many rounds of each scenario, 1 to 1000 (12)

The exit code is 1 when something was lost or a control lost nothing.`

const statesOfRound = 40

/** Injected faults of the programs or of the disk. */
interface ControlFaults {
  environment?: Record<string, string>
  /** Syncs of folders are ignored. */
  dropsFolderSyncs?: boolean
}

/** Control faults. Each must be detected within these rounds. */
const controls: { name: string; tried: string[]; faults: ControlFaults }[] = [
  {
    name: 'synchronous = NORMAL',
    tried: ['load'],
    faults: { environment: { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'weaken-commits.ts')}` } },
  },
  {
    name: 'no folder is synced',
    tried: ['first start', 'restore', 'restore anew'],
    faults: { dropsFolderSyncs: true },
  },
]
const controlRounds = 5

interface Settings {
  folder: string
  prepared: Prepared
}

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments(usage, { args, options: { rounds: { type: 'string', default: '12' } } })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 1_000)
  // Each state is a folder, which is faster in memory.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'plant-store-power-loss-'))
  try {
    const settings = { folder, prepared: await prepare(join(folder, 'filled')) }
    console.log('  rounds  power lost  acknowledged  broken')
    for (const scenario of scenarios) {
      const broken = await runRounds(scenario, rounds, settings)
      for (const line of broken.slice(0, 10)) console.log(`    ${line}`)
      if (broken.length > 0) process.exitCode = 1
    }
    for (const { name, tried, faults } of controls) {
      console.log(`control, ${name}: each has to lose something`)
      for (const scenario of scenarios.filter((each) => tried.includes(each.name))) {
        const broken = await runRounds(scenario, controlRounds, settings, faults)
        if (broken.length === 0) process.exitCode = 1
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a scenario and prints its results. @returns the faults of each broken state */
async function runRounds(
  scenario: Scenario,
  rounds: number,
  { folder, prepared }: Settings,
  faults: ControlFaults = {},
): Promise<string[]> {
  const broken: string[] = []
  let acknowledged = 0
  for (let round = 0; round < rounds; round++) {
    const own = mkdtempSync(join(folder, 'round-'))
    const result = await tryInstants(scenario, { prepared, folder: own }, faults)
    rmSync(own, { recursive: true })
    acknowledged += result.acknowledged
    broken.push(...result.broken)
  }
  const counts = [rounds, rounds * statesOfRound, acknowledged, broken.length].map(String)
  const columns = counts.map((count, index) => count.padStart([8, 12, 14, 8][index]!))
  console.log(`${columns.join('')}   ${scenario.name}`)
  return broken
}

/**
 * Runs a scenario on a disk and rebuilds what power losses at random instants would leave.
 *
 * @returns how many changes were acknowledged, and the faults of each broken state
 */
async function tryInstants(
  { path, act }: Scenario,
  { folder, prepared }: Settings,
  { environment = {}, dropsFolderSyncs = false }: ControlFaults,
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
  const failures = drawFailures(recording, first, statesOfRound, random)
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
