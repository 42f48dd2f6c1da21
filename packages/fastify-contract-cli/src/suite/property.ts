import fc from 'fast-check'
import { Fault, type FaultKind, NotImplemented } from './fault.ts'
import type { Exchange, WireRequest } from './send.ts'
import { Undrawable } from './undrawable.ts'

/** How many requests are kept of one case. */
const mostKept = 10

/** Keeps the last requests of a case, and counts all. */
export class Trail {
  requests: WireRequest[] = []
  count = 0

  /** Sends requests and keeps them. */
  through(exchange: Exchange): Exchange {
    return (request) => {
      this.count++
      this.requests = [...this.requests.slice(1 - mostKept), request]
      return exchange(request)
    }
  }
}

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
    const shown = fc.stringify(drawn)
    this.found = { shown: shown.length > 2_000 ? `${shown.slice(0, 2_000)}…` : shown, path }
  }
}

export interface PropertyOptions {
  seed: number
  numRuns: number
  path: string | undefined
  /** In milliseconds. */
  limit: number
  /** Whether too little time is a fault. If not, what has been tried is enough. */
  isWhole: boolean
  trail: Trail
}

/** @throws BrokenProperty, Undrawable where no value is found, or NotImplemented */
export async function checkProperty<Drawn>(
  arbitrary: fc.Arbitrary<Drawn>,
  testOne: (drawn: Drawn) => Promise<void>,
  { seed, numRuns, path, limit, isWhole, trail }: PropertyOptions,
): Promise<void> {
  const deadline = performance.now() + limit
  let stopped: unknown
  // The last case that fails is the smallest.
  let requests: WireRequest[] = []
  const testUnlessStopped = async (drawn: Drawn) => {
    if (stopped !== undefined || (!isWhole && performance.now() > deadline)) return
    trail.requests = []
    try {
      await testOne(drawn)
    } catch (error) {
      requests = trail.requests
      if (!(error instanceof NotImplemented || error instanceof Undrawable)) throw error
      // There is no smaller case of it.
      stopped = error
    }
  }
  const { failed, errorInstance, counterexample, counterexamplePath } = await fc.check(
    fc.asyncProperty(arbitrary, testUnlessStopped),
    {
      seed,
      numRuns,
      ...(path === undefined ? {} : { path, endOnFailure: true }),
      plugins: isWhole ? [fc.interruptAfterTimeLimit(limit, { failOnInterrupt: true })] : [],
    },
  )
  if (stopped instanceof Error) throw stopped
  if (failed) throw new BrokenProperty(errorInstance, counterexample, String(counterexamplePath), requests)
}

/** What kind of fault an error is. */
export function kindOf(error: unknown): FaultKind {
  const cause = error instanceof BrokenProperty ? error.cause : error
  return cause instanceof Fault ? cause.kind : 'broken response'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
