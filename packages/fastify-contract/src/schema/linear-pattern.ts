import { RE2Set } from 're2js'

/** How much memory the states of one pattern may take. With fewer it is slower, and matches the same. */
const mostBytes = 1_048_576

/** A pattern that takes time in proportion to the text, and not more the more ways there are to match it. */
class LinearPattern {
  readonly #pattern: string
  readonly #engine = new RE2Set(RE2Set.UNANCHORED, 0, mostBytes)

  constructor(pattern: string) {
    this.#pattern = pattern
    // A set of one runs on states that it keeps. RE2JS by itself takes five times as long for short texts.
    this.#engine.add(pattern)
  }

  test(text: string): boolean {
    return this.#engine.match(text).length > 0
  }

  /** Ajv keeps patterns by their text. */
  toString(): string {
    return this.#pattern
  }
}

/**
 * Makes Ajv's regular expressions of the patterns that `patternProblem` lets through. Those of JavaScript try one way
 * to match after the other: `^(a+)+$` takes minutes for forty characters.
 *
 * @throws Error when the pattern has what cannot be matched so, such as a backreference
 * @see https://github.com/google/re2/wiki/WhyRE2 https://ajv.js.org/options.html#code
 */
export const linearPatterns = Object.assign((pattern: string) => new LinearPattern(pattern), {
  code: 'linearPattern',
})
