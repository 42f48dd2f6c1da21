import fc from 'fast-check'
import { expect } from 'vitest'

const environment = process.env

/** What every property starts from; printed, so that a run can be repeated. */
export const seed = Number(environment['CONTRACT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** How many times as many runs each property gets as by default. */
export const scale = Number(environment['CONTRACT_SCALE'] ?? 1)

/** How long one property may take, in milliseconds. */
export const propertyTimeout = 60_000 * Math.max(1, scale)

/** Whether this run is of everything, so that what it has not seen is missing. */
export const isWholeRun = environment['CONTRACT_PART'] === undefined

/** fast-check's name for one case of a property, when that alone is to be repeated. */
const path = environment['CONTRACT_PATH']

/** A property and what it is drawn from. */
export type Property<Drawn> = fc.IAsyncPropertyWithHooks<Drawn>

/**
 * Checks a property.
 *
 * @param runs how often in a default run
 * @param replaysByPath false for the runs of commands, which a path alone does not name
 * @throws Error with the smallest counterexample, its seed and the command that repeats it
 */
export async function check<Drawn>(property: Property<Drawn>, runs: number, replaysByPath = true): Promise<void> {
  const repeated = path !== undefined && replaysByPath ? { path, endOnFailure: true } : {}
  const details = await fc.check(property, { seed, numRuns: Math.ceil(runs * scale), ...repeated })
  if (!details.failed) return
  const title = expect.getState().currentTestName?.replace(/^.* > /, '') ?? ''
  const at = replaysByPath && details.counterexamplePath !== null ? ` --path ${details.counterexamplePath}` : ''
  throw new Error(
    `${String(fc.defaultReportMessage(details))}\n\n` +
      `Repeat it: npm run test:contract -- --seed ${String(seed)}${at} --only ${JSON.stringify(title)}`,
    { cause: details.errorInstance },
  )
}
