import type { JsonType, Schema } from 'fastify-contract/schema'
import type { TestedContract } from './contract.ts'
import { canonical } from './exact-json.ts'

/** A JSON value: an integer is a bigint, and a number that no double holds is made by `JSON.rawJSON`. */
export type Json = unknown

/** The suite does not know a value of this kind. The message says which. */
export class Undrawable extends Error {}

/** A schema contains itself, and has done so often enough. */
class TooDeep extends Undrawable {}

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
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
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
  /** Whether requests leave it out. */
  isReadOnly: boolean
  isWriteOnly: boolean
  /** What `assertions` do not hold, because another part has the same keyword. Values are drawn without it, and checked. */
  also: Schema[]
  /** The named schemas that were followed. */
  targets: Schema[]
  /** The schemas around it, from the outermost on. */
  trail: readonly Schema[]
  contract: SchemaSource
}

/** Where schemas lead to, and what is left out of requests because the suite knows no values of it. */
export type SchemaSource = Pick<TestedContract, 'problemsOf' | 'targetOf' | 'leftOut'>

const annotations = (
  'title description default deprecated discriminator externalDocs xml contentEncoding contentMediaType ' +
  '$comment x-enum-varnames x-enum-descriptions'
).split(' ')

/** Merges the parts of a schema: what it refers to, and those of `allOf`. */
export function flatten(schema: Schema | boolean, contract: SchemaSource): FlatSchema {
  if (typeof schema === 'boolean') return flatten(schema ? {} : { not: {} }, contract)
  const { $ref, allOf, properties, required, example, examples, readOnly, writeOnly, ...others } = schema
  const flat: FlatSchema = {
    // `generate` has checked the values of all keywords.
    assertions: Object.fromEntries(Object.entries(others).filter(([keyword]) => !annotations.includes(keyword))),
    properties: (properties ?? {}) as FlatSchema['properties'],
    required: (required ?? []) as string[],
    examples: [...((examples ?? []) as Json[]), ...(example === undefined ? [] : [example])],
    isReadOnly: readOnly === true,
    isWriteOnly: writeOnly === true,
    also: [],
    targets: [],
    trail: [],
    contract,
  }
  const parts = ((allOf ?? []) as Schema[]).map((part) => flatten(part, contract))
  if (typeof $ref !== 'string') return parts.reduce(merged, flat)
  const target = contract.targetOf($ref)
  const followed = flatten(target, contract)
  return parts.reduce(merged, merged({ ...followed, targets: [target, ...followed.targets] }, flat))
}

/** Merges two schemas that both hold. */
export function merged(a: FlatSchema, b: FlatSchema): FlatSchema {
  const assertions: Record<string, unknown> = { ...a.assertions, ...b.assertions }
  const also = [...a.also, ...b.also]
  for (const [keyword, first] of Object.entries(a.assertions)) {
    const second = (b.assertions as Record<string, unknown>)[keyword]
    if (second === undefined || canonical(first) === canonical(second)) continue
    const both = bothOf[keyword]?.(first, second)
    assertions[keyword] = both ?? first
    if (both === undefined) also.push({ [keyword]: second })
  }
  const names = Object.keys(a.properties).filter((name) => Object.hasOwn(b.properties, name))
  const common = names.map((name) => [name, bothSchemas(a.properties[name], b.properties[name])])
  return {
    ...a,
    assertions,
    also,
    properties: { ...a.properties, ...b.properties, ...(Object.fromEntries(common) as Record<string, Schema>) },
    required: [...new Set([...a.required, ...b.required])],
    examples: [...a.examples, ...b.examples],
    isReadOnly: a.isReadOnly || b.isReadOnly,
    isWriteOnly: a.isWriteOnly || b.isWriteOnly,
    targets: [...a.targets, ...b.targets],
  }
}

/** Flattens the schema of a property or an item. @throws Undrawable when it is in itself a third time */
export function within(flat: FlatSchema, schema: Schema | boolean): FlatSchema {
  const inner = flatten(schema, flat.contract)
  const around = [...flat.trail, ...flat.targets]
  const isDeep = (target: Schema) => around.filter((each) => each === target).length > 1
  if (inner.targets.some(isDeep)) throw new TooDeep('a schema contains itself')
  return { ...inner, trail: around }
}

/** Gives what `draw` makes; undefined where the suite knows no value, which is then noted as left out of a place. */
export function attempt<Drawn>(place: string, { leftOut }: SchemaSource, draw: () => Drawn): Drawn | undefined {
  try {
    return draw()
  } catch (error) {
    if (!(error instanceof Undrawable)) throw error
    if (!(error instanceof TooDeep)) leftOut.add(`${place}: ${error.message}`)
    return undefined
  }
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

/** What two values of a keyword mean together. */
const bothOf: Record<string, Both | undefined> = {
  type: (a, b) => {
    const [first, second] = [a, b].map((types) => [types].flat())
    const isWithin = (type: unknown, types: unknown[] = []) =>
      types.includes(type) || (type === 'integer' && types.includes('number'))
    return [
      ...new Set([
        ...first!.filter((type) => isWithin(type, second)),
        ...second!.filter((type) => isWithin(type, first)),
      ]),
    ]
  },
  enum: common,
  items: bothSchemas,
  uniqueItems: () => true,
  additionalProperties: (a, b) => (a === false || b === false ? false : bothSchemas(a, b)),
  ...Object.fromEntries(
    ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((keyword) => [keyword, larger]),
  ),
  ...Object.fromEntries(
    ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((keyword) => [keyword, smaller]),
  ),
}

/** The types that a schema names. */
export function typesOf({ assertions: { type = [] }, properties }: FlatSchema): JsonType[] {
  const types = [type].flat()
  return types.length === 0 && Object.keys(properties).length > 0 ? ['object'] : types
}

/** A request has no `readOnly` properties, whatever is required of a response. */
export function inRequests({ properties, required, ...flat }: FlatSchema): FlatSchema {
  const readOnly = Object.entries(properties).filter(([, property]) => flatten(property, flat.contract).isReadOnly)
  const isReadOnly = (name: string) => readOnly.some(([each]) => each === name)
  return {
    ...flat,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isReadOnly(name))),
    required: required.filter((name) => !isReadOnly(name)),
  }
}

/** Finds out whether a value keeps the rules of a schema, but for those of its items and properties. */
export function isAllowed(flat: FlatSchema): (value: Json) => boolean {
  const { items: _items, ...assertions } = flat.assertions
  const properties = Object.fromEntries(Object.keys(flat.properties).map((name) => [name, true]))
  const schema: Schema = {
    ...assertions,
    required: flat.required,
    properties,
    ...(flat.also.length === 0 ? {} : { allOf: flat.also }),
  }
  const { min, max } = rangeOf(flat)
  return (value) => {
    // Ajv reads integers as doubles.
    if (typeof value === 'bigint' && typesOf(flat).includes('integer') && (value < min || value > max)) return false
    return flat.contract.problemsOf(value, schema).length === 0
  }
}

/** No format of a contract: that of integers that are too large for each of them. */
export const beyondFormats = 'beyond'
const bitsOf: Record<string, bigint> = { int32: 31n, int64: 63n, [beyondFormats]: 100n }

/** The smallest and the largest integer of a schema. */
export function rangeOf({ assertions }: FlatSchema): { min: bigint; max: bigint } {
  const bits = bitsOf[assertions.format ?? ''] ?? 63n
  const [lowest, highest] = [-(2n ** bits), 2n ** bits - 1n]
  const { minimum = lowest, maximum = highest, exclusiveMinimum: above, exclusiveMaximum: below } = assertions
  const integer = (bound: number | bigint) => BigInt(typeof bound === 'number' ? Math.trunc(bound) : bound)
  const lower = [lowest, integer(minimum), above === undefined ? lowest : integer(above) + 1n]
  const upper = [highest, integer(maximum), below === undefined ? highest : integer(below) - 1n]
  return { min: lower.reduce((a, b) => (a > b ? a : b)), max: upper.reduce((a, b) => (a < b ? a : b)) }
}
