import { RE2JS, RE2JSException } from 're2js'
import { translatePattern } from './translate-pattern.ts'

/**
 * The maximum number of RE2 instructions of a pattern. The time of a match is at most linear in their number and in the
 * length of the text. The server refuses a text that takes too long, with so many instructions one of 4,000 characters.
 */
const maxInstructions = 2048

/**
 * Finds out why a pattern cannot be matched in linear time.
 *
 * @param pattern an expression of ECMA-262, without delimiters
 * @returns the part, the problem and the remedy; undefined if there is none
 */
export function patternProblem(pattern: string): string | undefined {
  const [reason, remedy] = problemOf(pattern) ?? []
  return reason && `${reason}, so the pattern is not enforced; ${remedy ?? 'correct the expression'}`
}

type Problem = readonly [reason: string, remedy?: string]

const shorter = 'repeat with * or +, and use minLength and maxLength for lengths'

function problemOf(pattern: string): Problem | undefined {
  try {
    const size = RE2JS.compile(translatePattern(pattern)).programSize()
    return size <= maxInstructions
      ? undefined
      : [`has ${String(size)} steps, and the maximum is ${String(maxInstructions)}`, shorter]
  } catch (error) {
    if (error instanceof RE2JSException) {
      const [, part = ''] = /`([^`]*)`/.exec(error.message) ?? []
      return part.includes('\\p') ? [`${part} is not known`, 'write out the characters'] : [error.message, shorter]
    }
    if (!(error instanceof SyntaxError)) throw error
    const [, invalid] = /^Invalid regular expression: .*: (.*)$/s.exec(error.message) ?? []
    if (invalid !== undefined) return foreignPart(pattern) ?? [`is not ECMAScript (${invalid})`]
    const [reason = '', remedy] = error.message.split('; ')
    return remedy === undefined ? [reason] : [reason, remedy]
  }
}

/** What other languages have in their expressions. */
const foreign: readonly (readonly [part: RegExp, remedy: string])[] = [
  [/\(\?[a-z]*i[a-z]*\)/, 'write [aA]'],
  [/\(\?[a-zA-Z-]+\)/, 'leave it out'],
  [/\(\?P<[^>]*>/, 'write (?<name>'],
  [/\(\?>/, 'write (?:'],
  [/\(\?#[^)]*\)/, 'leave it out'],
  [/[*+?}]\+/, 'leave out the second +'],
]

function foreignPart(pattern: string): Problem | undefined {
  for (const [part, remedy] of foreign) {
    const found = part.exec(pattern)?.[0]
    if (found !== undefined) return [`${found} is not ECMAScript`, remedy]
  }
  return undefined
}
