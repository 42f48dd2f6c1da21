import { isUtf8 } from 'node:buffer'
import { buildJson } from './build-json.ts'

declare global {
  interface JSON {
    /** A piece of JSON text that `stringify` copies as it is (TC39 JSON.parse source text access, in V8 since 11.4). */
    rawJSON(text: string): unknown
  }
}

/** An object or array of a parsed document, addressed as a parser addresses its members. */
type Container = Record<string, unknown>

/** Called for each number that a double may not hold as it was written. */
type InexactNumberVisitor = (container: Container, key: string, source: string) => void

/** Why a body is not a JSON document, in words that can be sent to the client. */
export class MalformedJson extends Error {}

/**
 * The source text of the numbers that a double may not hold, by the object or array that contains them.
 * Beside the document rather than in it, so that every other reader sees plain JSON values.
 */
const inexactNumbers = new WeakMap<object, Map<string, string>>()

/**
 * Parses a request body.
 *
 * @param bytes the whole body
 * @returns the JSON value; `sourceOfNumber` still knows how its numbers were written
 * @throws MalformedJson when the bytes are empty, not UTF-8, not one JSON document (RFC 8259), or an object in it
 *   names a property twice (RFC 7493, section 2.3)
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new MalformedJson('the body is empty')
  if (!isUtf8(bytes)) throw new MalformedJson('the body is not UTF-8')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return parse(text, (container, key, source) => {
    const numbers = inexactNumbers.get(container)
    if (numbers) numbers.set(key, source)
    else inexactNumbers.set(container, new Map([[key, source]]))
  })
}

/**
 * How a number of a body was written.
 *
 * @returns the source text where the double that stands in `container[key]` may differ from it, else undefined
 */
export function sourceOfNumber(container: object, key: string | number): string | undefined {
  return inexactNumbers.get(container)?.get(String(key))
}

/**
 * Parses JSON text of our own, with every integer beyond 2^53 as a bigint.
 *
 * @throws MalformedJson as `parseJson`
 */
export function parseJsonWithBigInts(text: string): unknown {
  return parse(text, (container, key, source) => {
    if (/^-?\d+$/.test(source) && !Number.isSafeInteger(Number(source))) container[key] = BigInt(source)
  })
}

/** Writes a JSON value, bigints among it as their digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member), indent)
}

function parse(text: string, visit: InexactNumberVisitor): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // V8's message quotes the body, which belongs in no answer and no log.
    throw new MalformedJson('the body is not one JSON document')
  }
  if (typeof value !== 'object' || value === null) return value
  if (walk(text, value as Container, visit)) return value
  // JSON.parse has taken a name for another.
  const built = buildJson(text) as Container
  walk(text, built, visit)
  return built
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** A double holds every integer of up to 15 digits; a point or an exponent can hide a fraction that it does not. */
const mayBeInexact = /^-?\d{16}|[.eE]/

/**
 * Walks the text of a document beside its value. The text is known to be JSON, so the walk only has to tell
 * names from values. It keeps its own stack: a body may nest deeper than the call stack reaches.
 *
 * @returns whether the value has every name that the text has
 */
function walk(text: string, root: Container, visit: InexactNumberVisitor): boolean {
  const parents: { container: Container; names: Set<string> | undefined; key: string }[] = []
  // A holder makes the root a member like any other.
  let container: Container = { '': root }
  let names: Set<string> | undefined
  let key = ''
  let hasEveryName = true
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) {
      const end = endOfString(text, at)
      if (names !== undefined && isName(text, end)) {
        const source = text.slice(at, end)
        const isEscaped = source.includes('\\')
        // The slice is a JSON string, so what parses is a string.
        key = isEscaped ? (JSON.parse(source) as string) : source.slice(1, -1)
        if (names.has(key)) throw new MalformedJson(`the body names the property ${JSON.stringify(key)} twice`)
        names.add(key)
        if (isEscaped && !Object.hasOwn(container, key)) hasEveryName = false
      }
      at = end - 1
    } else if (character === openBrace || character === openBracket) {
      parents.push({ container, names, key })
      // A doubled name further out may have replaced this value by another; it is reported when it is reached.
      // Until then no name may lead out of the document, as `__proto__` would where the other value lacks it.
      const child = Object.hasOwn(container, key) ? container[key] : undefined
      container = typeof child === 'object' && child !== null ? (child as Container) : {}
      names = character === openBrace ? new Set() : undefined
      key = '0'
    } else if (character === closeBrace || character === closeBracket) {
      // The text is balanced, so there is a parent.
      ;({ container, names, key } = parents.pop()!)
    } else if (character === comma) {
      if (names === undefined) key = String(Number(key) + 1)
    } else if (character === 0x2d || (character >= 0x30 && character <= 0x39)) {
      let end = at + 1
      while (isNumberCharacter(text.charCodeAt(end))) end++
      const source = text.slice(at, end)
      if (mayBeInexact.test(source)) visit(container, key, source)
      at = end - 1
    }
  }
  return hasEveryName
}

/** The place behind the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  for (;;) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return end + 1
    end = text.indexOf('"', end + 1)
  }
}

/** Whether the string that ends at `end` is a property's name: a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end
  while (text.charCodeAt(at) <= 0x20) at++
  return text.charCodeAt(at) === colon
}

function isNumberCharacter(character: number): boolean {
  // Digits, '.', 'e', 'E', '+', '-'; NaN behind the end of the text is none of them.
  return (character >= 0x30 && character <= 0x39) || character === 0x2e || character === 0x65 || character === 0x45 || character === 0x2b || character === 0x2d
}
