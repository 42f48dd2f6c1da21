import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MalformedJson, type ParsedJson, parseJson } from '../../src/json/json.ts'

const documents = [
  '{"id":54,"name":"Monstera deliciosa","tag":"indoor"}',
  '{ "id" : 9007199254740993 ,\r\n\t"name":"\\ud83c\\udf31 \u{1f331}\\\\\\"",' +
    '"more":[-0,1.5e3,{"":null,"\\u0061":true}] }',
  '[[],{},[{"a":{"a":{"a":-9223372036854775808}}}],"",0,1e400,0.1,1E+2,18446744073709551616]',
  '{"a":1,"\\u0062":2,"c":{"a":1,"b":[1,2,{"c":12345678901234567890.5}]},' +
    '"__proto__":{"a":9007199254740993},"constructor":[1e16]}',
  '12345678901234567890',
  '[{"b":0},{"c":3,"\\u0063":[4]}]',
  '{"a":1,"b":"\\ud800"}',
]

const awkward = [
  ...['\0', '"', '{', '[', ',', ':', '\\u', '\\ud800', '\ufeff'],
  ...['1e999', '-0', '12345678901234567.5', '"id":1,', '"a":1,'],
]

/** The replacement of up to 16 bytes: nothing, a byte, a text that parsers often misread, or a document. */
const piece = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.integer({ min: 0, max: 255 }).map((byte) => Buffer.of(byte)),
  fc.constantFrom(...awkward, ...documents).map((text) => Buffer.from(text)),
)
/** Anywhere, or after the n-th `{`, `[`, `,` or `:`, where a replacement is more often valid. */
const place = fc.record({ isBehindSign: fc.boolean(), at: fc.nat(60) })
const edit = fc.tuple(place, fc.oneof(fc.constant(0), fc.nat(16)), piece)

function apply(
  bytes: Buffer,
  [{ isBehindSign, at }, removed, put]: [{ isBehindSign: boolean; at: number }, number, Buffer],
) {
  const signs = [...bytes.toString('latin1').matchAll(/[{[,:]/g)].map(({ index }) => index + 1)
  const from = isBehindSign && signs.length > 0 ? signs[at % signs.length]! : at
  return Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + removed)])
}

const changedDocument = fc
  .tuple(fc.constantFrom(...documents), fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([document, edits]) => edits.reduce<Buffer>(apply, Buffer.from(document)))

const database = new Database(':memory:')
const isValid = database.prepare<[string], number>('SELECT json_valid(?)').pluck()
const minified = database.prepare<[string], string>('SELECT json(?)').pluck()
const places = database.prepare<[string], string>("SELECT parent || ' ' || key FROM json_tree(?)").pluck()
// It drops one byte order mark, as the parser does.
const decoder = new TextDecoder('utf-8', { fatal: true })
const escapedPair = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g
const escapedSurrogate = /\\u[dD][89a-fA-F]/

/**
 * Reads JSON with SQLite's parser (https://www.sqlite.org/json1.html).
 *
 * @returns the value with its numbers as written, or why it is refused; `unknown` for a lone surrogate, which UTF-8
 *   cannot encode
 */
function readWithSqlite(bytes: Buffer): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return 'malformed'
  }
  // SQLite's text ends at a NUL, which is never valid JSON.
  if (text.includes('\0') || isValid.get(text) !== 1) return 'malformed'
  // An escaped backslash starts no escape.
  if (escapedSurrogate.test(text.replaceAll('\\\\', '').replaceAll(escapedPair, ''))) return 'unknown'
  const named = places.all(text)
  if (new Set(named).size < named.length) return 'doubled name'
  // json() keeps the spelling of numbers.
  return JSON.parse(minified.get(text)!, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? { number: context?.source } : value,
  )
}

/** The result of the library's parser in the same form. */
function found({ value, sources }: ParsedJson): unknown {
  const copy = (member: unknown, container: object, key: string): unknown => {
    if (typeof member === 'number' || typeof member === 'bigint') {
      // Without a source, the double is exact.
      return { number: sources.get(container)?.get(key) ?? (Object.is(member, -0) ? '-0' : String(member)) }
    }
    if (Array.isArray(member)) return member.map((item, index) => copy(item, member, String(index)))
    if (typeof member !== 'object' || member === null) return member
    return Object.fromEntries(Object.entries(member).map(([name, each]) => [name, copy(each, member, name)]))
  }
  return copy(value, sources, '')
}

function refusalOf(bytes: Buffer): string {
  try {
    parseJson(bytes)
  } catch (error) {
    if (error instanceof MalformedJson) return error.message
    throw error
  }
  throw new Error(`accepted: ${bytes.toString()}`)
}

test('random edits of documents are read as SQLite reads them', () => {
  const outcomes = { malformed: 0, 'doubled name': 0, unknown: 0, read: 0 }
  fc.assert(
    fc.property(changedDocument, (bytes) => {
      const expected = readWithSqlite(bytes)
      const outcome =
        typeof expected === 'string' && expected in outcomes ? (expected as keyof typeof outcomes) : 'read'
      outcomes[outcome]++
      if (outcome === 'malformed') expect(refusalOf(bytes)).not.toMatch(/ twice$/)
      if (outcome === 'doubled name') expect(refusalOf(bytes)).toMatch(/ twice$/)
      if (outcome !== 'read') return
      const parsed = parseJson(bytes)
      // Sources are kept by the containers of numbers.
      if (typeof parsed.value === 'object') expect(found(parsed)).toEqual(expected)
    }),
    { numRuns: 1_500 },
  )
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(10)
})
