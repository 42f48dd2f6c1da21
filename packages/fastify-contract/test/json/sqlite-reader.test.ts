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
  '\0',
  '"',
  '{',
  '[',
  ',',
  ':',
  '\\u',
  '\\ud800',
  '\ufeff',
  '1e999',
  '-0',
  '12345678901234567.5',
  '"id":1,',
  '"a":1,',
]

/** What takes the place of up to 16 bytes: nothing, a byte, a text that parsers often read wrongly, or a document. */
const piece = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.integer({ min: 0, max: 255 }).map((byte) => Buffer.of(byte)),
  fc.constantFrom(...awkward, ...documents).map((text) => Buffer.from(text)),
)
/** Anywhere, or behind the n-th `{`, `[`, `,` or `:`, where a piece is more often JSON. */
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

/** A string or a number of a JSON document, with the names and indexes that lead to it. */
interface Atom {
  path: string[]
  text: string | undefined
  /** How a number is written. */
  source: string | undefined
}

const database = new Database(':memory:')
const isValid = database.prepare<[string], number>('SELECT json_valid(?)').pluck()
const minified = database.prepare<[string], string>('SELECT json(?)').pluck()
const tree = database.prepare<
  [string],
  { id: number; parent: number | null; key: string | number | null; type: string; atom: unknown }
>('SELECT id, parent, key, type, atom FROM json_tree(?) ORDER BY id')
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const escapedPair = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g
const escapedSurrogate = /\\u[dD][89a-fA-F]/

/**
 * Reads JSON with SQLite's parser (https://www.sqlite.org/json1.html).
 *
 * @returns all strings and numbers, or why it is no document; `unknown` for a lone surrogate, which UTF-8 cannot encode
 */
function readWithSqlite(bytes: Buffer): Atom[] | 'malformed' | 'doubled name' | 'unknown' {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return 'malformed'
  }
  // SQLite's text ends at a NUL, which is never valid JSON.
  if (text.includes('\0') || isValid.get(text) !== 1) return 'malformed'
  // An escaped backslash begins no escape of its own.
  if (escapedSurrogate.test(text.replaceAll('\\\\', '').replaceAll(escapedPair, ''))) return 'unknown'
  // json() keeps how numbers are written. Strings are left out first.
  const withoutStrings = minified.get(text)!.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  const sources = withoutStrings.match(/-?\d[\d.eE+-]*/g) ?? []
  const paths = new Map<number, string[]>()
  const names = new Set<string>()
  const atoms: Atom[] = []
  for (const { id, parent, key, type, atom } of tree.all(text)) {
    const name = `${String(parent)} ${String(key)}`
    if (names.has(name)) return 'doubled name'
    names.add(name)
    const path = parent === null ? [] : [...paths.get(parent)!, String(key)]
    paths.set(id, path)
    if (type === 'text') atoms.push({ path, text: String(atom), source: undefined })
    if (type === 'integer' || type === 'real') atoms.push({ path, text: undefined, source: sources.shift() })
  }
  return atoms
}

/** What the library's parser has where SQLite's has an atom. */
function found({ value, sources }: ParsedJson, { path, text }: Atom): Atom {
  const key = path.at(-1)!
  const container = path
    .slice(0, -1)
    .reduce<unknown>((parent, name) => (parent as Record<string, unknown>)[name], value) as Record<string, unknown>
  const member = Object.hasOwn(container, key) ? container[key] : undefined
  if (text !== undefined) return { path, text: member as string, source: undefined }
  // Where the parser keeps no source, the double is exact.
  const known = sources.get(container)?.get(key) ?? (Object.is(member, -0) ? '-0' : String(member))
  return { path, text: undefined, source: known }
}

test('changed documents are read as SQLite reads them, each number digit for digit', () => {
  const outcomes = { malformed: 0, 'doubled name': 0, unknown: 0, read: 0 }
  fc.assert(
    fc.property(changedDocument, (bytes) => {
      const expected = readWithSqlite(bytes)
      outcomes[typeof expected === 'string' ? expected : 'read']++
      if (expected === 'unknown') return
      if (typeof expected === 'string') {
        const message = expected === 'doubled name' ? / twice$/ : /(?<! twice)$/
        expect(() => parseJson(bytes)).toThrow(MalformedJson)
        expect(() => parseJson(bytes)).toThrow(message)
      } else {
        const parsed = parseJson(bytes)
        const inside = expected.filter(({ path }) => path.length > 0)
        expect(inside.map((atom) => found(parsed, atom))).toEqual(inside)
      }
    }),
    { numRuns: 3_000 },
  )
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(10)
})
