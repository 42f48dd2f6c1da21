import type { Int64Schema } from './client-types.ts'

declare global {
  interface JSON {
    /** TC39 JSON.parse source text access: `source` is the text of a number. */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
    /** JSON text that `stringify` copies verbatim. */
    rawJSON(text: string): object
  }
}

/** Writes a request body; bigints as digits. */
export function writeBody(body: unknown): string {
  const replacer = (_key: string, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member
  return JSON.stringify(body, replacer)
}

/** The referenced schemas, by reference. */
type Schemas = Record<string, Int64Schema>

/**
 * Parses a response body, each int64 to a bigint and any other number to a number.
 *
 * @param schema the paths to int64 values
 * @param schemas the referenced schemas
 * @throws SyntaxError if the text is not JSON
 */
export function readBody(text: string, schema: Int64Schema, schemas: Schemas): unknown {
  const body: unknown = JSON.parse(text)
  if (Object.keys(schema).length === 0) return body
  // The same body with all integers as bigints, the source of int64 values.
  const exact = JSON.parse(text, (_key, value, { source = '' }) => {
    if (typeof value !== 'number') return value
    return /^-?\d+$/.test(source) ? BigInt(source) : Number.isSafeInteger(value) ? BigInt(value) : value
  })
  return withInt64(body, exact, [schema], schemas)
}

function withInt64(value: unknown, exact: unknown, about: Int64Schema[], schemas: Schemas): unknown {
  const all = [...expand(about, value, schemas)]
  if (typeof exact === 'bigint') return all.some(({ format }) => format === 'int64') ? exact : value
  if (typeof value !== 'object' || value === null) return value
  // Both are of the same text.
  const [members, exactMembers] = [value, exact] as [Record<string, unknown>, Record<string, unknown>]
  for (const name of Object.keys(members)) {
    const inside = all.flatMap((schema) => (Array.isArray(value) ? (schema.items ?? []) : atName(schema, name)))
    if (inside.length > 0) members[name] = withInt64(members[name], exactMembers[name], inside, schemas)
  }
  return value
}

/** The schemas, with their references and compositions that apply to the value. */
function expand(about: Int64Schema[], value: unknown, schemas: Schemas): Set<Int64Schema> {
  const all = new Set(about)
  // Iterating a Set includes the members added meanwhile.
  for (const { $ref, allOf = [] } of all) {
    const referred = $ref === undefined ? undefined : schemas[$ref]
    for (const schema of referred === undefined ? allOf : [referred, ...allOf]) {
      if (isOfKind(value, schema)) all.add(schema)
    }
  }
  return all
}

function isOfKind(value: unknown, { when = {} }: Int64Schema): boolean {
  if (typeof value !== 'object' || value === null) return true
  const members = new Map<string, unknown>(Object.entries(value))
  return Object.entries(when).every(
    ([name, texts]) => !members.has(name) || texts.some((text) => text === members.get(name)),
  )
}

/** The schema of a property. */
function atName({ properties = {}, additionalProperties }: Int64Schema, name: string): Int64Schema[] {
  const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
  return schema === undefined ? [] : [schema]
}
