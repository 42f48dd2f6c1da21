import { find, stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { exactKeywords, formatless } from './exact-dialect.ts'

/** Keywords whose schemas are for the same value. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']
/** Keywords whose schemas are for values within it. */
const inside = [
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'contains', 'unevaluatedItems'],
]
/** Keywords that map names to schemas. */
const maps = ['properties', 'patternProperties', 'dependentSchemas']
/** Keywords that are copied as they are. */
const others = [
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'dependentRequired', '$anchor', '$dynamicAnchor', '$dynamicRef'],
]

/**
 * Copies a schema and what it refers to for a reader that knows nothing of OpenAPI: without annotations, and as it is for
 * responses, which have no property that is `writeOnly`.
 *
 * @param document that the references lead to
 * @throws BrokenReference
 */
export function plainSchema(schema: Schema, document: unknown): object {
  const indices = new Map<unknown, number>()
  const definitions: unknown[] = []

  function indexOf(target: unknown): number {
    const known = indices.get(target)
    if (known !== undefined) return known
    const index = indices.size
    indices.set(target, index)
    definitions[index] = copy(target, new Set())
    return index
  }

  /** The schemas that apply to the same value, as far as they may declare its properties. */
  function partsOf(part: unknown, parts = new Set<Schema>()): Set<Schema> {
    // A boolean declares nothing.
    if (typeof part !== 'object' || part === null || parts.has(part as Schema)) return parts
    const { $ref: reference, allOf = [], anyOf = [], oneOf = [] } = part as Schema
    parts.add(part as Schema)
    if (typeof reference === 'string') partsOf(find(document, reference), parts)
    // `generate` has checked that they are lists.
    for (const each of [allOf, anyOf, oneOf].flat()) partsOf(each, parts)
    return parts
  }

  const isWriteOnly = (property: unknown) => [...partsOf(property)].some((part) => part['writeOnly'] === true)

  /** @param hidden the names of properties that schemas around it, for the same value, declare as `writeOnly` */
  function copy(from: unknown, hidden: ReadonlySet<string>): unknown {
    if (typeof from !== 'object' || from === null) return from
    const properties = [...partsOf(from)].flatMap((part) => Object.entries(part['properties'] ?? {}))
    const own = properties.filter(([, property]) => isWriteOnly(property)).map(([name]) => name)
    const names = new Set([...hidden, ...own])
    const copied = Object.entries(from).flatMap(([keyword, value]: [string, unknown]): [string, unknown][] => {
      const inner = (each: unknown) => copy(each, inPlace.includes(keyword) ? names : new Set())
      if (keyword === '$ref') return [[keyword, `#/$defs/${String(indexOf(find(document, String(value))))}`]]
      if (keyword === 'required') return [[keyword, (value as string[]).filter((name) => !names.has(name))]]
      if (keyword === 'format' || exactKeywords.has(keyword)) return [[keyword, stringifyJson(value)]]
      if (others.includes(keyword)) return [[keyword, value]]
      if (![...inPlace, ...inside].includes(keyword)) return []
      if (Array.isArray(value)) return [[keyword, value.map(inner)]]
      if (!maps.includes(keyword)) return [[keyword, inner(value)]]
      const members = Object.entries(value as object).map(([name, member]: [string, unknown]) => {
        return [name, keyword === 'properties' && isWriteOnly(member) ? false : inner(member)]
      })
      return [[keyword, Object.fromEntries(members)]]
    })
    const { type, format } = from as Schema
    const isFormatless = format === undefined && [type].flat().includes('integer')
    return Object.fromEntries([...copied, ...(isFormatless ? [['format', stringifyJson(formatless)]] : [])])
  }

  const root = indexOf(schema)
  return { $defs: definitions, $ref: `#/$defs/${String(root)}` }
}
