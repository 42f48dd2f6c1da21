import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readArguments, runCommand } from '../command.ts'
import { capacitySection, insertSection } from './capacity/capacity-section.ts'

const usage = `Usage: npm run capacity -- [--write]
    computes what machines a load takes, from docs/bench/figures.json and docs/bench/citus.json, and prints it;
    --write puts it into docs/postgres.md`

const docs = join(import.meta.dirname, '../../docs')

async function run(): Promise<void> {
  const { values } = readArguments(usage, { options: { write: { type: 'boolean' } } })
  const [figures, citus] = await Promise.all(
    ['bench/figures.json', 'bench/citus.json'].map((file) => readFile(join(docs, file), 'utf8')),
  )
  const section = capacitySection(figures ?? '', citus ?? '')
  if (values.write !== true) {
    console.log(section)
    return
  }
  const page = join(docs, 'postgres.md')
  await writeFile(page, insertSection(await readFile(page, 'utf8'), section))
}

await runCommand(run)
