import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import { showProgress } from '../../scripts/progress.ts'
import { projectFolder } from '../../test/support/server/start-process.ts'
import { Lab } from '../lab/lab.ts'
import { type LoadGenerator, startLoad } from '../load/start-load.ts'
import { contenders, peersFolder } from './contenders.ts'
import { createDatabase } from './database.ts'
import type { Figures, Series } from './figures.ts'
import {
  type Entrant,
  type RunningEntrant,
  type Work,
  measureLoad,
  measureStart,
  startEntrant,
  works,
} from './measure.ts'
import { pageOf } from './page.ts'

const startPart = 'start'

const titles = new Map([
  [startPart, 'from the start to the first response, and memory then'],
  ...works.map(({ name, title }) => [name, title] as const),
])

const usage = `Usage: npm run bench -- [compare] [--only PART]... [--rounds N] [--milliseconds N]
         measures the service and its peers, and prints the figures; without --only it writes them to
         docs/bench/figures.md after each part

  --only PART        measure only this part; may be repeated
  --rounds N         how many rounds each part takes, 1 to 20 (20)
  --milliseconds N   how long each measurement takes, 50 to 60000 (150)

Parts:
${[...titles].map(([name, title]) => `  ${name.padEnd(18)} ${title}`).join('\n')}`

/** How long each server is warmed up, so that its code is compiled. */
const warmUpMilliseconds = 1_500

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = readArguments(usage, {
    args,
    options: {
      only: { ...text, multiple: true },
      rounds: { ...text, default: '20' },
      milliseconds: { ...text, default: '150' },
    },
  })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 20)
  const milliseconds = readInteger(usage, '--milliseconds', values.milliseconds, 50, 60_000)
  const { only } = values
  const unknown = only?.find((part) => !titles.has(part))
  if (unknown !== undefined) throw new UsageError(`there is no part ${unknown}\n${usage}`)
  const isChosen = (part: string) => only?.includes(part) ?? true

  await using lab = await Lab.open()
  await using cleanup = new AsyncDisposableStack()
  const series: Series[] = []
  const page = () => pageOf(series, titles, rounds, milliseconds)
  const add = async (measured: Series[]) => {
    series.push(...measured)
    if (only === undefined) await writeFile(join(projectFolder, 'docs/bench/figures.md'), page())
  }
  installPeers()
  if (isChosen(startPart)) await add(await measureStarts(join(lab.folder, 'start'), rounds))
  const chosen = works.filter(({ name }) => isChosen(name))
  const generator = cleanup.use(startLoad())
  const running: RunningEntrant[] = []
  for (const contender of chosen.length === 0 ? [] : contenders) {
    const database = cleanup.use(await createDatabase(contender, lab.folder))
    running.push(await startEntrant({ contender, database }, lab))
  }
  for (const [index, work] of chosen.entries()) {
    // No measurement uses the ids of an earlier one.
    const firstId = 1 + index * 1_000_000
    await add(await measureWork(running, work, { firstId, rounds, milliseconds, generator }))
  }
  process.stdout.write(page())
}

/** Installs the packages of the peers, unless they are installed. */
function installPeers(): void {
  const install = ['install', '--no-save', '--prefer-offline', '--prefix', peersFolder]
  const { status } = spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new UsageError('npm install --prefix bench/peers has failed')
}

/**
 * Measures all servers in each round, starting with another one each time, so that disturbances hit all. The first
 * round is a warm-up and does not count.
 */
async function measureRounds<Server extends Entrant>(
  work: string,
  servers: readonly Server[],
  rounds: number,
  measure: (server: Server, round: number) => Promise<Figures>,
): Promise<Series[]> {
  console.error(titles.get(work))
  const series = servers.map(({ contender }): Series => ({ work, server: contender.name, rounds: [] }))
  using progress = showProgress(work, 'rounds')
  for (let round = 0; round <= rounds; round++) {
    progress.show(round, rounds + 1)
    for (const turn of servers.keys()) {
      const index = (turn + round) % servers.length
      // The remainder is an index of both arrays.
      const figures = await measure(servers[index]!, round)
      if (round > 0) series[index]!.rounds.push(figures)
    }
  }
  return series
}

async function measureStarts(folder: string, rounds: number): Promise<Series[]> {
  await mkdir(folder)
  const entrants: Entrant[] = []
  for (const contender of contenders.filter(({ store }) => store !== 'postgres'))
    entrants.push({ contender, database: await createDatabase(contender, folder) })
  return measureRounds(startPart, entrants, rounds, measureStart)
}

interface WorkOptions {
  firstId: number
  rounds: number
  milliseconds: number
  generator: LoadGenerator
}

function measureWork(
  running: readonly RunningEntrant[],
  work: Work,
  { firstId, rounds, milliseconds, generator }: WorkOptions,
): Promise<Series[]> {
  const servers = running.filter(({ contender }) => contender.store !== 'postgres' || work.isOnPostgres)
  let listedBytes: number | undefined
  return measureRounds(work.name, servers, rounds, async (server, round) => {
    const first = firstId + round * work.maxRequests
    const duration = round === 0 ? warmUpMilliseconds : milliseconds
    const { figures, bodyBytes } = await measureLoad(server, work, first, duration, generator)
    // Names contain ids, so only lists have equal lengths.
    if (work.name.startsWith('list') && bodyBytes !== (listedBytes ??= bodyBytes))
      throw new Error(`its list has ${String(bodyBytes)} bytes, and another one ${String(listedBytes)}`)
    return figures
  })
}
