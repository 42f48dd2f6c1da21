import { mkdirSync, writeFileSync } from 'node:fs'
import { readArguments, readInteger, runCommand } from '../command.ts'
import { createProgress } from './report/progress.ts'
import { plotSoak } from './soak/plot-soak.ts'
import { errorsOf, soak } from './soak/soak.ts'

const usage = 'Usage: npm run soak -- [--minutes N]   loads a server for N minutes (10)'
const folder = 'docs/soak'

async function run(): Promise<void> {
  const { values } = readArguments(usage, { options: { minutes: { type: 'string', default: '10' } } })
  const minutes = readInteger(usage, '--minutes', values.minutes, 1)
  const progress = createProgress()
  const figures = await soak(minutes, progress.show)
  progress.end()
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/figures.json`, `${JSON.stringify(figures, undefined, 2)}\n`)
  writeFileSync(`${folder}/soak.svg`, plotSoak(figures))
  console.table(figures.minutes.map((minute) => ({ ...minute, errors: errorsOf(minute) })))
  console.log(`written to ${folder}`)
}

await runCommand(run)
