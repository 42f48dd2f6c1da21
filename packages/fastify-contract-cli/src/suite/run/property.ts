import fc from 'fast-check'
import { Fault, Unjudged, shortened } from '../ground/fault.ts'
import { LeftOut } from '../ground/left-out.ts'
import type { WireRequest } from '../ground/exchange.ts'
import type { Clock } from '../ground/clock.ts'
import { messageOf } from './message-of.ts'
import { type Cause, causeOfError, hasCause } from './report-key.ts'
import type { Trail } from './trail.ts'

/** How many runs of a test cannot be judged before it ends. */
const maxUnjudged = 3
/** How many causes of failures are found before a test ends. */
const maxCauses = 5

/** What was drawn for the smallest case that fails. */
export interface Counterexample {
  shown: string
  /** Repeats it, with the seed. */
  path: string
}

/** The smallest case that was found in which a property does not hold for one cause. */
export interface FailedCase {
  error: unknown
  counterexample: Counterexample
  requests: WireRequest[]
}

/** A property does not hold. */
export class BrokenProperty extends Error {
  /** Each of another cause. */
  readonly cases: readonly [FailedCase, ...FailedCase[]]

  constructor(cases: BrokenProperty['cases']) {
    super(cases.map(({ error }) => messageOf(error)).join('; '))
    this.cases = cases
  }
}

export interface PropertyOptions {
  seed: number
  numRuns: number
  path: string | undefined
  /** Ends the drawing, the runs, and the search for a smaller case. */
  clock: Clock
  /** Whether a failure is reported already. */
  isKnown?: (error: unknown) => boolean
  /**
   * Takes the first failure of each cause. With it, one run is enough where the time is up; without it, a property holds
   * after all.
   *
   * @returns whether a smaller case is looked for; it is by default
   */
  onFailure?: (error: unknown) => boolean
  trail: Trail
}

/** @throws BrokenProperty, Unjudged, or LeftOut without a run */
export async function checkProperty<Drawn>(
  arbitrary: fc.Arbitrary<Drawn>,
  testOne: (drawn: Drawn) => Promise<void>,
  { seed, numRuns, path, clock, trail, isKnown, onFailure }: PropertyOptions,
): Promise<void> {
  let runs = 0
  const causes: Cause[] = []
  /** Of the failure that is made smaller. */
  let cause: Cause | undefined
  let isShrunk = false
  let stopped: LeftOut | undefined
  let avoided: LeftOut | undefined
  const unjudged: Unjudged[] = []
  // The last case that fails is the smallest.
  let requests: WireRequest[] = []
  const property = fc.asyncProperty(arbitrary, async (drawn) => {
    trail.requests = []
    try {
      clock.assertLeft()
      await testOne(drawn)
      runs++
    } catch (error) {
      if (error instanceof LeftOut) {
        // Another request may go elsewhere.
        if (error.because === 'skipped') {
          avoided = error
          throw new fc.PreconditionFailure()
        }
        stopped ??= error
        // The plugin `interruptAfterTimeLimit` would abandon the run, whose requests would disturb the next test.
        throw new fc.PreconditionFailure(true)
      }
      if (error instanceof Unjudged) {
        // Another run may show a fault.
        if (unjudged.push(error) < maxUnjudged) return
        throw new fc.PreconditionFailure(true)
      }
      const own = causeOfError(error)
      const isFirst = cause === undefined && isKnown?.(error) !== true && !causes.some((known) => hasCause(own, known))
      // A smaller case of another cause shows another fault.
      if (!isFirst && (cause === undefined || !hasCause(cause, own))) return
      if (cause === undefined) isShrunk = onFailure?.(error) ?? true
      cause = own
      requests = trail.requests
      throw error
    } finally {
      clock.endGrace()
    }
  })
  const shrink = property.shrink.bind(property)
  property.shrink = (value) => (isShrunk ? fc.stream(untilLeftOut(() => shrink(value))) : fc.Stream.nil())
  const failed: FailedCase[] = []
  let next = 0
  do {
    const options =
      path === undefined ? { path: String(next), numRuns: numRuns - next } : { path, numRuns, endOnFailure: true }
    cause = undefined
    const { counterexample, counterexamplePath, errorInstance } = await fc
      .check(property, { seed, ...options })
      .catch((error: unknown) => {
        if (!(error instanceof LeftOut)) throw error
        // No value was drawn. Where one fails, no more are.
        stopped ??= error
        return { counterexample: null, counterexamplePath: null, errorInstance: undefined }
      })
    if (counterexample === null) break
    causes.push(causeOfError(errorInstance))
    const found = { shown: shortened(fc.stringify(counterexample), 2_000), path: counterexamplePath }
    failed.push({ error: errorInstance, counterexample: found, requests })
    next = parseInt(found.path, 10) + 1
    // Each other run might wait as long.
    if (errorInstance instanceof Fault && errorInstance.kind === 'no response') break
  } while (path === undefined && next < numRuns && failed.length < maxCauses)
  const [first, ...others] = failed
  if (first !== undefined) throw new BrokenProperty([first, ...others])
  if (unjudged[0] !== undefined) throw unjudged[0]
  const isUnknown = stopped?.because === 'not implemented' || stopped?.because === 'no response'
  if (runs === 0) stopped ??= avoided
  const isEnough = runs > 0 && onFailure !== undefined && !isUnknown
  if (stopped !== undefined && !isEnough) throw stopped
}

/** Ends where no more can be drawn, or the time is up. */
function* untilLeftOut<Value>(draw: () => Iterable<Value>): IterableIterator<Value> {
  try {
    yield* draw()
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error
  }
}
