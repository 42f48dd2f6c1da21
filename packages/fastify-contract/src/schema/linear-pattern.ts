import { RE2JS, RE2JSException, RE2Set } from 're2js'
import { bytesOfStates, positionsWithin } from './pattern-states.ts'
import { translatePattern } from './translate-pattern.ts'

/** The memory limit for the states of one pattern, in bytes. */
const mostBytes = 1_048_576
/** The limit of the search for the states. It counts what the states would need with all characters. */
const mostSearched = 64 * mostBytes

/**
 * The maximum number of RE2 instructions of a pattern. The time of a match is at most linear in their number and in the
 * length of the text. The server refuses a text that takes too long, with so many instructions one of 4,000 characters.
 */
const maxInstructions = 2048

/**
 * Finds out why a pattern cannot be matched in linear time.
 *
 * @param pattern an expression of ECMA-262, without delimiters
 * @returns the problem and the remedy; undefined if there is none
 */
export function patternProblem(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(translatePattern(pattern)).programSize()
    return size <= maxInstructions
      ? undefined
      : `is not matched, because it has ${String(size)} steps, and the maximum is ${String(maxInstructions)}; ${shorter}`
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RE2JSException)) throw error
    const reason = error.message.replace(/^Invalid regular expression: .*: /s, '')
    const remedy =
      error instanceof RE2JSException ? `; ${shorter}` : reason.includes(';') ? '' : '; correct the expression'
    return `is not matched: ${reason}${remedy}`
  }
}

const shorter = 'repeat with * or +, and use minLength and maxLength for lengths'

/** A pattern that matches in time linear in the length of the text. */
export class LinearPattern {
  readonly #engine: RE2Set
  /** The most positions in the pattern that a match looks at, for a text of a length. */
  readonly positionsWithin: (length: number) => number

  /**
   * @param pattern an expression of ECMA-262 without a `patternProblem`
   * @throws Error if it has one
   */
  constructor(pattern: string) {
    // A set of one pattern caches its states. Plain RE2JS takes five times as long for short texts.
    this.#engine = new RE2Set(RE2Set.UNANCHORED, 0, mostSearched)
    this.#engine.add(translatePattern(pattern))
    const isCached = bytesOfStates(this.#engine) <= mostBytes
    // A cache that is too small for the states is filled again and again, which takes ten times as long as none.
    if (!isCached) disableCache(this.#engine)
    this.positionsWithin = isCached ? (length) => length + 1 : positionsWithin(this.#engine)
  }

  test(text: string): boolean {
    return this.#engine.match(text).length > 0
  }
}

/** Makes RE2JS match as it does when its cache has failed. */
function disableCache({ dfa }: RE2Set): void {
  dfa.clearCache()
  dfa.failed = true
}
