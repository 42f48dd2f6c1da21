import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { runCommand } from '../scripts/command.ts'
import { installPeers } from './install-peers.ts'
import { type Figures, figuresAsJson } from './report/figures.ts'
import { startLoad } from '../scripts/measure/load/start-load.ts'
import { measureInstalls } from './measurements/installs.ts'
import { measureHuge } from './measurements/huge-file.ts'
import { measureManyOperations } from './measurements/many-operations.ts'
import { measureMillion } from './measurements/million-plants.ts'
import { measureProcesses } from './measurements/processes.ts'
import { measureStart } from './measurements/start-time.ts'
import { measureThroughput } from './measurements/throughput.ts'
import { type BenchOptions, type OtherPart, readOptions } from './options.ts'
import { createProgress } from '../scripts/measure/report/progress.ts'
import { figuresAsMarkdown } from './report/markdown.ts'
import { plotFigures } from './report/plot.ts'
import { type Rounds, summarize } from './report/summarize.ts'
import { figuresAsText } from './report/text.ts'

const reportFolder = join(import.meta.dirname, '../docs/bench')

/** Measures the project and its peers, and prints the figures. A complete run writes them to docs/bench/. */
async function run(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  installPeers()
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-bench-'))
  try {
    const figures = summarize(await measureAll(options, folder))
    console.log(figuresAsText(figures))
    if (options.only === undefined) await writeReport(figures)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function measureAll({ only, huge, rounds, milliseconds }: BenchOptions, folder: string): Promise<Rounds> {
  const progress = createProgress()
  const generator = startLoad()
  const benchRun = { folder, rounds, milliseconds, generator, onProgress: progress.show }
  function isChosen(part: OtherPart): boolean {
    return only === undefined || only.has(part)
  }
  try {
    const measured: Rounds = {
      date: new Date().toISOString().slice(0, 10),
      machine: machine(),
      rounds,
      milliseconds,
      ...(await measureThroughput(benchRun, only)),
    }
    if (isChosen('operations')) measured.operations = await measureManyOperations(benchRun)
    if (isChosen('million')) measured.million = await measureMillion(benchRun)
    if (isChosen('start')) measured.start = await measureStart(benchRun)
    if (isChosen('installs')) measured.installs = measureInstalls()
    if (isChosen('processes')) measured.processes = await measureProcesses(benchRun)
    if (huge) measured.huge = await measureHuge(benchRun)
    return measured
  } finally {
    progress.end()
    await generator.stop()
  }
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

async function writeReport(figures: Figures): Promise<void> {
  await mkdir(reportFolder, { recursive: true })
  await writeFile(join(reportFolder, 'figures.json'), figuresAsJson(figures))
  await writeFile(join(reportFolder, 'figures.md'), figuresAsMarkdown(figures))
  await writeFile(join(reportFolder, 'plot.svg'), plotFigures(figures))
  console.log('\nwrote docs/bench/figures.json, figures.md and plot.svg')
}

await runCommand(run)
