import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import { showProgress } from '../../scripts/progress.ts'
import { projectFolder } from '../../test/support/server/start-process.ts'
import { Lab } from '../../test/support/server/lab.ts'
import { startLoad } from '../load/start-load.ts'
import { contenders, own, peersFolder } from './contenders.ts'
import { createDatabase } from './database.ts'
import { type Figures, type Series, targets } from './figures.ts'
import {
  type Entrant,
  type RunningEntrant,
  measureLoad,
  measureStart,
  startEntrant,
  titleOf,
  works,
} from './measure.ts'
import { headOf, pageOf } from './page.ts'

const startPart = 'start'

const titles = new Map([
  [startPart, 'from the start to the first response, and memory then'],
  ...works.map((work) => [work.name, titleOf(work)] as const),
])

const usage = `Usage: npm run bench -- [compare] [--only PART]... [--rounds N]
         measures the service and its peers, and prints the figures; without --only it writes them to
         docs/bench/figures.md after each part

  --only PART        measure only this part; may be repeated
  --rounds N         how many rounds each part takes, 1 to 20 (20)

Parts:
${[...titles].map(([name, title]) => `  ${name.padEnd(18)} ${title}`).join('\n')}`

/** How long each server is warmed up, so that its code is compiled: V8 compiles for some 35,000 requests. */
const warmUpMilliseconds = 4_000
/** How long each measurement takes. */
const measuredMilliseconds = 150

export async function run(args: string[]): Promise<void> {
  const options = { only: { type: 'string', multiple: true }, rounds: { type: 'string', default: '20' } } as const
  const { only, ...values } = readArguments(usage, { args, options }).values
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, 20)
  const unknown = only?.find((part) => !titles.has(part))
  if (unknown !== undefined) throw new UsageError(`there is no part ${unknown}\n${usage}`)
  const isChosen = (part: string) => only?.includes(part) ?? true

  await using lab = await Lab.open()
  const series: Series[] = []
  const page = () => {
    const head = `${headOf('compare', rounds, measuredMilliseconds)} ${own.name} runs with its defaults and logs each request to
a file; the peers log nothing.`
    return pageOf({ head, series, titles, targets, own: own.name })
  }
  const add = async (measured: Series[]) => {
    series.push(...measured)
    if (only === undefined) await writeFile(join(projectFolder, 'docs/bench/figures.md'), page())
  }
  installPeers()
  const entrants: Entrant[] = []
  for (const contender of contenders) entrants.push({ contender, database: await createDatabase(contender, lab) })
  const inProcess = entrants.filter(({ contender }) => contender.store !== 'postgres')
  if (isChosen(startPart))
    await add(await measureRounds(startPart, titles.get(startPart), inProcess, rounds, measureStart))
  const chosen = [...works.entries()].filter(([, { name }]) => isChosen(name))
  await using generator = startLoad()
  const running: RunningEntrant[] = []
  for (const entrant of chosen.length === 0 ? [] : entrants) running.push(await startEntrant(entrant, lab))
  for (const [index, work] of chosen) {
    const servers = running.filter(({ contender }) => contender.store !== 'postgres' || work.isOnPostgres)
    let listedBytes: number | undefined
    const measured = await measureRounds(work.name, titleOf(work), servers, rounds, async (server, round) => {
      // No measurement uses the ids of an earlier one.
      const firstId = 1 + index * 1_000_000 + round * work.maxRequests
      const duration = round === 0 ? warmUpMilliseconds : measuredMilliseconds
      const { figures, bodyBytes } = await measureLoad(server, work, firstId, duration, generator)
      // Names contain ids, so only lists have equal lengths.
      if (work.kind === 'list' && bodyBytes !== (listedBytes ??= bodyBytes))
        throw new Error(`its list has ${String(bodyBytes)} bytes, and another one ${String(listedBytes)}`)
      return figures
    })
    await add(measured)
  }
  process.stdout.write(page())
}

/** Installs the packages of the peers, unless they are installed. */
export function installPeers(): void {
  const install = ['install', '--no-save', '--prefer-offline', '--prefix', peersFolder]
  const { status } = spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new UsageError('npm install --prefix bench/peers has failed')
}

/**
 * Measures all servers in each round, starting with another one each time, so that disturbances hit all. The first
 * round is a warm-up and does not count.
 */
export async function measureRounds<Server extends { contender: { name: string } }>(
  work: string,
  title: string | undefined,
  servers: readonly Server[],
  rounds: number,
  measure: (server: Server, round: number) => Promise<Figures>,
): Promise<Series[]> {
  console.error(title)
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
