import { printable } from '../../src/json/printable.ts'
import { limitConcurrency } from '../../src/store/batch.ts'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { type PartName, type PartResult, parts } from './check/parts.ts'

const usage = `Usage: npm run check                 runs all checks of a change of the contract
       npm run check -- PART...      runs some of them: ${Object.keys(parts).join(', ')}`

const concurrency = 2

/** The slowest parts. They start first, so that the others run beside them. */
const slowest: PartName[] = ['examples', 'format', 'types', 'code']

type TimedResult = PartResult & { seconds: number }

/** Runs the parts. Prints one line for each, in their order, and then the details of those that failed. */
async function run(): Promise<void> {
  const failed: [PartName, string][] = []
  for (const [name, promise] of startAll(readNames())) {
    const { ok, summary, details, seconds } = await promise
    console.log(`${ok ? '✓' : '✗'} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(4)} s  ${summary}`)
    if (!ok) failed.push([name, details])
  }
  for (const [name, details] of failed) console.error(`\n${name}\n${details.split('\n').map(printable).join('\n')}`)
  process.exitCode = failed.length === 0 ? 0 : 1
}

function readNames(): PartName[] {
  const { positionals } = readArguments(usage, { allowPositionals: true, options: {} })
  const unknown = positionals.filter((name) => !Object.hasOwn(parts, name))
  if (unknown.length > 0) throw new UsageError(`there is no part ${unknown.join(', ')}\n${usage}`)
  // Every name is the name of a part.
  return (positionals.length === 0 ? Object.keys(parts) : positionals) as PartName[]
}

function startAll(names: PartName[]): [PartName, Promise<TimedResult>][] {
  const limit = limitConcurrency(concurrency)
  const inOrder = names.toSorted((a, b) => rank(a) - rank(b))
  const results = new Map(inOrder.map((name) => [name, limit(() => timed(name))]))
  return names.map((name) => [name, results.get(name)!])
}

function rank(name: PartName): number {
  return slowest.includes(name) ? slowest.indexOf(name) : slowest.length
}

async function timed(name: PartName): Promise<TimedResult> {
  const start = performance.now()
  const result = await parts[name]('.')
  return { ...result, seconds: (performance.now() - start) / 1000 }
}

await runCommand(run)
