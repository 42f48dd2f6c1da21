import { parseArgs } from 'node:util'
import { type Part, type Recorded, describeDifferences, keep, parts, record, recorded } from './recording.ts'

const usage = `Usage: node test/golden/record.ts [--check] [PART …]

Records what the service answers and its commands print: ${parts.join(', ')}. With --check it writes nothing, says what
differs from what is recorded, and fails if anything does.`

function readCommand(): { isCheck: boolean; chosen: Part[] } {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } })
  const chosen = parts.filter((part) => positionals.length === 0 || positionals.includes(part))
  if (positionals.some((word) => !parts.some((part) => part === word))) throw new Error(usage)
  return { isCheck: values.check === true, chosen }
}

const { isCheck, chosen } = readCommand()
const made: Partial<Record<Part, Recorded>> = {}

async function make(part: Part): Promise<void> {
  const start = performance.now()
  const all = await record(part)
  made[part] = all
  const differences = describeDifferences(await recorded(part), all)
  const seconds = ((performance.now() - start) / 1_000).toFixed(1)
  const result = differences === '' ? 'as recorded' : differences
  console.log(`${part}: ${String(Object.keys(all).length)} in ${seconds} s, ${result}`)
  if (isCheck && differences !== '') process.exitCode = 1
}

// A store keeps one processor busy; the others keep all.
const [stores, others] = [
  ['sqlite', 'postgres'],
  ['commands', 'contracts'],
] as const
await Promise.all(stores.filter((part) => chosen.includes(part)).map(make))
for (const part of others) if (chosen.includes(part)) await make(part)
if (!isCheck) await keep(made)
