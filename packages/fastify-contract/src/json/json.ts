import { isUtf8 } from 'node:buffer'
import { JsonParser, MalformedJson, RefusedJson } from './parser.ts'

export { MalformedJson, RefusedJson }

declare global {
  interface JSON {
    /** A piece of JSON text that `stringify` copies as it is (TC39 JSON.parse source text access, in V8 since 11.4). */
    rawJSON(text: string): unknown
  }
}

/** The source text of the numbers that a double may not hold, by the object or array that contains them and their key. */
export type NumberSources = ReadonlyMap<object, ReadonlyMap<string, string>>

/** A parsed JSON document. */
export interface ParsedJson {
  value: unknown
  sources: NumberSources
}

/**
 * Parses a request body.
 *
 * @param bytes the whole body
 * @param maxLevels how many objects and arrays may be in one another
 * @returns the JSON value, and how its numbers were written
 * @throws MalformedJson when the bytes are empty, not UTF-8, not one JSON document (RFC 8259), or an object in it
 *   names a property twice (RFC 7493, section 2.3)
 * @throws RefusedJson when it nests deeper, or a name or a string has a lone surrogate (RFC 7493, section 2.1)
 */
export function parseJson(bytes: Uint8Array, maxLevels = Infinity): ParsedJson {
  if (bytes.length === 0) throw new MalformedJson('the body is empty')
  if (!isUtf8(bytes)) throw new MalformedJson('the body is not UTF-8')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  const parser = new JsonParser(text, maxLevels)
  return { value: parser.parse(), sources: parser.sources }
}

/**
 * Parses JSON text, with every integer beyond 2^53 as a bigint.
 *
 * @throws MalformedJson and RefusedJson as `parseJson`
 */
export function parseJsonWithBigInts(text: string): unknown {
  return new JsonParser(text).parse()
}

/** Writes a JSON value; bigints as digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  const replacer = (_key: string, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member
  return JSON.stringify(value, replacer, indent)
}
