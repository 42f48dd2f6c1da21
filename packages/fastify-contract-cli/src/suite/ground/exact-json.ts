/**
 * The suite reads JSON with the parser of Node and compares it in its own way. The server has the library's, whose faults
 * the suite would share.
 */
import { Unjudged } from './fault.ts'

/** The characters of a response that are checked. To parse more takes the time and the memory of a run. */
const longest = 2 ** 20

/** Whether a response is too long to be checked. */
export function isTooLong(text: string): boolean {
  return text.length > longest
}

/** @throws Unjudged if a response is too long to be checked */
export function assertShort(text: string): void {
  if (isTooLong(text)) throw new Unjudged('a response has more than 1 MiB, which is not checked')
}

/**
 * Parses JSON. Integers that no double holds exactly are bigints.
 *
 * @throws SyntaxError also where an object names a property twice
 * @throws Unjudged if the text is too long
 */
export function parseExactly(text: string): unknown {
  assertShort(text)
  // A reviver takes most of the time.
  const value: unknown = /\d{16}/.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
  // The text is JSON, so the expression finds its strings from left to right.
  let names = 0
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) if (colon !== undefined) names++
  if (names > countNames(value)) throw new SyntaxError('an object names a property twice')
  return value
}

function exactly(_name: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  const isInexact = typeof value === 'number' && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
  return isInexact ? BigInt(source) : value
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members: unknown[] = Object.values(value)
  const inside = members.reduce<number>((sum, member) => sum + countNames(member), 0)
  return inside + (Array.isArray(value) ? 0 : members.length)
}

/** JSON in which the order of properties does not count. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member))
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
