import { RE2Set } from 're2js'

/** The memory limit for the states of one pattern. A lower limit is slower, with the same matches. */
const mostBytes = 1_048_576

/** A pattern that matches in time linear in the length of the text. */
class LinearPattern {
  readonly #pattern: string
  readonly #engine = new RE2Set(RE2Set.UNANCHORED, 0, mostBytes)

  constructor(pattern: string) {
    this.#pattern = pattern
    // A set of one pattern caches its states. Plain RE2JS takes five times as long for short texts.
    this.#engine.add(pattern)
  }

  test(text: string): boolean {
    return this.#engine.match(text).length > 0
  }

  /** Ajv caches patterns by their text. */
  toString(): string {
    return this.#pattern
  }
}

/**
 * Makes regular expressions for Ajv from patterns without a `patternProblem`. JavaScript's own backtrack: `^(a+)+$` takes
 * minutes for forty characters.
 *
 * @throws Error if the pattern cannot be matched in linear time, as with a backreference
 * @see https://github.com/google/re2/wiki/WhyRE2 https://ajv.js.org/options.html#code
 */
export const linearPatterns = Object.assign((pattern: string) => new LinearPattern(pattern), {
  code: 'linearPattern',
})
