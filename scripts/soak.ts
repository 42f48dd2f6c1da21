import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createProgress } from './bench/progress.ts'
import { plotSoak } from './soak/plot-soak.ts'
import { soak } from './soak/soak.ts'

const folder = 'docs/soak'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!Number.isInteger(minutes) || minutes < 1) {
  console.error('Usage: npm run soak -- [--minutes N]   loads the server for N minutes, 10 unless told')
  process.exitCode = 1
} else {
  const progress = createProgress()
  const figures = await soak(minutes, progress.tell)
  progress.end()
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/figures.json`, `${JSON.stringify(figures, undefined, 2)}\n`)
  writeFileSync(`${folder}/soak.svg`, plotSoak(figures))
  console.table(figures.minutes.map(({ errors, ...minute }) => ({ ...minute, errors: Object.values(errors).reduce((sum, count) => sum + count, 0) })))
  console.log(`written to ${folder}`)
}
