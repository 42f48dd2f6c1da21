import type { Parameter } from 'fastify-contract/document'
import type { Direction, JsonType, NamedSchemas, Schema, Subschema } from 'fastify-contract/schema'
import { alternativesOf, targetOf, withoutAnnotations } from 'fastify-contract/schema'
import type { SchemaChecks } from '../ground/contract.ts'
import { bothOf, bothSchemas } from './assertions.ts'
import type { Json } from './json-value.ts'
import type { Clock } from '../ground/clock.ts'
import { isList } from '../ground/members.ts'
import { type Notes, TooDeep } from '../ground/no-generator.ts'

/** A schema whose `$ref` and `allOf` are merged. */
export interface FlatSchema {
  /** Its other keywords. */
  assertions: Schema
  properties: Readonly<Record<string, Subschema>>
  required: readonly string[]
  examples: readonly Json[]
  default: Json
  /** Lists of schemas of each of which a value matches one. */
  choices: readonly (readonly Subschema[])[]
  isReadOnly: boolean
  isWriteOnly: boolean
  /** What `assertions` do not hold, because another part has the same keyword. Values are drawn without it, and checked. */
  also: readonly Schema[]
  /** The named schemas that were followed. */
  targets: readonly Schema[]
  /** The named schemas around it, from the outermost on. */
  trail: readonly Schema[]
  /** How many objects and lists are around it. */
  level: number
  /** Where its values are in a request: `body/name`. */
  place: string
  source: SchemaSource
}

/** Where schemas lead to, and how their values are drawn. */
export interface SchemaSource extends Notes {
  /** The named schemas. */
  schemas: NamedSchemas
  problemsOf: SchemaChecks
  /** Whose values: without `readOnly` properties in a request, which is the default, without `writeOnly` in a response. */
  direction?: Direction
  /** What is drawn: `body`, `query/limit`. */
  place?: string
  /** Ends the search for a value. */
  time?: Clock
  /** How many characters a text has that its schema does not limit; undefined for those of a body. */
  longest?: number
  /** The pattern of texts that their schema leaves open. */
  openPattern?: string | undefined
  /** Whether objects have no undeclared properties, even where they would be dropped. */
  isClosed?: boolean
  /** What every request has in place of a drawn value, by the place and the name of a parameter. */
  given?: GivenValues
  /** How many more places of a schema have their rules listed. */
  places?: { left: number }
}

/** Texts of parameters: of a place and a name. */
export type GivenValues = ReadonlyMap<`${Parameter['in']}/${string}`, string>

/**
 * Merges the parts of a schema: what it refers to, and those of `allOf`.
 *
 * @param visited the named schemas that were merged before; each counts once, however many parts refer to it
 */
export function flatten(schema: Subschema, source: SchemaSource, visited = new Set<Schema>()): FlatSchema {
  if (typeof schema === 'boolean') return flatten(schema ? {} : { not: {} }, source, visited)
  const { example, examples, default: standard, readOnly, writeOnly } = schema
  const { $ref, allOf = [], properties = {}, required = [], ...assertions } = withoutAnnotations(schema)
  const flat: FlatSchema = {
    assertions,
    default: standard,
    choices: alternativesOf(schema),
    properties,
    required,
    examples: [...(isList(examples) ? examples : []), ...[example, standard].filter((each) => each !== undefined)],
    isReadOnly: readOnly === true,
    isWriteOnly: writeOnly === true,
    also: [],
    targets: [],
    trail: [],
    level: 0,
    place: source.place ?? '',
    source,
  }
  const parts = allOf.map((part) => flatten(part, source, visited))
  const target = $ref === undefined ? undefined : (targetOf(schema, source.schemas) ?? {})
  if (target === undefined || visited.has(target)) return parts.reduce(merged, flat)
  visited.add(target)
  const followed = flatten(target, source, visited)
  return parts.reduce(merged, merged({ ...followed, targets: [target, ...followed.targets] }, flat))
}

/** Flattens the schema of a property, an item or an alternative. @throws TooDeep when it is in itself a third time */
export function within(flat: FlatSchema, schema: Subschema, name?: string): FlatSchema {
  const inner = flatten(schema, flat.source)
  const around = [...flat.trail, ...flat.targets]
  const isDeep = (target: Schema) => around.filter((each) => each === target).length > 1
  if (inner.targets.some(isDeep)) throw new TooDeep('a schema contains itself')
  const place = name === undefined ? flat.place : `${flat.place}/${name}`
  return { ...inner, trail: around, level: flat.level + 1, place }
}

/** Merges two schemas that both hold. */
export function merged(a: FlatSchema, b: FlatSchema): FlatSchema {
  const { assertions, also } = bothOf(a.assertions, b.assertions)
  const required = [...new Set([...a.required, ...b.required])]
  const names = Object.keys({ ...a.properties, ...b.properties })
  const properties = names.flatMap((name): [string, Subschema][] => {
    const [first, second] = [propertyOf(name, a), propertyOf(name, b)]
    if (first !== false && second !== false)
      return [[name, bothSchemas(first ?? second ?? true, second ?? first ?? true)]]
    return required.includes(name) ? [[name, false]] : []
  })
  return {
    ...a,
    assertions,
    also: [...a.also, ...b.also, ...also],
    properties: Object.fromEntries(properties),
    required,
    examples: [...a.examples, ...b.examples],
    default: a.default ?? b.default,
    choices: [...a.choices, ...b.choices],
    isReadOnly: a.isReadOnly || b.isReadOnly,
    isWriteOnly: a.isWriteOnly || b.isWriteOnly,
    targets: [...a.targets, ...b.targets],
  }
}

/** What one part of a schema says of a property: `false` where it closes its objects to it, undefined for nothing. */
function propertyOf(name: string, { assertions, properties }: FlatSchema): Subschema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name]
  return assertions.additionalProperties === false && !('patternProperties' in assertions) ? false : undefined
}

/** Whether values may be large: a body of many levels has very many inner ones. */
export function isOuter({ level }: FlatSchema): boolean {
  return level < 3
}

/** How many named schemas are around an object that has properties that it need not have. */
const deepest = 5

/** Whether the objects of a schema have only what they must have. */
export function isDeep({ trail }: FlatSchema): boolean {
  return trail.length > deepest
}

/** Sorts types, or what has them, so that `null` comes last. */
export function nullLast<Each>(typeOf: (each: Each) => unknown): (a: Each, b: Each) => number {
  return (a, b) => Number(typeOf(a) === 'null') - Number(typeOf(b) === 'null')
}

/** The types that a schema names, or that its keywords suggest. */
export function namedTypesOf({ assertions: { type = [] }, properties }: FlatSchema): JsonType[] {
  const types = [type].flat()
  return types.length === 0 && Object.keys(properties).length > 0 ? ['object'] : types
}

/** A schema without the properties that messages of the direction leave out, whatever is required of others. */
export function sent(flat: FlatSchema): FlatSchema {
  const isKept = (name: string) => !Object.hasOwn(flat.properties, name) || !isHidden(flat, flat.properties[name]!)
  return {
    ...flat,
    properties: Object.fromEntries(Object.entries(flat.properties).filter(([name]) => isKept(name))),
    required: flat.required.filter(isKept),
  }
}

/** Whether messages of the direction leave a property out. */
export function isHidden({ source }: Pick<FlatSchema, 'source'>, property: Subschema): boolean {
  const { isReadOnly, isWriteOnly } = flatten(property, source)
  return source.direction === 'response' ? isWriteOnly : isReadOnly
}

/** Compiling is slow. */
const checks = new WeakMap<FlatSchema, (value: Json) => boolean>()

/** Makes what finds out whether a value keeps the rules of a schema, but for those of its items and properties. */
export function isAllowed(flat: FlatSchema): (value: Json) => boolean {
  const { items: _items, ...assertions } = flat.assertions
  const schema: Schema = {
    ...assertions,
    required: flat.required,
    properties: Object.fromEntries(Object.keys(flat.properties).map((name) => [name, true])),
    ...(flat.also.length === 0 ? {} : { allOf: flat.also }),
  }
  const { problemsOf, direction } = flat.source
  const check = checks.get(flat) ?? ((value: Json) => problemsOf(value, schema, direction).length === 0)
  checks.set(flat, check)
  return check
}
