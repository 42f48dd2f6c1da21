import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments, readInteger } from '../../scripts/command.ts'
import { type Prepared, prepare } from './content.ts'
import { NoDisk } from './disk/mounted-disk.ts'
import { tryInstants } from './instants.ts'
import { type Scenario, scenarios } from './scenarios.ts'

const usage = `Usage: npm run bench -- power-loss [--rounds N] [--seed N]

Runs the service and its commands on a disk of its own (FUSE) that records what is written and what is synced, rebuilds
what the disk would have after a loss of power at any instant, and checks that all that was acknowledged is there. The
next rounds go on with a database that was left.

  --rounds N   how many rounds, 1 to 10000 (100); the scenarios take turns
  --seed N     repeats the draws of the run that printed this seed

The exit code is 1 when something was lost or a control lost nothing, and 2 when no disk can be mounted.`

/** How many states are rebuilt in a round. Each costs a copy of the database. */
const statesOfRound = { empty: 40, filled: 40, large: 8 }

/** Faults that must be found, in so many rounds of each scenario that one of them loses something. */
const controls = [
  {
    name: 'synchronous = NORMAL',
    scenarios: ['load'],
    rounds: 5,
    faults: { nodeOptions: [`--import=${join(import.meta.dirname, 'weaken-commits.ts')}`] },
  },
  {
    name: 'no folder is synced',
    scenarios: ['first start', 'restore', 'restore anew'],
    rounds: 5,
    faults: { dropsFolderSyncs: true },
  },
]

interface Settings {
  folder: string
  seed: number
  prepared: Readonly<Record<Scenario['begins'], Prepared>>
}

/** What the rounds of a scenario have found. */
interface Result {
  name: string
  rounds: number
  /** How often the power failed. */
  losses: number
  acknowledged: number
  /** The losses of power after which something was wrong, each with its seed. */
  broken: string[]
}

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = readArguments(usage, { args, options: { rounds: { ...text, default: '100' }, seed: text } })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 10_000)
  const seed = readInteger(usage, '--seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)), 0)
  console.log(`seed ${String(seed)}`)
  // Each state is a folder; in memory it takes no disk's time.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'plant-store-power-loss-'))
  try {
    const filled = await prepare(makeFolder(folder, 'filled'), false)
    const large = await prepare(makeFolder(folder, 'large'), true)
    const settings = {
      folder,
      seed,
      prepared: { filled, large, empty: { ...filled, folder: makeFolder(folder, 'empty') } },
    }
    await prove(settings, rounds)
    await proveControls(settings)
  } catch (error) {
    if (!(error instanceof NoDisk)) throw error
    console.error(error.message)
    process.exitCode = 2
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function prove(settings: Settings, rounds: number): Promise<void> {
  const results = await runRounds(scenarios, rounds, settings)
  report('everything that was acknowledged has to be there', results, 10)
  if (results.some(({ broken }) => broken.length > 0)) process.exitCode = 1
}

async function proveControls(settings: Settings): Promise<void> {
  for (const { name, scenarios: names, rounds, faults } of controls) {
    const chosen = scenarios.filter((scenario) => names.includes(scenario.name))
    const results = await runRounds(chosen, rounds * chosen.length, settings, faults)
    report(`control, ${name}: each has to lose something`, results, 1)
    if (results.some(({ broken }) => broken.length === 0)) process.exitCode = 1
  }
}

/** Takes turns with the scenarios. */
async function runRounds(
  tried: Scenario[],
  rounds: number,
  { folder, seed, prepared }: Settings,
  faults: { nodeOptions?: string[]; dropsFolderSyncs?: boolean } = {},
): Promise<Result[]> {
  const results = tried.map(({ name }): Result => ({ name, rounds: 0, losses: 0, acknowledged: 0, broken: [] }))
  let { filled } = prepared
  // The folder of the round that has left it.
  let keptFolder: string | undefined
  for (let round = 0; round < rounds; round++) {
    const scenario = tried[round % tried.length]!
    const result = results[round % tried.length]!
    console.error(`round ${String(round + 1)} of ${String(rounds)}: ${scenario.name}`)
    const own = mkdtempSync(join(folder, 'round-'))
    const states = statesOfRound[scenario.begins]
    const begun = { ...prepared, filled }[scenario.begins]
    const { acknowledged, findings, left } = await tryInstants(scenario, {
      folder: own,
      seed: seed + round,
      prepared: begun,
      states,
      ...faults,
    })
    const outdated = left === begun ? own : keptFolder
    if (outdated !== undefined) rmSync(outdated, { recursive: true })
    if (left !== begun) [filled, keptFolder] = [left, own]
    result.rounds++
    result.losses += states
    result.acknowledged += acknowledged
    result.broken.push(
      ...findings.map(
        ({ instant, loss, faults: found }) =>
          `round ${String(round)}, instant ${String(instant)}, ${JSON.stringify(loss)}: ${brief(found)}`,
      ),
    )
  }
  return results.filter((result) => result.rounds > 0)
}

function brief(faults: string[]): string {
  const rest = faults.length > 1 ? ` and ${String(faults.length - 1)} more` : ''
  return `${faults[0]!.slice(0, 200)}${rest}`
}

/** @param shown how many of the broken states of a line are described */
function report(title: string, results: Result[], shown: number): void {
  console.log(`\n${title}`)
  console.log('  rounds  power lost  acknowledged  broken')
  for (const { name, rounds, losses, acknowledged, broken } of results) {
    const columns = [String(rounds).padStart(8), String(losses).padStart(12), String(acknowledged).padStart(14)]
    console.log(`${columns.join('')}${String(broken.length).padStart(8)}   ${name}`)
    for (const line of broken.slice(0, shown)) console.log(`${' '.repeat(45)}${line}`)
  }
}

function makeFolder(...path: string[]): string {
  const folder = join(...path)
  mkdirSync(folder)
  return folder
}
