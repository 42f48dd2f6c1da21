import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import { installPeers } from '../install-peers.ts'
import { startLoad } from '../load/start-load.ts'
import { projectFolder } from '../servers/server-process.ts'
import { type Figures, pairFigures, startFigures, throughputFigures } from './figures.ts'
import { figuresAsMarkdown } from './markdown.ts'
import { measureMillion } from './million-plants.ts'
import { measureHuge, measureManyOperations } from './pairs.ts'
import { plotFigures } from './plot.ts'
import { measureStart } from './start-time.ts'
import { measureThroughput } from './throughput.ts'
import { workloads } from './workloads.ts'

/** The parts besides the workloads of all contenders. */
const otherParts = {
  operations: 'list 20 with 1,000 operations in the contract',
  million: 'a list of 1,000,000 plants',
  start: 'from the start to the first answer',
  huge: '10,000,000 plants in the file; takes a minute and up to 8 GiB of disk, and runs only where it is named',
} as const

const maxRounds = 20

const titles = [...workloads.map(({ name, title }) => [name, title] as const), ...Object.entries(otherParts)]

const usage = `Usage: npm run bench -- [compare] [--only PART]... [--rounds N] [--milliseconds N] [--huge]
         measures the service and its peers, and prints the figures; a complete run writes them to docs/bench/

  --only PART        measure only this part; may be repeated. Writes nothing to docs/bench/
  --rounds N         how many rounds each part takes, 1 to ${String(maxRounds)} (20)
  --milliseconds N   how long each measurement takes, 50 to 60000 (150)
  --huge             measure 10,000,000 plants too

Parts:
${titles.map(([name, title]) => `  ${name.padEnd(18)} ${title}`).join('\n')}`

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments(usage, {
    args,
    options: {
      only: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '20' },
      milliseconds: { type: 'string', default: '150' },
      huge: { type: 'boolean', default: false },
    },
  })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1, maxRounds)
  const milliseconds = readInteger(usage, '--milliseconds', values.milliseconds, 50, 60_000)
  const { only } = values
  const unknown = only?.find((part) => !titles.some(([name]) => name === part))
  if (unknown !== undefined) throw new UsageError(`there is no part ${unknown}\n${usage}`)
  const isChosen = (part: string) => only?.includes(part) ?? (part !== 'huge' || values.huge)
  installPeers()

  await using cleanup = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-bench-'))
  cleanup.defer(() => rm(folder, { recursive: true }))
  const generator = cleanup.use(startLoad())
  const benchRun = { folder, rounds, milliseconds, generator }
  const { throughput, memory } = await measureThroughput(benchRun, isChosen)
  const figures: Figures = {
    date: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
    machine: machine(),
    rounds,
    milliseconds,
    throughput: throughputFigures(throughput),
    memory,
  }
  if (isChosen('operations')) figures.operations = pairFigures(await measureManyOperations(benchRun))
  if (isChosen('million')) figures.million = await measureMillion(benchRun)
  if (isChosen('start')) figures.start = startFigures(await measureStart(benchRun))
  if (isChosen('huge')) {
    const { list, create } = await measureHuge(benchRun)
    figures.huge = { list: pairFigures(list), create: pairFigures(create) }
  }
  const page = figuresAsMarkdown(figures)
  process.stdout.write(page)
  if (only !== undefined) return
  await writeFile(join(projectFolder, 'docs/bench/figures.md'), page)
  await writeFile(join(projectFolder, 'docs/bench/plot.svg'), plotFigures(figures))
}

function machine(): Figures['machine'] {
  const processors = cpus()
  const database = new Database(':memory:')
  const sqlite = database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  database.close()
  return {
    processor: processors[0]?.model ?? 'unknown',
    processors: processors.length,
    node: process.versions.node,
    sqlite,
  }
}
