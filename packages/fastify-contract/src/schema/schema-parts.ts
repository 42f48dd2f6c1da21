import { unescapeName } from '../json/pointer.ts'

/** A schema object of JSON Schema 2020-12. The boolean schemas `true` and `false` are not included. */
export type Schema = Record<string, unknown>

/** The start of every reference to a named schema. */
export const schemasPointer = '#/components/schemas/'

/** The name in a reference to a named schema; undefined for any other reference. */
export function schemaNameOf(reference: unknown): string | undefined {
  if (typeof reference !== 'string' || !reference.startsWith(schemasPointer)) return undefined
  const name = reference.slice(schemasPointer.length)
  return name.includes('/') ? undefined : unescapeName(decodeURIComponent(name))
}

/** The named schemas of a contract, by name. */
export type NamedSchemas = Record<string, Schema>

/**
 * The target of a subschema: the same value as its parent, a part of that value, or the name of a property (JSON Schema
 * 2020-12, core, sections 10 and 11).
 */
export type Applies = 'to the value' | 'to a part' | 'to a name'

/** The keywords with subschemas, and the target of those. */
const applicators: Readonly<Record<string, Applies>> = {
  allOf: 'to the value',
  anyOf: 'to the value',
  oneOf: 'to the value',
  not: 'to the value',
  if: 'to the value',
  then: 'to the value',
  else: 'to the value',
  dependentSchemas: 'to the value',
  prefixItems: 'to a part',
  items: 'to a part',
  contains: 'to a part',
  unevaluatedItems: 'to a part',
  properties: 'to a part',
  patternProperties: 'to a part',
  additionalProperties: 'to a part',
  unevaluatedProperties: 'to a part',
  propertyNames: 'to a name',
}

/** Those whose value is a map of subschemas. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])

/** The target of a keyword's subschemas; undefined if it has none. */
export function appliesTo(keyword: string): Applies | undefined {
  return Object.hasOwn(applicators, keyword) ? applicators[keyword] : undefined
}

/**
 * Copies a schema and replaces its direct subschemas.
 *
 * @param replace receives a subschema, its target, its keyword, and its name or index there
 */
export function withSubschemas(
  schema: Schema,
  replace: (subschema: unknown, applies: Applies, keyword: string, name?: string) => unknown,
): Schema {
  const copy: Schema = {}
  for (const [keyword, member] of Object.entries(schema)) {
    const applies = appliesTo(keyword)
    if (applies === undefined) copy[keyword] = member
    else if (Array.isArray(member)) {
      copy[keyword] = member.map((each, index) => replace(each, applies, keyword, String(index)))
    } else if (maps.has(keyword) && isSchema(member)) {
      const members = Object.entries(member)
      copy[keyword] = Object.fromEntries(members.map(([name, each]) => [name, replace(each, applies, keyword, name)]))
    } else copy[keyword] = replace(member, applies, keyword)
  }
  return copy
}

/** Lists the direct subschemas of a schema with their places. */
export function subschemasOf(schema: Schema): { place: string; schema: Schema; applies: Applies }[] {
  const found: { place: string; schema: Schema; applies: Applies }[] = []
  withSubschemas(schema, (subschema, applies, keyword, name) => {
    const place = name === undefined ? keyword : `${keyword}/${name}`
    if (isSchema(subschema)) found.push({ place, schema: subschema, applies })
    return subschema
  })
  return found
}

/** Whether a schema is an object rather than `true` or `false`. */
export function isSchema(member: unknown): member is Schema {
  return typeof member === 'object' && member !== null && !Array.isArray(member)
}

/** The keywords whose subschemas describe the same value, always or sometimes. */
const compositions = {
  always: ['allOf'],
  sometimes: ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'],
} as const

/**
 * Lists a schema and every schema that describes the same value, through references and compositions. `true` and `false`
 * have none.
 *
 * @param when `always` leaves out alternatives
 */
export function inPlace(
  schema: unknown,
  schemas: NamedSchemas,
  when: keyof typeof compositions = 'sometimes',
): Schema[] {
  const found = new Set<Schema>()
  const open = [schema].filter(isSchema)
  // Without recursion: a chain may be as long as the contract has schemas.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue
    found.add(next)
    const of: Schema = next
    const composed = compositions[when].flatMap((keyword): unknown => {
      const member = of[keyword] ?? []
      return keyword === 'dependentSchemas' ? Object.values(member) : member
    })
    open.push(...[targetOf(next, schemas), ...composed].filter(isSchema).reverse())
  }
  return [...found]
}

/** The target of `$ref`; undefined without a reference. */
export function targetOf({ $ref: reference }: Schema, schemas: NamedSchemas): Schema | undefined {
  const name = schemaNameOf(reference)
  if (name === undefined) return undefined
  if (!Object.hasOwn(schemas, name)) throw new Error(`the reference ${String(reference)} leads to nothing`)
  const target: unknown = schemas[name]
  return isSchema(target) ? target : undefined
}
