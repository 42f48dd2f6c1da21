import type { Clock } from '../ground/clock.ts'
import { routeOf } from '../ground/contract.ts'
import { LeftOut } from '../ground/left-out.ts'
import type { KnownItems } from '../state/known-items.ts'
import type { Check, Test } from '../state/test-case.ts'
import type { TestGroup } from './cases.ts'
import { type PropertyOptions, checkProperty } from './property.ts'
import { type Cause, causeOf, faultOf, hasCause, isOfValid } from './report-key.ts'
import { type Named, type Result, outcomeOf, titleOfValid } from './result.ts'
import type { Trail } from './trail.ts'

/** A case, which is not tried before it is run. */
export interface Case extends Named {
  /** About how many requests it sends where there is time for all. */
  weight: number
  /**
   * @param limit the time in milliseconds after which what has been tried is enough
   * @param shrinkTime the time to make the first request small that shows a fault; `limit` by default
   */
  run: (limit?: number, shrinkTime?: number) => Promise<Result>
}

/** The cases of an operation, or of several. To list them takes time. */
export interface CaseGroup extends Omit<Named, 'title'> {
  cases: () => Case[]
}

/** The time of a case, and of the search for a smaller one. */
interface Limits {
  limit: number
  shrinkTime: number
}

/** What becomes of the failures of a case, among those of its operation. */
type Failures = Pick<PropertyOptions, 'isKnown' | 'onFailure'>

interface RunnerTools {
  clock: Clock
  trail: Trail
  items: KnownItems
  isStrict: boolean
  seed: number
  /** How many times as many runs each property gets. */
  scale: number
  path: string | undefined
}

const limited = 'every request got 429; test a server without a limit of requests'

/** Runs cases, one after the other. */
export class CaseRunner {
  readonly #tools: RunnerTools
  /** Those of the case of the moment. */
  #failures: Failures = {}

  constructor(tools: RunnerTools) {
    this.#tools = tools
  }

  /** Tries a property of the case of the moment. */
  readonly check: Check = (arbitrary, runs, testOne) => {
    const { scale, ...tools } = this.#tools
    const numRuns = Math.ceil(runs * scale)
    return checkProperty(arbitrary, testOne, { ...tools, numRuns, ...this.#failures })
  }

  /** Gives what came of a test. */
  async resultOf(named: Named, test: () => Promise<void>, failures: Failures = {}, limits?: Limits): Promise<Result> {
    const { trail, clock, items, isStrict } = this.#tools
    trail.startCase()
    clock.startCase(limits?.limit, limits?.shrinkTime)
    this.#failures = failures
    const outcome = await outcomeOf(async () => {
      await test()
      if (!isStrict && trail.requests.length > 0 && !trail.isAnswered) throw new LeftOut('value', limited)
    }, trail)
    clock.endCase()
    if (outcome.verdict === 'fault') items.spare(outcome.faults.flatMap(({ requests }) => requests))
    return { ...named, notes: [...trail.notes.values()], ...outcome }
  }

  /** Makes cases of tests. */
  groupOf({ operation, tests }: TestGroup): CaseGroup {
    const of = operation === undefined ? {} : { operation: operation.id, route: routeOf(operation) }
    const reported: Cause[] = []
    const caseOf = ({ title, weight, broken, run }: Test): Case => {
      const named: Named = { ...of, title: operation === undefined ? title : `${operation.id} ${title}`, broken }
      const causeIn = (error: unknown) => {
        const own = isOfValid(error) ? { title: `${operation?.id ?? ''} ${titleOfValid}` } : named
        return causeOf({ ...own, ...faultOf(error) })
      }
      const isReported = (error: unknown) => reported.some((cause) => hasCause(causeIn(error), cause))
      const isKnown = (error: unknown) => isOfValid(error) && isReported(error)
      // One small request for each cause is enough, and gets more of the time.
      const onFailure = (error: unknown) => {
        if (isReported(error)) return false
        reported.push(causeIn(error))
        this.#tools.clock.extendCase()
        return true
      }
      return {
        ...named,
        weight,
        run: async (limit, shrinkTime) => {
          const limits = limit === undefined ? undefined : { limit, shrinkTime: shrinkTime ?? limit }
          const failures = limits === undefined ? { isKnown } : { isKnown, onFailure }
          const result = await this.resultOf(named, run, failures, limits)
          if (result.verdict === 'fault')
            reported.push(...result.faults.map((fault) => causeOf({ ...named, ...fault })))
          return result
        },
      }
    }
    return { ...of, cases: () => tests().map(caseOf) }
  }
}
