import Database from 'better-sqlite3'

/** A string or a number of a JSON document. */
export interface Atom {
  /** The names and indexes that lead to it. */
  path: string[]
  /** The value of a string. */
  text: string | undefined
  /** The source text of a number. */
  source: string | undefined
}

/** Reads JSON as `parseJson` does, with another parser. */
export interface JsonReference {
  /**
   * @returns all strings and numbers of a document, or why it is not one; `unknown` for a lone surrogate, which UTF-8
   *   cannot encode
   */
  read: (bytes: Buffer) => Atom[] | 'malformed' | 'doubled name' | 'unknown'
  close: () => void
}

interface Row {
  id: number
  parent: number | null
  key: string | number | null
  type: string
  atom: unknown
}

const escapedPair = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g
const escapedSurrogate = /\\u[dD][89a-fA-F]/

/** Opens SQLite's JSON parser (https://www.sqlite.org/json1.html). */
export function openJsonReference(): JsonReference {
  const database = new Database(':memory:')
  const isValid = database.prepare<[string], number>('SELECT json_valid(?)').pluck()
  const minified = database.prepare<[string], string>('SELECT json(?)').pluck()
  const tree = database.prepare<[string], Row>('SELECT id, parent, key, type, atom FROM json_tree(?) ORDER BY id')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  function read(bytes: Buffer): ReturnType<JsonReference['read']> {
    let text: string
    try {
      text = decoder.decode(bytes)
    } catch {
      return 'malformed'
    }
    // SQLite's text ends at a NUL, which is never valid JSON.
    if (text.includes('\0') || isValid.get(text) !== 1) return 'malformed'
    // json() keeps how numbers are written. Strings are left out first.
    const sources =
      minified
        .get(text)!
        .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
        .match(/-?\d[\d.eE+-]*/g) ?? []
    // An escaped backslash begins no escape of its own.
    const escapes = text.replaceAll('\\\\', '')
    if (escapedSurrogate.test(escapes.replaceAll(escapedPair, ''))) return 'unknown'
    const paths = new Map<number, string[]>()
    const atoms: Atom[] = []
    const names = new Set<string>()
    for (const { id, parent, key, type, atom } of tree.all(text)) {
      const path = parent === null ? [] : [...paths.get(parent)!, String(key)]
      paths.set(id, path)
      const name = `${String(parent)} ${String(key)}`
      if (names.has(name)) return 'doubled name'
      names.add(name)
      const isNumber = type === 'integer' || type === 'real'
      atoms.push({
        path,
        text: type === 'text' ? String(atom) : undefined,
        source: isNumber ? sources.shift() : undefined,
      })
    }
    return atoms
  }
  return { read, close: () => database.close() }
}

/** Computes the value: the digits times ten to the power of the exponent minus the number of digits after the point. */
export function exactInteger(
  sign: string,
  whole: string,
  fraction: string,
  exponent: number | undefined,
): bigint | undefined {
  const isPlain = fraction === '' && exponent === undefined
  const digits = BigInt(whole + fraction)
  const power = (exponent ?? 0) - fraction.length
  const divisor = power < 0 ? 10n ** BigInt(-power) : 1n
  if (digits % divisor !== 0n) return undefined
  const magnitude = power < 0 ? digits / divisor : digits * 10n ** BigInt(power)
  if (isPlain ? whole.length > 19 : magnitude > 2n ** 53n) return undefined
  return sign === '-' ? -magnitude : magnitude
}
