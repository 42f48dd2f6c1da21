import { inPlace, isSchema, targetOf } from './schema-parts.ts'
import { type JsonType, type NamedSchemas, type Schema, type Subschema, jsonTypes } from './schema.ts'

/**
 * The possible types of a schema's values, by `type`, `enum` and `const`, also through references and compositions.
 */
export function typesOf(
  schema: Subschema | undefined,
  schemas: NamedSchemas,
  typeSets = new Map<Schema, Set<JsonType>>(),
): Set<JsonType> {
  if (!isSchema(schema)) return new Set(schema === false ? [] : jsonTypes)
  const answer = typeSets.get(schema)
  if (answer !== undefined) return answer
  // For a schema that refers back to itself.
  typeSets.set(schema, new Set(jsonTypes))
  const { type, enum: values, const: value, allOf = [] } = schema
  const of = (members: readonly Subschema[]) => members.map((member) => typesOf(member, schemas, typeSets))
  const sets: Set<JsonType>[] = [new Set(jsonTypes)]
  if (type !== undefined) sets.push(new Set([type].flat().flatMap(withIntegers)))
  if (values !== undefined) sets.push(new Set(values.flatMap(typesOfValue)))
  if ('const' in schema) sets.push(new Set(typesOfValue(value)))
  const target = targetOf(schema, schemas)
  if (target !== undefined) sets.push(typesOf(target, schemas, typeSets))
  sets.push(...of(allOf))
  for (const members of alternativesOf(schema))
    sets.push(of(members).reduce((all, each) => all.union(each), new Set<JsonType>()))
  const types = sets.reduce((all, each) => all.intersection(each))
  typeSets.set(schema, types)
  return types
}

function withIntegers(type: JsonType): JsonType[] {
  return type === 'number' ? ['number', 'integer'] : [type]
}

/** The types of a constant, the most specific first. */
export function typesOfValue(value: unknown): JsonType[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'bigint') return ['integer', 'number']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  return jsonTypes.filter((type) => type === typeof value)
}

/** Whether a value is of the type of a schema. The keyword `type` reports one that is not. */
export function isOfType({ type }: Pick<Schema, 'type'>, value: unknown): boolean {
  return type === undefined || typesOfValue(value).some((each) => [type].flat().includes(each))
}

/**
 * The lists of schemas of each of which a value always matches one: those of `anyOf` and `oneOf`, and the two cases of
 * `if`.
 */
export function alternativesOf({
  anyOf,
  oneOf,
  if: condition,
  then = true,
  else: otherwise = true,
}: Schema): (readonly Subschema[])[] {
  const cases =
    condition === undefined ? undefined : [{ allOf: [condition, then] }, { allOf: [{ not: condition }, otherwise] }]
  return [anyOf, oneOf, cases].filter((schemas) => schemas !== undefined)
}

/** The types of a value without a schema. */
export const anyType = typesOf(true, {})

/** The schemas that `together` has made, by the first part. */
const composed = new WeakMap<Schema, { allOf: readonly Subschema[] }[]>()

/** The schema that all of these are together. It is the same for the same parts, because schemas may contain themselves. */
function together(all: readonly Subschema[]): Subschema {
  const [first = true] = all
  if (all.length < 2 || !isSchema(first)) return all.length < 2 ? first : { allOf: all }
  const compositions = composed.get(first) ?? []
  const same = compositions.find(
    ({ allOf }) => allOf.length === all.length && allOf.every((one, at) => one === all[at]),
  )
  if (same !== undefined) return same
  const composition = { allOf: all }
  composed.set(first, [...compositions, composition])
  return composition
}

/** The schema of the items of a list. */
export function itemsOf(schema: Subschema | undefined, schemas: NamedSchemas): Subschema {
  return together(inPlace(schema, schemas).flatMap(({ items }) => items ?? []))
}

/**
 * The schemas of the declared properties of an object, by name.
 *
 * @param when `always` leaves out those that alternatives declare
 */
export function propertiesOf(
  schema: Subschema | undefined,
  schemas: NamedSchemas,
  when?: 'always' | 'sometimes',
): ReadonlyMap<string, Subschema> {
  const named = inPlace(schema, schemas, when).flatMap(({ properties = {} }) => Object.entries(properties))
  const byName = Map.groupBy(named, ([name]) => name)
  return new Map([...byName].map(([name, each]) => [name, together(each.map(([, one]) => one))]))
}

/** The schema of the properties of an object that are not declared by name; undefined without one. */
export function othersOf(schema: Subschema | undefined, schemas: NamedSchemas): Subschema | undefined {
  const others = inPlace(schema, schemas).flatMap(({ additionalProperties }) => additionalProperties ?? [])
  return others.length === 0 ? undefined : together(others)
}

/** The properties that an object must always have. */
export function requiredOf(schema: Subschema | undefined, schemas: NamedSchemas): Set<string> {
  return new Set(inPlace(schema, schemas, 'always').flatMap(requiredBy))
}

/** The properties that one schema requires by itself. */
export function requiredBy({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/** The lists of constants of which a value is always one. */
export function constantsOf(schema: Subschema | undefined, schemas: NamedSchemas): (readonly unknown[])[] {
  return inPlace(schema, schemas, 'always').flatMap((one) => {
    if ('const' in one) return [[one.const]]
    return one.enum === undefined ? [] : [one.enum]
  })
}

/** The default of a property or a parameter; undefined if it has none. Defaults of alternatives are not applied. */
export function defaultOf(schema: Subschema | undefined, schemas: NamedSchemas): unknown {
  return inPlace(schema, schemas, 'always').find((one) => one.default !== undefined)?.default
}

/** A body is read into memory. */
const greatestLength = 2 ** 31 - 1

/**
 * The most bytes of binary content that a schema describes: its `maxLength` counts octets (OpenAPI 3.1.1, "Working with
 * Binary Data").
 *
 * @returns undefined without one, or if it is beyond 2^31 - 1
 */
export function maxBytesOf(schema: Subschema | undefined, schemas: NamedSchemas): number | undefined {
  const lengths = inPlace(schema, schemas, 'always').flatMap(({ maxLength }) => maxLength ?? [])
  const least = Math.min(...lengths.map(Number))
  return least <= greatestLength ? least : undefined
}

/** Whether a property is left out of requests, or of responses. */
export function isMarked(
  schema: Subschema | undefined,
  schemas: NamedSchemas,
  mark: 'readOnly' | 'writeOnly',
): boolean {
  return inPlace(schema, schemas).some((one) => one[mark] === true)
}
