import fc from 'fast-check'
import { Unjudged, shortened } from '../ground/fault.ts'
import { LeftOut } from '../ground/left-out.ts'
import type { WireRequest } from '../ground/exchange.ts'
import type { Clock } from '../ground/clock.ts'
import { messageOf } from './message-of.ts'
import type { Trail } from './trail.ts'

/** How many runs of a test cannot be judged before it ends. */
const maxUnjudged = 3

/** What was drawn for the smallest case that fails. */
export interface Counterexample {
  shown: string
  /** Repeats it, with the seed. */
  path: string
}

/** A property does not hold. The message is that of the smallest case that was found. */
export class BrokenProperty extends Error {
  readonly found: Counterexample
  /** The requests of the case. */
  readonly requests: WireRequest[]

  constructor(cause: unknown, drawn: unknown, path: string, requests: WireRequest[]) {
    super(messageOf(cause), { cause })
    this.requests = requests
    this.found = { shown: shortened(fc.stringify(drawn), 2_000), path }
  }
}

export interface PropertyOptions {
  seed: number
  numRuns: number
  path: string | undefined
  /** Ends the drawing, the runs, and the search for a smaller case. */
  clock: Clock
  /**
   * Takes the first failure. With it, one run is enough where the time is up; without it, a property holds after all.
   *
   * @returns whether a smaller case is looked for; it is by default
   */
  onFailure: ((error: unknown) => boolean) | undefined
  trail: Trail
}

/** @throws BrokenProperty, Unjudged, or LeftOut without a run */
export async function checkProperty<Drawn>(
  arbitrary: fc.Arbitrary<Drawn>,
  testOne: (drawn: Drawn) => Promise<void>,
  { seed, numRuns, path, clock, trail, onFailure }: PropertyOptions,
): Promise<void> {
  let runs = 0
  let isShrunk: boolean | undefined
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
      requests = trail.requests
      isShrunk ??= onFailure?.(error) ?? true
      throw error
    } finally {
      clock.endGrace()
    }
  })
  const shrink = property.shrink.bind(property)
  property.shrink = (value) => (isShrunk === true ? fc.stream(untilLeftOut(shrink(value))) : fc.Stream.nil())
  const options = { seed, numRuns, ...(path === undefined ? {} : { path, endOnFailure: true }) }
  const { failed, errorInstance, counterexample, counterexamplePath } = await fc
    .check(property, options)
    .catch((error: unknown) => {
      if (!(error instanceof LeftOut)) throw error
      // No value was drawn. Where one fails, no more are.
      stopped ??= error
      return { failed: false, errorInstance: undefined, counterexample: undefined, counterexamplePath: undefined }
    })
  const isBroken = failed && counterexample !== null
  if (isBroken) throw new BrokenProperty(errorInstance, counterexample, String(counterexamplePath), requests)
  if (unjudged[0] !== undefined) throw unjudged[0]
  const isUnknown = stopped?.because === 'not implemented' || stopped?.because === 'no response'
  if (runs === 0) stopped ??= avoided
  const isEnough = runs > 0 && onFailure !== undefined && !isUnknown
  if (stopped !== undefined && !isEnough) throw stopped
}

/** Ends where no more can be drawn, or the time is up. */
function* untilLeftOut<Value>(values: Iterable<Value>): IterableIterator<Value> {
  try {
    yield* values
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error
  }
}
