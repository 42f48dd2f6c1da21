import type { Clock } from '../ground/clock.ts'
import { routeOf } from '../ground/contract.ts'
import { LeftOut } from '../ground/left-out.ts'
import type { KnownItems } from '../state/known-items.ts'
import type { Check, Test } from '../state/test-case.ts'
import type { TestGroup } from './cases.ts'
import { checkProperty } from './property.ts'
import { causeOf, reportKey } from './report-key.ts'
import { type Named, type Result, faultOf, outcomeOf } from './result.ts'
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

/** The time of a case, and what takes the first failure of each cause and says whether a smaller one is looked for. */
interface Limits {
  limit: number
  shrinkTime: number
  onFailure: (error: unknown) => boolean
}

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

/** Within one case, the test and the rule are the same. */
const causeOfError = (error: unknown) => causeOf({ title: '', ...faultOf(error) })

const limited = 'every request got 429; test a server without a limit of requests'

/** Runs cases, one after the other. */
export class CaseRunner {
  readonly #tools: RunnerTools
  /** Those of the case of the moment. */
  #limits: Limits | undefined

  constructor(tools: RunnerTools) {
    this.#tools = tools
  }

  /** Tries a property of the case of the moment. */
  readonly check: Check = (arbitrary, runs, testOne) => {
    const { scale, ...tools } = this.#tools
    const numRuns = Math.ceil(runs * scale)
    return checkProperty(arbitrary, testOne, {
      ...tools,
      numRuns,
      causeOf: causeOfError,
      onFailure: this.#limits?.onFailure,
    })
  }

  /** Gives what came of a test. */
  async resultOf(named: Named, test: () => Promise<void>, limits?: Limits): Promise<Result> {
    const { trail, clock, items, isStrict } = this.#tools
    trail.startCase()
    clock.startCase(limits?.limit, limits?.shrinkTime)
    this.#limits = limits
    const outcome = await outcomeOf(async () => {
      await test()
      if (!isStrict && trail.requests.length > 0 && !trail.isAnswered) throw new LeftOut('value', limited)
    }, trail)
    clock.endCase()
    if (outcome.verdict === 'fault') items.spare(outcome.faults.flatMap(({ requests }) => requests))
    return { ...named, notes: [...trail.notes], ...outcome }
  }

  /** Makes cases of tests. */
  groupOf({ operation, tests }: TestGroup): CaseGroup {
    const of = operation === undefined ? {} : { operation: operation.id, route: routeOf(operation) }
    const reported = new Set<string>()
    const caseOf = ({ title, weight, broken, run }: Test): Case => {
      const named: Named = { ...of, title: operation === undefined ? title : `${operation.id} ${title}`, broken }
      // One small request for each cause is enough, and gets more of the time.
      const onFailure = (error: unknown) => {
        const key = reportKey({ ...named, ...faultOf(error) })
        if (reported.has(key)) return false
        reported.add(key)
        this.#tools.clock.extendCase()
        return true
      }
      return {
        ...named,
        weight,
        run: (limit, shrinkTime) => {
          const limits = limit === undefined ? undefined : { limit, shrinkTime: shrinkTime ?? limit, onFailure }
          return this.resultOf(named, run, limits)
        },
      }
    }
    return { ...of, cases: () => tests().map(caseOf) }
  }
}
