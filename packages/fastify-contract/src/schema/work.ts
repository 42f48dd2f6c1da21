import type { FuncKeywordDefinition } from 'ajv'
import type { Reading } from './reading.ts'

/** How many schemas that are referred to apply before their work is counted. Most values meet fewer. */
const uncounted = 64

/** In the units of `sizeOf`: what a validation may take in any case, and for each unit of what it validates. */
const minWork = 500_000
const workOfUnit = 50

/** Says that a validation takes time out of proportion to its value. */
export class TooMuchWork extends Error {
  constructor() {
    super('the body takes too long to validate, because too many alternatives are in one another; nest fewer')
  }
}

/**
 * Bounds the work of one validation. Where two alternatives of a schema lead back to it, each level of a value doubles
 * the time, so that 40 levels would take days.
 */
export class Work {
  readonly #root: unknown
  #schemas = 0
  #done = 0
  #limit = minWork

  /** @param root the whole value that is validated */
  constructor(root: unknown) {
    this.#root = root
  }

  /** Counts what it takes to validate a value by one schema. @throws TooMuchWork */
  count(value: unknown): void {
    if (++this.#schemas <= uncounted) return
    this.#done += sizeOf(value)
    if (this.#done <= this.#limit) return
    this.#limit = Math.max(minWork, sizeOf(this.#root) * workOfUnit)
    if (this.#done > this.#limit) throw new TooMuchWork()
  }
}

/** The number of values in a value, a long text counting as several. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 16
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((size, [name, member]) => size + name.length / 16 + sizeOf(member), 1)
}

/** The keyword of each schema that is referred to, because only references lead back. It comes before the others. */
export const countedKeyword: FuncKeywordDefinition = {
  keyword: 'counted',
  before: '$ref',
  schemaType: 'boolean',
  errors: false,
  validate(this: Reading, _counted: boolean, data: unknown) {
    this.work.count(data)
    return true
  },
}
