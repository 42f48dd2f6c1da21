import { type FaultKind, Unjudged } from '../ground/fault.ts'
import type { WireRequest } from '../ground/exchange.ts'
import { type LeftOutCause, LeftOut } from '../ground/left-out.ts'
import type { BrokenRule } from '../state/test-case.ts'
import { type Counterexample, type FailedCase, BrokenProperty } from './property.ts'
import { faultOf, isOfValid } from './report-key.ts'
import type { Note, Trail } from './trail.ts'

/** What a case is about. */
export interface Named {
  /** The id of an operation, and its method and path; undefined for what concerns several. */
  operation?: string
  route?: string
  title: string
  broken?: BrokenRule | undefined
}

/** What came of a case. Notes are what is neither right nor a fault. */
export type Result = Named & { notes: Note[] } & Outcome

type Outcome =
  | {
      verdict: 'ok'
      /** How many requests were sent: one at least. */
      requests: number
    }
  | {
      verdict: 'left out'
      because: LeftOutCause
      /** With the remedy, where there is one. */
      reason: string
    }
  | {
      /** Neither right nor wrong can be said. */
      verdict: 'not judged'
      reason: string
    }
  | {
      verdict: 'fault'
      /** Each of another cause. */
      faults: readonly [ShownFault, ...ShownFault[]]
    }

/** A fault of the server, with what shows it. */
export interface ShownFault {
  kind: FaultKind
  problem: string
  /** Those of the smallest case that shows the fault. The last one shows it. */
  requests: WireRequest[]
  counterexample?: Counterexample
  /** Whether a valid request shows it, in a test of broken ones. */
  isOfValid?: true
}

/** The title of the test of valid requests, behind the id of the operation. */
export const titleOfValid = 'accepts valid requests'

/** Runs a case, and says what came of it. @throws Error if the suite itself is at fault */
export async function outcomeOf(test: () => Promise<void>, trail: Trail): Promise<Outcome> {
  const before = trail.count
  try {
    await test()
    const requests = trail.count - before
    if (requests === 0) throw new LeftOut('nothing to send', 'it sends no request')
    return { verdict: 'ok', requests }
  } catch (error) {
    if (error instanceof LeftOut) return leftOut(error)
    if (error instanceof Unjudged) return { verdict: 'not judged', reason: error.message }
    const [first, ...others]: readonly [ShownCase, ...ShownCase[]] =
      error instanceof BrokenProperty ? error.cases : [{ error, requests: trail.requests }]
    const causes = [first, ...others].map((each) => each.error)
    if (causes.some((cause) => cause instanceof TypeError || cause instanceof ReferenceError)) throw error
    const tooMuch = causes.find((cause) => cause instanceof RangeError)
    if (tooMuch !== undefined) return { verdict: 'not judged', reason: `too much for the suite: ${tooMuch.message}` }
    return { verdict: 'fault', faults: [shownFault(first), ...others.map(shownFault)] }
  }
}

/** A case that fails, of a property or of a test without one. */
type ShownCase = Pick<FailedCase, 'error' | 'requests'> & Partial<FailedCase>

function shownFault({ error, ...shown }: ShownCase): ShownFault {
  return { ...faultOf(error), ...(isOfValid(error) ? { isOfValid: true } : {}), ...shown }
}

/** What is said of a case that cannot be run. */
export function leftOut({ because, message }: LeftOut): Extract<Outcome, { verdict: 'left out' }> {
  return { verdict: 'left out', because, reason: message }
}

/** Whether a result says that something was not tested that should have been. */
export function isUntested(result: Result): boolean {
  const harmless: LeftOutCause[] = ['skipped', 'not implemented', 'nothing to send']
  return result.verdict === 'left out' && !harmless.includes(result.because)
}
