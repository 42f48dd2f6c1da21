import { RE2Set } from 're2js'
import { bytesOfStates, positionsWithin } from './pattern-states.ts'
import { translatePattern } from './translate-pattern.ts'

/** The memory limit for the states of one pattern, in bytes. */
const maxBytes = 1_048_576
/** The limit of the search for the states. It counts what the states would need with all characters. */
const maxSearched = 64 * maxBytes

/** In bytes. Too few for one state. */
const noMemory = 1

/** How many positions a match looks at in the time of one step of work. */
const positionsPerStep = 32

/** A pattern that matches in time linear in the length of the text. */
export class LinearPattern {
  readonly #engine: RE2Set
  /** The most positions in the pattern that a match looks at, for a text of a length. */
  readonly #positionsWithin: (length: number) => number

  /**
   * @param pattern an expression of ECMA-262 without a `patternProblem`
   * @throws Error if it has one
   */
  constructor(pattern: string) {
    const text = translatePattern(pattern)
    const searched = setOf(text, maxSearched)
    const isCached = bytesOfStates(searched) <= maxBytes
    // A cache that is too small for the states is filled again and again, which takes up to twice as long as none.
    this.#engine = isCached ? searched : setOf(text, noMemory)
    this.#positionsWithin = isCached ? (length) => length + 1 : positionsWithin(this.#engine)
  }

  /** Counts the work of a match. @returns whether it would take too long */
  isTooLong(text: string, work: { isTooMuch: (steps: number) => boolean }): boolean {
    return work.isTooMuch(this.#positionsWithin(text.length) / positionsPerStep)
  }

  test(text: string): boolean {
    return this.#engine.match(text).length > 0
  }
}

/** A set of one pattern caches its states. Plain RE2JS takes five times as long for short texts. */
function setOf(pattern: string, bytes: number): RE2Set {
  const engine = new RE2Set(RE2Set.UNANCHORED, 0, bytes)
  engine.add(pattern)
  // Makes the automaton and, if there is memory, the start state. Every text starts in the same one.
  engine.match('')
  return engine
}
