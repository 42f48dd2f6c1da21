import type { Parameter } from 'fastify-contract/document'
import type { Direction, JsonType, NamedSchemas, Schema } from 'fastify-contract/schema'
import { alternativesOf, targetOf, withoutAnnotations } from 'fastify-contract/schema'
import type { SchemaChecks } from '../ground/contract.ts'
import { canonical } from '../ground/exact-json.ts'
import type { Json } from './json-value.ts'
import type { Clock } from '../ground/clock.ts'
import { TooDeep } from '../ground/no-generator.ts'

/** The keywords that assert something of a value and for which values are drawn on purpose. */
export interface Assertions {
  type?: JsonType | JsonType[]
  format?: string
  enum?: Json[]
  const?: Json
  minimum?: number | bigint
  maximum?: number | bigint
  exclusiveMinimum?: number | bigint
  exclusiveMaximum?: number | bigint
  multipleOf?: number | bigint
  minLength?: number
  maxLength?: number
  pattern?: string
  items?: Schema
  prefixItems?: (Schema | boolean)[]
  contains?: Schema | boolean
  minContains?: number
  maxContains?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: Schema
}

/** A schema whose `$ref` and `allOf` are merged. */
export interface FlatSchema {
  assertions: Assertions
  properties: Record<string, Schema>
  required: string[]
  examples: Json[]
  default: Json
  /** Lists of schemas of each of which a value matches one. */
  choices: Schema[][]
  isReadOnly: boolean
  isWriteOnly: boolean
  /** What `assertions` do not hold, because another part has the same keyword. Values are drawn without it, and checked. */
  also: Schema[]
  /** The named schemas that were followed. */
  targets: Schema[]
  /** The named schemas around it, from the outermost on. */
  trail: readonly Schema[]
  /** How many objects and lists are around it. */
  level: number
  source: SchemaSource
}

/** Where schemas lead to, and how their values are drawn. */
export interface SchemaSource {
  /** The named schemas. */
  schemas: NamedSchemas
  problemsOf: SchemaChecks
  /** Whose values: without `readOnly` properties in a request, which is the default, without `writeOnly` in a response. */
  direction?: Direction
  /** Takes what is left out of requests because the suite knows no values of it. */
  skippedParts?: Set<string>
  /** Ends the search for a value. */
  time?: Clock
  /** How many characters a text has that its schema does not limit; undefined for those of a body. */
  longest?: number
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
export function flatten(schema: Schema | boolean, source: SchemaSource, visited = new Set<Schema>()): FlatSchema {
  if (typeof schema === 'boolean') return flatten(schema ? {} : { not: {} }, source, visited)
  const { example, examples, default: standard, readOnly, writeOnly } = schema
  const { $ref, allOf, properties, required, ...assertions }: Record<string, unknown> = {
    ...withoutAnnotations(schema),
  }
  const flat: FlatSchema = {
    // `generate` has checked the values of all keywords.
    assertions,
    default: standard,
    choices: choicesOf(schema),
    properties: (properties ?? {}) as FlatSchema['properties'],
    required: (required ?? []) as string[],
    examples: [...((examples ?? []) as Json[]), ...[example, standard].filter((each) => each !== undefined)],
    isReadOnly: readOnly === true,
    isWriteOnly: writeOnly === true,
    also: [],
    targets: [],
    trail: [],
    level: 0,
    source,
  }
  const parts = ((allOf ?? []) as Schema[]).map((part) => flatten(part, source, visited))
  const target = $ref === undefined ? undefined : (targetOf(schema, source.schemas) ?? {})
  if (target === undefined || visited.has(target)) return parts.reduce(merged, flat)
  visited.add(target)
  const followed = flatten(target, source, visited)
  return parts.reduce(merged, merged({ ...followed, targets: [target, ...followed.targets] }, flat))
}

/** The lists of alternatives of a schema. `generate` has checked them. */
export function choicesOf(schema: Schema): Schema[][] {
  return alternativesOf(schema) as Schema[][]
}

/** Flattens the schema of a property or an item. @throws TooDeep when it is in itself a third time */
export function within(flat: FlatSchema, schema: Schema | boolean): FlatSchema {
  const inner = flatten(schema, flat.source)
  const around = [...flat.trail, ...flat.targets]
  const isDeep = (target: Schema) => around.filter((each) => each === target).length > 1
  if (inner.targets.some(isDeep)) throw new TooDeep('a schema contains itself')
  return { ...inner, trail: around, level: flat.level + 1 }
}

/** Keywords that mean nothing without the first of them. */
const together = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
] as const

/** Merges two schemas that both hold. */
export function merged(a: FlatSchema, b: FlatSchema): FlatSchema {
  const others: Record<string, unknown> = { ...b.assertions }
  const also = [...a.also, ...b.also]
  for (const keywords of together) {
    if (!(keywords[0] in a.assertions && keywords[0] in others)) continue
    const part = keywords.filter((keyword) => keyword in others).map((keyword) => [keyword, others[keyword]])
    also.push(Object.fromEntries(part) as Schema)
    for (const keyword of keywords) Reflect.deleteProperty(others, keyword)
  }
  const assertions: Record<string, unknown> = { ...a.assertions, ...others }
  for (const [keyword, first] of Object.entries(a.assertions)) {
    const second = others[keyword]
    if (second === undefined || canonical(first) === canonical(second)) continue
    const both = bothOf[keyword]?.(first, second)
    assertions[keyword] = both ?? first
    if (both === undefined) also.push({ [keyword]: second })
  }
  const names = Object.keys(a.properties).filter((name) => Object.hasOwn(b.properties, name))
  const common = names.map((name) => [name, bothSchemas(a.properties[name], b.properties[name])])
  const required = [...new Set([...a.required, ...b.required])]
  const properties = { ...a.properties, ...b.properties, ...(Object.fromEntries(common) as Record<string, Schema>) }
  for (const name of Object.keys(properties)) {
    if (!isForbidden(name, a) && !isForbidden(name, b)) continue
    if (required.includes(name)) properties[name] = { not: {} }
    else Reflect.deleteProperty(properties, name)
  }
  return {
    ...a,
    assertions,
    also,
    properties,
    required,
    examples: [...a.examples, ...b.examples],
    default: a.default ?? b.default,
    choices: [...a.choices, ...b.choices],
    isReadOnly: a.isReadOnly || b.isReadOnly,
    isWriteOnly: a.isWriteOnly || b.isWriteOnly,
    targets: [...a.targets, ...b.targets],
  }
}

/** Whether one part of a schema closes its objects to a property of another part. */
function isForbidden(name: string, { assertions, properties }: FlatSchema): boolean {
  const isClosed = assertions.additionalProperties === false && !('patternProperties' in assertions)
  return isClosed && !Object.hasOwn(properties, name)
}

type Both = (a: unknown, b: unknown) => unknown

// The values of these keywords are numbers.
const larger: Both = (a, b) => ((a as number) > (b as number) ? a : b)
const smaller: Both = (a, b) => ((a as number) < (b as number) ? a : b)
const common: Both = (a, b) => {
  const second = new Set([b].flat().map(canonical))
  return [a].flat().filter((value) => second.has(canonical(value)))
}
const bothSchemas: Both = (a, b) => (a === b ? a : { allOf: [a, b] })
const bothTypes: Both = (a, b) => {
  const [first = [], second = []] = [a, b].map((types) => [types].flat())
  const isWithin = (type: unknown, types: unknown[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const kept = [...first.filter((type) => isWithin(type, second)), ...second.filter((type) => isWithin(type, first))]
  return [...new Set(kept)]
}

const each = (keywords: string, both: Both) => keywords.split(' ').map((keyword) => [keyword, both] as const)

/** What two values of a keyword mean together. */
const bothOf: Record<string, Both | undefined> = Object.fromEntries([
  ['type', bothTypes],
  ['enum', common],
  ['items', bothSchemas],
  ['uniqueItems', (a, b) => a === true || b === true],
  ['additionalProperties', (a, b) => (a === false || b === false ? false : bothSchemas(a, b))],
  ...each('minimum exclusiveMinimum minLength minItems minProperties', larger),
  ...each('maximum exclusiveMaximum maxLength maxItems maxProperties', smaller),
] satisfies (readonly [string, Both])[])

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
export function isHidden({ source }: Pick<FlatSchema, 'source'>, property: Schema | boolean): boolean {
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
