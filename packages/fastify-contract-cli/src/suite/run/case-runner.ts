import { routeOf } from '../ground/contract.ts'
import type { Clock } from '../ground/clock.ts'
import { LeftOut } from '../ground/left-out.ts'
import type { CaseTools, Test, Tools } from '../state/test-case.ts'
import type { TestGroup } from './cases.ts'
import { type PropertyOptions, checkProperty } from './property.ts'
import { reportKey } from './report-key.ts'
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

/** How often properties are tried, and from where. */
interface Extent {
  seed: number
  scale: number
  path: string | undefined
}

const limited = 'every request got 429; test a server without a limit of requests'

/** Runs cases, one after the other. */
export class CaseRunner {
  readonly #clock: Clock
  readonly #trail: Trail
  readonly #tools: Tools
  readonly #extent: Extent
  readonly check = this.#checkWith({ isWhole: true })

  constructor(clock: Clock, trail: Trail, tools: Tools, extent: Extent) {
    this.#clock = clock
    this.#trail = trail
    this.#tools = tools
    this.#extent = extent
  }

  #checkWith(of: Pick<PropertyOptions, 'isWhole' | 'onFailure'>): CaseTools['check'] {
    return (arbitrary, runs, testOne) => {
      const { seed, scale, path } = this.#extent
      const tools = { trail: this.#trail, clock: this.#clock }
      return checkProperty(arbitrary, testOne, { seed, numRuns: Math.ceil(runs * scale), path, ...tools, ...of })
    }
  }

  /** Gives what came of a test. */
  async resultOf(named: Named, run: () => Promise<void>, ...times: Parameters<Clock['startCase']>): Promise<Result> {
    const trail = this.#trail
    const { isStrict, items } = this.#tools
    trail.startCase()
    this.#clock.startCase(...times)
    const outcome = await outcomeOf(async () => {
      await run()
      if (!isStrict && trail.requests.length > 0 && !trail.isAnswered) throw new LeftOut('value', limited)
    }, trail)
    this.#clock.endCase()
    if (outcome.verdict === 'fault') items.spare(outcome.requests)
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
        const isNew = !reported.has(key)
        if (isNew) this.#clock.extendCase()
        reported.add(key)
        return isNew
      }
      return {
        ...named,
        weight,
        run: (limit, shrinkTime = limit) => {
          const check = limit === undefined ? this.check : this.#checkWith({ isWhole: false, onFailure })
          const note = (text: string) => {
            this.#trail.note(text)
          }
          return this.resultOf(named, () => run({ ...this.#tools, note, check }), limit, shrinkTime)
        },
      }
    }
    return { ...of, cases: () => tests().map(caseOf) }
  }
}
