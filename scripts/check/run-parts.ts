import { type PartName, type PartResult, parts } from './parts.ts'

/** How many parts run at a time. */
const concurrency = 2

/**
 * Runs parts of the gate and prints one line for each, in their order, then what failed.
 *
 * @returns whether all of them passed
 */
export async function runParts(names: PartName[], root: string): Promise<boolean> {
  const running = startAll(names, root)
  const failed: [PartName, string][] = []
  for (const [name, promise] of running) {
    const { ok, summary, details, seconds } = await promise
    console.log(`${ok ? '✓' : '✗'} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(4)} s  ${summary}`)
    if (!ok) failed.push([name, details])
  }
  for (const [name, details] of failed) console.error(`\n${name}\n${details}`)
  return failed.length === 0
}

/** The slowest parts start first, so that the others run beside them. */
const slowest: PartName[] = ['code', 'types', 'examples']

function startAll(names: PartName[], root: string): [PartName, Promise<TimedResult>][] {
  const results = new Map(names.map((name) => [name, Promise.withResolvers<TimedResult>()]))
  const waiting = names.toSorted((a, b) => rank(a) - rank(b))
  async function work(): Promise<void> {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { resolve, reject } = results.get(name)!
      await timed(name, root).then(resolve, reject)
    }
  }
  for (let worker = 0; worker < concurrency; worker++) void work()
  return names.map((name) => [name, results.get(name)!.promise])
}

function rank(name: PartName): number {
  return slowest.includes(name) ? slowest.indexOf(name) : slowest.length
}

type TimedResult = PartResult & { seconds: number }

async function timed(name: PartName, root: string): Promise<TimedResult> {
  const start = performance.now()
  const result = await parts[name](root)
  return { ...result, seconds: (performance.now() - start) / 1000 }
}
