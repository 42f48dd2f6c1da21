import { isUtf8 } from 'node:buffer'
import { JsonParser, MalformedJson, type MemberReader, RefusedJson } from './parser.ts'

export { MalformedJson, RefusedJson }

declare global {
  interface JSON {
    /** JSON text that `stringify` copies verbatim (TC39 JSON.parse source text access, in V8 since 11.4). */
    rawJSON(text: string): unknown
    /** Whether a value is from `rawJSON`. */
    isRawJSON(value: unknown): boolean
  }
}

/** The source text of numbers that may not fit a double, by their object or array and their key. */
export type NumberSources = ReadonlyMap<object, ReadonlyMap<string, string>>

/** A parsed JSON document. */
export interface ParsedJson {
  value: unknown
  sources: NumberSources
  /** The source text of a document that is one number that may not fit a double. */
  source: string | undefined
}

/**
 * Parses a request body. A byte order mark before it is ignored (RFC 8259, section 8.1).
 *
 * @param maxLevels the maximum nesting depth of objects and arrays
 * @returns the JSON value, and the source text of its numbers
 * @throws MalformedJson if the bytes are empty, not UTF-8 or not one JSON document (RFC 8259), or an object has a
 *   duplicate property (RFC 7493, section 2.3)
 * @throws RefusedJson if it nests too deep, or a name or string has a lone surrogate (RFC 7493, section 2.1)
 */
export function parseJson(bytes: Uint8Array, maxLevels = Infinity): ParsedJson {
  if (!isUtf8(bytes)) throw new MalformedJson('the body is not UTF-8')
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = buffer.toString()
  const text = content.startsWith('\ufeff') ? content.slice(1) : content
  if (text === '') throw new MalformedJson('the body is empty')
  const plain = parsePlain(text, maxLevels)
  if (plain !== undefined) return plain
  const parser = new JsonParser(text, maxLevels)
  return { value: parser.parse(), sources: parser.sources, source: parser.source }
}

const noSources: NumberSources = new Map()

/**
 * Parses JSON text; integers beyond 2^53 become bigints.
 *
 * @throws MalformedJson, RefusedJson like `parseJson`
 */
export function parseJsonWithBigInts(text: string, maxLevels?: number, takeMember?: MemberReader): unknown {
  return new JsonParser(text, maxLevels, takeMember).parse()
}

/**
 * Parses text that V8 would write in the same way: so it has no name twice, and no number has lost digits. `JsonParser`
 * takes longer.
 *
 * @returns undefined for other text, for integers that a double may have rounded, and for all that is refused
 */
function parsePlain(text: string, maxLevels: number): ParsedJson | undefined {
  // Some clients write a space behind each colon. A lone surrogate is an escape.
  if (text[text.indexOf(':') + 1] === ' ' || text.includes('\\u')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const isPlain = JSON.stringify(value) === text && isExactWithin(value, maxLevels)
    return isPlain ? { value, sources: noSources, source: undefined } : undefined
  } catch {
    // Malformed, or so deep that it overflows the stack.
    return undefined
  }
}

/** Whether all integers of a value are exact, and it nests no deeper than some levels. */
function isExactWithin(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) || !Number.isInteger(value)
  if (!hasMembers(value)) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every((item) => isExactWithin(item, levels - 1))
  for (const name in value) {
    const member = value[name]
    // Most members are strings.
    if (typeof member !== 'string' && !isExactWithin(member, levels - 1)) return false
  }
  return true
}

/** Whether a value has members that can be read by name: an object, or a list. */
export function hasMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Makes an object without members. */
export function createMembers(prototype: object | null): Record<string, unknown> {
  // Object.create returns any.
  return Object.create(prototype) as Record<string, unknown>
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return hasMembers(value) && !Array.isArray(value)
}

/** Writes a JSON value; bigints as digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch {
    // A bigint. With a function for each member, all others would take twice as long.
    return JSON.stringify(value, rawBigInt, indent)
  }
}

function rawBigInt(_name: string, member: unknown): unknown {
  return typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member
}

/** As `stringifyJson`, and faster. @param hasBigInts whether bigints are known to be in the value */
export function stringifyReply(value: unknown, hasBigInts = false): string {
  try {
    return JSON.stringify(hasBigInts ? withoutBigInts(value) : value)
  } catch {
    return JSON.stringify(value, rawBigInt)
  }
}

/** Replaces bigints by what JSON writes as the same digits. What has none is not copied. */
function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value))
  }
  if (!hasMembers(value) || 'toJSON' in value) return value
  return Array.isArray(value) ? inList(value) : inObject(value)
}

// Two functions: one for both takes V8 five times as long.

function inList(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    if (typeof item !== 'bigint' && typeof item !== 'object') continue
    const replaced = withoutBigInts(item)
    if (replaced !== item) (copy ??= items.slice())[index] = replaced
  }
  return copy ?? items
}

function inObject(members: Record<string, unknown>): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  for (const name in members) {
    const member = members[name]
    if (typeof member !== 'bigint' && typeof member !== 'object') continue
    const replaced = withoutBigInts(member)
    if (replaced !== member && Object.hasOwn(members, name)) (copy ??= { ...members })[name] = replaced
  }
  return copy ?? members
}
