import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError, readArguments, readInteger, runCommand } from '../../scripts/command.ts'
import { createProgress } from '../../scripts/measure/report/progress.ts'
import { cutPower } from './cuts.ts'
import { NoDisk } from './disk/mounted-disk.ts'
import { tryInstants } from './instants.ts'
import { type Prepared, prepare } from './prepare.ts'
import { type Scenario, scenarios } from './scenarios.ts'

const usage = `Usage: node bench/power-loss/power-loss.ts [--rounds N] [--seed N] [--only cuts|instants]

Runs the service and its commands on a disk of its own (FUSE) that records what is written and what is synced, and
checks that all that was acknowledged is there after a loss of power.

  cuts       cuts the power of one disk again and again; the service goes on with what is left
  instants   rebuilds what a disk would have after a loss of power at any instant of a run

  --rounds N   rounds of each, 1 to 10000 (100)
  --seed N     repeats the draws of the run that printed this seed
  --only PART  only this one, with its control

The exit code is 1 when something was lost or a control lost nothing, and 2 when no disk can be mounted.`

const parts = ['cuts', 'instants'] as const
type Part = (typeof parts)[number]

/** How many states are rebuilt in a round. Each costs a copy of the database. */
const statesOfRound = { empty: 40, filled: 40, large: 8 }

/** Rounds of a control of cuts, and of a scenario in a control of instants: enough that one of them loses something. */
const controlRounds = { cuts: 20, instants: 5 }

interface Settings {
  folder: string
  rounds: number
  seed: number
  prepared: Record<Scenario['begins'], Prepared>
  progress: ReturnType<typeof createProgress>
}

/** What a part or a control has found. */
interface Result {
  name: string
  rounds: number
  /** How often the power failed. */
  losses: number
  acknowledged: number
  /** The losses of power after which something was wrong, each with its seed. */
  broken: string[]
}

async function run(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = readArguments(usage, {
    options: {
      rounds: { ...text, default: '100' },
      seed: { ...text, default: String(Math.floor(Math.random() * 2 ** 31)) },
      only: text,
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    console.log(usage)
    return
  }
  const chosen = parts.filter((part) => values.only === undefined || values.only === part)
  if (chosen.length === 0) throw new UsageError(usage)
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 10_000)
  const seed = readInteger(usage, '--seed', values.seed, 0)
  console.log(`seed ${String(seed)}`)
  // Each state is a folder; in memory it takes no disk's time.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'plant-store-power-loss-'))
  const progress = createProgress()
  try {
    const filled = await prepare(makeFolder(folder, 'filled'), false)
    const large = await prepare(makeFolder(folder, 'large'), true)
    const prepared = { filled, large, empty: { ...filled, folder: makeFolder(folder, 'empty') } }
    await runParts(chosen, { folder, rounds, seed, prepared, progress })
  } catch (error) {
    if (!(error instanceof NoDisk)) throw error
    console.error(error.message)
    process.exitCode = 2
  } finally {
    progress.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runParts(chosen: Part[], settings: Settings): Promise<void> {
  for (const part of chosen) {
    const { proof, controls } = proofs[part]
    const results = await proof(settings)
    settings.progress.end()
    report(`${part}: everything that was acknowledged has to be there`, results, 10)
    if (results.some(({ broken }) => broken.length > 0)) process.exitCode = 1
    const lossy = await controls({ ...settings, rounds: controlRounds[part] })
    settings.progress.end()
    report(`${part}, controls: each has to lose something`, lossy, 1)
    if (lossy.some(({ broken }) => broken.length === 0)) process.exitCode = 1
  }
}

/** The service with commits that do not wait for the disk. */
const weakCommits = [`--import=${join(import.meta.dirname, 'service/weaken-commits.ts')}`]

const proofs: Record<Part, Record<'proof' | 'controls', (settings: Settings) => Promise<Result[]>>> = {
  cuts: {
    proof: async (settings) => [await cutRounds('load, stops, tokens, backups, restores, two servers', settings)],
    controls: async (settings) => [await cutRounds('synchronous = NORMAL', settings, weakCommits)],
  },
  instants: {
    proof: (settings) => instantRounds(scenarios, settings),
    controls: async (settings) => [
      ...(await instantRounds(named('load'), settings, { nodeOptions: weakCommits }, 'synchronous = NORMAL')),
      ...(await instantRounds(
        named('first start', 'restore', 'restore anew'),
        { ...settings, rounds: 3 * settings.rounds },
        { dropsFolderSyncs: true },
        'no folder is synced',
      )),
    ],
  },
}

function named(...names: string[]): Scenario[] {
  return scenarios.filter(({ name }) => names.includes(name))
}

async function cutRounds(name: string, settings: Settings, nodeOptions: string[] = []): Promise<Result> {
  const { rounds, seed, prepared, progress } = settings
  const folder = makeFolder(settings.folder, 'cuts')
  let done = 0
  const onRound = () => {
    progress.show(`cuts, ${name}: ${String(done++)} of ${String(rounds)}`)
  }
  const cuts = await cutPower({ folder, rounds, seed, prepared: prepared.filled, nodeOptions, onRound })
  rmSync(folder, { recursive: true })
  return {
    name,
    rounds,
    losses: cuts.length,
    acknowledged: cuts.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    broken: cuts.flatMap(({ action, loss, faults }, index) =>
      faults.length > 0 ? `cut ${String(index)}, ${action}, ${JSON.stringify(loss)}: ${brief(faults)}` : [],
    ),
  }
}

/** Takes turns with the scenarios. */
async function instantRounds(
  tried: Scenario[],
  { folder, rounds, seed, prepared, progress }: Settings,
  control: { nodeOptions?: string[]; dropsFolderSyncs?: boolean } = {},
  label = '',
): Promise<Result[]> {
  const results = tried.map(({ name }) => ({
    name: [label, name].filter((text) => text !== '').join(', '),
    rounds: 0,
    losses: 0,
    acknowledged: 0,
    broken: [] as string[],
  }))
  for (let round = 0; round < rounds; round++) {
    const scenario = tried[round % tried.length]!
    const result = results[round % tried.length]!
    progress.show(`instants, ${result.name}: ${String(round)} of ${String(rounds)}`)
    const own = makeFolder(folder, 'round')
    const { acknowledged, states, findings } = await tryInstants(scenario, {
      folder: own,
      seed: seed + round,
      prepared: prepared[scenario.begins],
      states: statesOfRound[scenario.begins],
      ...control,
    })
    rmSync(own, { recursive: true })
    result.rounds++
    result.losses += states
    result.acknowledged += acknowledged
    result.broken.push(
      ...findings.map(
        ({ instant, loss, faults }) =>
          `round ${String(round)}, instant ${String(instant)}, ${JSON.stringify(loss)}: ${brief(faults)}`,
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
  console.log(`  rounds  power lost  acknowledged  broken`)
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

await runCommand(run)
