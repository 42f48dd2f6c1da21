import { brand } from '../brand.ts'
import { escapeName } from './pointer.ts'

/** The body is not a JSON document. The message is safe to send to the client. */
export class MalformedJson extends Error {}
brand(MalformedJson, 'MalformedJson')

/** The body is JSON but is not accepted. The message names the place and is safe to send to the client. */
export class RefusedJson extends Error {}
brand(RefusedJson, 'RefusedJson')

/** An object or array of a parsed document. */
type Container = Record<string, unknown> | unknown[]

type JsonValue = Container | string | number | bigint | boolean | null

/**
 * Takes each member of a document, in order; an object or array before its own members.
 *
 * @param nameAt where its name begins in the text; of an item, where it begins itself
 */
export type MemberReader = (
  holder: object,
  name: string | number,
  value: JsonValue,
  nameAt: number,
  valueAt: number,
) => void

const space = 0x20
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** A number at `lastIndex` (RFC 8259, section 6). */
const nextNumber = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
/** A backslash with what it escapes, if that can be escaped (RFC 8259, section 7). */
const escapes = /\\(["\\/bfnrt]|u[0-9A-Fa-f]{4})?/g
/** Longer integers are not computed, because that takes more than linear time. */
const maxDigits = 1_000
/** In place of every array of a document that nests too deep. It is not built, because it is refused anyway. */
const refused: unknown[] = []
/** A double holds every integer of up to 15 digits; a point or an exponent may hide digits that it loses. */
const mayBeInexact = /^-?\d{16}|[.eE]/

/**
 * Parses one JSON document (RFC 8259) in one pass. It keeps its own stack, because malformed text may nest deeper than
 * the call stack.
 *
 * `JSON.parse` does not fit: it keeps the last of duplicate names, rounds numbers, and after `{"id":1,"t\\u":2}` it
 * parses `{"id":1,"t\u0061g":2}` as the same text (nodejs/node#63785, seen in 24.21 and 26.10).
 */
export class JsonParser {
  /** The source text of numbers that may not fit a double, by container and key. */
  readonly sources = new Map<object, Map<string, string>>()
  /** The source text of a document that is one such number. */
  source: string | undefined
  readonly #text: string
  readonly #maxLevels: number
  readonly #takeMember: MemberReader | undefined
  #at = 0
  #doubledName: string | undefined
  #hasLoneSurrogate = false
  #tooDeep: string | undefined

  constructor(text: string, maxLevels = Infinity, takeMember?: MemberReader) {
    this.#text = text
    this.#maxLevels = maxLevels
    this.#takeMember = takeMember
  }

  /**
   * @returns the value; an integer that does not fit a double is a bigint, or infinite if it has more than 1,000 digits
   * @throws MalformedJson if the text is not a JSON document, or an object has a duplicate property
   * @throws RefusedJson if the document nests too deep, or a name or string has a lone surrogate: an escape such as
   *   `\uD800` without its pair (RFC 8259, sections 8.2 and 9)
   */
  parse(): unknown {
    const parents: Container[] = []
    // The root is parsed as the member of an array.
    const root: unknown[] = []
    let container: Container = root
    do {
      const value = this.#readMember(container)
      if (typeof value === 'object' && value !== null) {
        parents.push(container)
        container = value
        // Reported at the end: malformed JSON takes precedence.
        if (parents.length > this.#maxLevels) this.#tooDeep ??= placeOf([...parents, container])
        if (this.#skipSpace() !== closerOf(container)) continue
      }
      while (parents.length > 0) {
        const next = this.#skipSpace()
        if (next !== comma && next !== closerOf(container)) throw this.#malformed()
        this.#at++
        if (next === comma) break
        container = parents.pop()!
      }
    } while (parents.length > 0)
    this.source = this.sources.get(root)?.get('0')
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#malformed()
    if (this.#doubledName !== undefined) {
      throw new MalformedJson(`the body names the property ${JSON.stringify(this.#doubledName)} twice`)
    }
    if (this.#tooDeep !== undefined) {
      throw new RefusedJson(`${this.#tooDeep} nests deeper than ${String(this.#maxLevels)} levels`)
    }
    if (this.#hasLoneSurrogate) throw new RefusedJson(describeLoneSurrogate(root[0], 'body'))
    return root[0]
  }

  /** Parses a member into its container; of an object or array, only the opening bracket. */
  #readMember(container: Container): JsonValue {
    const first = this.#skipSpace()
    const start = this.#at
    if (Array.isArray(container)) {
      const value = this.#readValue(first, container, container.length)
      this.#takeMember?.(container, container.length, value, start, start)
      if (container !== refused) container.push(value)
      return value
    }
    if (first !== quote) throw this.#malformed()
    const name = this.#readString()
    if (this.#skipSpace() !== colon) throw this.#malformed()
    this.#at++
    // Reported at the end: malformed JSON takes precedence.
    if (Object.hasOwn(container, name)) this.#doubledName ??= name
    const next = this.#skipSpace()
    const valueAt = this.#at
    const value = this.#readValue(next, container, name)
    this.#takeMember?.(container, name, value, start, valueAt)
    if (name === '__proto__') Object.defineProperty(container, name, { value, ...ownProperty })
    else container[name] = value
    return value
  }

  #readValue(first: number, container: Container, key: string | number): JsonValue {
    if (first === quote) return this.#readString()
    if (first === minus || (first >= zero && first <= nine)) return this.#readNumber(container, String(key))
    if (first === openBrace || first === openBracket) {
      this.#at++
      if (first === openBrace) return {}
      return this.#tooDeep === undefined ? [] : refused
    }
    for (const [literal, value] of literals) {
      if (!this.#text.startsWith(literal, this.#at)) continue
      this.#at += literal.length
      return value
    }
    throw this.#malformed()
  }

  #readNumber(container: Container, key: string): number | bigint {
    nextNumber.lastIndex = this.#at
    if (!nextNumber.test(this.#text)) throw this.#malformed()
    const source = this.#text.slice(this.#at, nextNumber.lastIndex)
    this.#at = nextNumber.lastIndex
    const number = Number(source)
    if (!mayBeInexact.test(source)) return number
    const sources = this.sources.get(container)
    if (sources === undefined) this.sources.set(container, new Map([[key, source]]))
    else sources.set(key, source)
    const isDouble = Number.isSafeInteger(number) || source.length > maxDigits || !/^-?\d+$/.test(source)
    return isDouble ? number : BigInt(source)
  }

  /** Parses a string, from its opening quote. */
  #readString(): string {
    const text = this.#text
    const start = this.#at
    let isEscaped = false
    let at = start + 1
    for (let character = text.charCodeAt(at); character !== quote; character = text.charCodeAt(++at)) {
      // NaN at the end of the text, where the comparison is false.
      if (!(character >= space)) throw this.#malformed(at)
      if (character !== backslash) continue
      isEscaped = true
      at++
    }
    this.#at = at + 1
    if (!isEscaped) return text.slice(start + 1, at)
    const value = this.#unescaped(start)
    // Unescaped text was valid UTF-8, which has no surrogates.
    this.#hasLoneSurrogate ||= !value.isWellFormed()
    return value
  }

  /** Parses the string with escapes between `start` and here. */
  #unescaped(start: number): string {
    try {
      // Text between quotes is a string or an error.
      return String(JSON.parse(this.#text.slice(start, this.#at)))
    } catch {
      const all = this.#text.slice(start, this.#at).matchAll(escapes)
      throw this.#malformed(start + (all.find(([, escaped]) => escaped === undefined)?.index ?? 0))
    }
  }

  /** The message does not quote the body, which must not appear in responses or logs. */
  #malformed(at = this.#at): MalformedJson {
    const isEnd = at >= this.#text.length
    const pairs = this.#text.slice(0, at).match(/[\uD800-\uDBFF]/g)?.length ?? 0
    const place = isEnd ? 'it ends too early' : `the fault is at character ${String(at - pairs + 1)}`
    return new MalformedJson(`the body is not one JSON document: ${place}`)
  }

  /** @returns the next character that is not white space; NaN at the end of the text */
  #skipSpace(): number {
    let next = this.#text.charCodeAt(this.#at)
    while (next === space || next === 0x0a || next === 0x0d || next === 0x09) next = this.#text.charCodeAt(++this.#at)
    return next
  }
}

function closerOf(container: Container): number {
  return Array.isArray(container) ? closeBracket : closeBrace
}

const ownProperty = { writable: true, enumerable: true, configurable: true }

const literals = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const

/**
 * Returns the JSON Pointer (RFC 6901, section 3) of the last container. Each is a member of the one before; the first is
 * the array of the root.
 */
function placeOf(containers: Container[]): string {
  const names = containers.slice(2).map((container, index) => {
    // Each container is a member of its parent.
    const [name] = Object.entries(containers[index + 1]!).find(([, member]) => member === container)!
    return escapeName(name)
  })
  return ['body', ...names].join('/')
}

/** Names the first place with a lone surrogate, in a document within the nesting limit. */
function describeLoneSurrogate(value: unknown, place: string): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : `${place} must not have a lone surrogate`
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    // A malformed name cannot be part of a place.
    if (!name.isWellFormed()) return `${place} must not have a property whose name has a lone surrogate`
    const text = describeLoneSurrogate(member, `${place}/${escapeName(name)}`)
    if (text !== undefined) return text
  }
  return undefined
}
