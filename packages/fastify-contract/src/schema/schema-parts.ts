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
  items: 'to a part',
  properties: 'to a part',
  additionalProperties: 'to a part',
  propertyNames: 'to a name',
}

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
    } else if (keyword === 'properties') {
      const members = Object.entries(member as Record<string, unknown>)
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
const compositions = { always: ['allOf'], sometimes: ['allOf', 'anyOf', 'oneOf'] } as const

/**
 * Lists a schema and every schema that describes the same value, through `$ref`, `allOf`, `anyOf` and `oneOf`.
 *
 * @param when `always` leaves out alternatives
 */
export function inPlace(
  schema: Schema,
  schemas: NamedSchemas,
  when: keyof typeof compositions = 'sometimes',
): Schema[] {
  const found = new Set<Schema>()
  const open = [schema]
  // Without recursion: a chain may be as long as the contract has schemas.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue
    found.add(next)
    const of: Schema = next
    const composed = compositions[when].flatMap((keyword) => of[keyword] ?? [])
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

/** The types of JSON Schema; `number` includes `integer`. */
const jsonTypes = ['null', 'boolean', 'object', 'array', 'string', 'number', 'integer'] as const
export type JsonType = (typeof jsonTypes)[number]

/**
 * The possible types of a schema's values, by `type`, `enum` and `const`, also through references and compositions.
 */
export function typesOf(
  schema: unknown,
  schemas: NamedSchemas,
  known = new Map<Schema, Set<JsonType>>(),
): Set<JsonType> {
  if (!isSchema(schema)) return new Set(schema === false ? [] : jsonTypes)
  const answer = known.get(schema)
  if (answer !== undefined) return answer
  // For a schema that refers back to itself.
  known.set(schema, new Set(jsonTypes))
  const { type, enum: values, const: value, allOf, anyOf, oneOf } = schema
  const of = (members: unknown) => (members as unknown[]).map((member) => typesOf(member, schemas, known))
  const sets: Set<JsonType>[] = [new Set(jsonTypes)]
  if (type !== undefined) sets.push(new Set(([type].flat() as JsonType[]).flatMap(withIntegers)))
  if (Array.isArray(values)) sets.push(new Set(values.flatMap(typesOfValue)))
  if ('const' in schema) sets.push(new Set(typesOfValue(value)))
  const target = targetOf(schema, schemas)
  if (target !== undefined) sets.push(typesOf(target, schemas, known))
  if (Array.isArray(allOf)) sets.push(...of(allOf))
  for (const members of [anyOf, oneOf]) {
    if (Array.isArray(members)) sets.push(of(members).reduce((all, each) => all.union(each), new Set<JsonType>()))
  }
  const types = sets.reduce((all, each) => all.intersection(each))
  known.set(schema, types)
  return types
}

function withIntegers(type: JsonType): JsonType[] {
  return type === 'number' ? ['number', 'integer'] : [type]
}

/** Whether all values of a schema are arrays, or null. */
export function isList(schema: unknown, schemas: NamedSchemas): boolean {
  const types = typesOf(schema, schemas)
  return types.has('array') && types.isSubsetOf(new Set(['array', 'null']))
}

/** The types of a constant, the most specific first. */
export function typesOfValue(value: unknown): JsonType[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'bigint') return ['integer', 'number']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  // The remaining types of JSON.
  return [typeof value as JsonType]
}

/** Whether a value is of the type of a schema. The keyword `type` reports one that is not. */
export function isOfType({ type }: Schema, value: unknown): boolean {
  return type === undefined || typesOfValue(value).some((each) => [type].flat().includes(each))
}
