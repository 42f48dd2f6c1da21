import { isUtf8 } from 'node:buffer'
import { JsonParser, MalformedJson, RefusedJson } from './parser.ts'

export { MalformedJson, RefusedJson }

declare global {
  interface JSON {
    /** JSON text that `stringify` copies verbatim (TC39 JSON.parse source text access, in V8 since 11.4). */
    rawJSON(text: string): unknown
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
 * Parses a request body.
 *
 * @param bytes the whole body
 * @param maxLevels the maximum nesting depth of objects and arrays
 * @returns the JSON value, and the source text of its numbers
 * @throws MalformedJson if the bytes are empty, not UTF-8 or not one JSON document (RFC 8259), or an object has a
 *   duplicate property (RFC 7493, section 2.3)
 * @throws RefusedJson if it nests too deep, or a name or string has a lone surrogate (RFC 7493, section 2.1)
 */
export function parseJson(bytes: Uint8Array, maxLevels = Infinity): ParsedJson {
  if (bytes.length === 0) throw new MalformedJson('the body is empty')
  if (!isUtf8(bytes)) throw new MalformedJson('the body is not UTF-8')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  const parser = new JsonParser(text, maxLevels)
  return { value: parser.parse(), sources: parser.sources, source: parser.source }
}

/**
 * Parses JSON text; integers beyond 2^53 become bigints.
 *
 * @throws MalformedJson, RefusedJson like `parseJson`
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
