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
export const positionsPerStep = 32

/** The most characters for JavaScript's own expressions. For texts of megabytes their stack may not suffice. */
export const shortText = 4_096

const escape = String.raw`\\(?:[dDwWsStnvfr^$\\.*+?()[\]{}|/-]|x[\dA-Fa-f]{2}|u(?![dD][89A-Fa-f])[\dA-Fa-f]{4})`
const character = String.raw`(?:[^\\^$*+?()[\]{}|]|${escape}|\[(?:[^\\\]]|${escape})+\])`
/**
 * A pattern for a whole text, of characters of which the last alone may be there any number of times: no other way of
 * matching is left to try, so JavaScript's own expressions, too, look at each character of a text at most twice.
 */
const plainPattern = new RegExp(
  String.raw`^\^(?:${character}(?:\{\d{1,3}\})?)*(?:${character}(?:[*+?]|\{\d{1,3},(?:\d{1,3})?\}))?\$$`,
  'u',
)

/** A pattern that matches in time linear in the length of the text. */
export class LinearPattern {
  /** Matches texts up to `shortText` in a fraction of the time; undefined if it might backtrack. */
  readonly short: RegExp | undefined
  /** In the syntax of RE2. */
  readonly #translated: string
  #automaton: Automaton | undefined

  /**
   * @param pattern an expression of ECMA-262 without a `patternProblem`
   * @throws Error if it has one
   */
  constructor(pattern: string) {
    this.#translated = translatePattern(pattern)
    this.short = plainExpression(pattern)
    if (this.short === undefined) this.#long()
  }

  /** Counts the work of a match. @returns whether it would take too long */
  isTooLong(text: string, work: { isTooMuch: (steps: number) => boolean }): boolean {
    const { length } = text
    const isShort = length <= shortText && this.short !== undefined
    return work.isTooMuch((isShort ? length + 1 : this.#long().positionsWithin(length)) / positionsPerStep)
  }

  test(text: string): boolean {
    const short = text.length <= shortText ? this.short : undefined
    return short?.test(text) ?? this.#long().engine.match(text).length > 0
  }

  /** With `short` it is made on first use: few texts are that long. */
  #long(): Automaton {
    return (this.#automaton ??= automatonOf(this.#translated))
  }
}

/** In characters. For the largest sets of them, V8 takes a millisecond for each when it first matches a pattern. */
const shortPattern = 256

function plainExpression(pattern: string): RegExp | undefined {
  if (pattern.length > shortPattern || !plainPattern.test(pattern)) return undefined
  try {
    return new RegExp(pattern, 'u')
  } catch {
    // It is valid only without the flag.
    return undefined
  }
}

interface Automaton {
  engine: RE2Set
  /** The most positions in the pattern that a match looks at, for a text of a length. */
  positionsWithin: (length: number) => number
}

function automatonOf(pattern: string): Automaton {
  const searched = setOf(pattern, maxSearched)
  const isCached = bytesOfStates(searched) <= maxBytes
  // A cache that is too small for the states is filled again and again, which takes up to twice as long as none.
  const engine = isCached ? searched : setOf(pattern, noMemory)
  return { engine, positionsWithin: isCached ? (length) => length + 1 : positionsWithin(engine) }
}

/** A set of one pattern caches its states. Plain RE2JS takes five times as long for short texts. */
function setOf(pattern: string, bytes: number): RE2Set {
  const engine = new RE2Set(RE2Set.UNANCHORED, 0, bytes)
  engine.add(pattern)
  // Makes the automaton and, if there is memory, the start state. Every text starts in the same one.
  engine.match('')
  return engine
}
