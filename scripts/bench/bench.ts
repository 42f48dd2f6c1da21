import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Figures } from './figures.ts'
import { startLoad } from './load/start-load.ts'
import { measureHuge } from './measurements/huge-file.ts'
import { measureManyOperations } from './measurements/many-operations.ts'
import { measureMillion } from './measurements/million-plants.ts'
import { measureProcesses } from './measurements/processes.ts'
import { measureStart } from './measurements/start-time.ts'
import { measureThroughput } from './measurements/throughput.ts'
import { BadOptions, type BenchOptions, type OtherPart, readOptions } from './options.ts'
import { createProgress } from './progress.ts'
import { figuresAsMarkdown } from './report/markdown.ts'
import { plotFigures } from './report/plot.ts'
import { figuresAsText } from './report/text.ts'

const reportFolder = join(import.meta.dirname, '../../docs/bench')

/**
 * Measures the project beside its peers, prints the figures and, after a whole run, writes them to docs/bench/.
 *
 * @param args the command's arguments
 * @returns the exit code
 */
export async function bench(args: string[]): Promise<number> {
  let options: BenchOptions
  try {
    options = readOptions(args)
  } catch (error) {
    if (!(error instanceof BadOptions)) throw error
    console.error(error.message)
    return 1
  }
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-bench-'))
  try {
    const figures = await measureAll(options, folder)
    console.log(figuresAsText(figures))
    if (options.only === undefined) await writeReport(figures)
    return 0
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function measureAll({ only, huge, rounds, milliseconds }: BenchOptions, folder: string): Promise<Figures> {
  const progress = createProgress()
  const generator = startLoad()
  function isChosen(part: OtherPart): boolean {
    return only === undefined || only.has(part)
  }
  try {
    const figures: Figures = {
      date: new Date().toISOString().slice(0, 10),
      machine: machine(),
      rounds,
      milliseconds,
      ...(await measureThroughput({ only, rounds, milliseconds, folder, generator, onProgress: progress.tell })),
    }
    if (isChosen('operations')) {
      progress.tell('list 20 with 3 and with 1,000 operations in the contract')
      figures.operations = await measureManyOperations(folder, rounds, milliseconds, generator)
    }
    if (isChosen('million')) {
      progress.tell('a list of 1,000,000 plants')
      figures.million = await measureMillion(folder)
    }
    if (isChosen('start')) {
      progress.tell('from the start to the first answer')
      figures.start = await measureStart(folder, rounds)
    }
    if (isChosen('processes')) figures.processes = await measureProcesses(folder, rounds, milliseconds, generator, progress.tell)
    if (huge) figures.huge = await measureHuge(folder, rounds, milliseconds, generator, progress.tell)
    return figures
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
  return { processor: processors[0]?.model ?? 'unknown', processors: processors.length, node: process.versions.node, sqlite }
}

async function writeReport(figures: Figures): Promise<void> {
  await mkdir(reportFolder, { recursive: true })
  await writeFile(join(reportFolder, 'figures.json'), `${JSON.stringify(figures, null, 2)}\n`)
  await writeFile(join(reportFolder, 'figures.md'), figuresAsMarkdown(figures))
  await writeFile(join(reportFolder, 'plot.svg'), plotFigures(figures))
  console.log('\nwrote docs/bench/figures.json, figures.md and plot.svg')
}
