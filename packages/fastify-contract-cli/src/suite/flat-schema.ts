import type { JsonType, Schema } from 'fastify-contract/schema'
import type { TestedContract } from './contract.ts'
import { merged } from './merge-schemas.ts'
import { rangeOf } from './ranges.ts'
import { type LeftOut, TooDeep } from './undrawable.ts'

/** A JSON value: an integer is a bigint, and a number that no double holds is made by `JSON.rawJSON`. */
export type Json = unknown

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

/** Where schemas lead to, and how their values are drawn. */
export interface SchemaSource extends Pick<TestedContract, 'problemsOf' | 'targetOf'> {
  /** Takes what is left out of requests because the suite knows no values of it. */
  leftOut?: LeftOut
  /** Whether values are those that a reader expects: examples, plain texts, every property. */
  isPlain?: boolean
}

const annotations = (
  'title description default deprecated discriminator externalDocs xml contentEncoding contentMediaType ' + '$comment'
).split(' ')
const isAnnotation = (keyword: string) => annotations.includes(keyword) || keyword.startsWith('x-')

/** Merges the parts of a schema: what it refers to, and those of `allOf`. */
export function flatten(schema: Schema | boolean, contract: SchemaSource): FlatSchema {
  if (typeof schema === 'boolean') return flatten(schema ? {} : { not: {} }, contract)
  const { $ref, allOf, properties, required, example, examples, readOnly, writeOnly, ...others } = schema
  const flat: FlatSchema = {
    // `generate` has checked the values of all keywords.
    assertions: Object.fromEntries(Object.entries(others).filter(([keyword]) => !isAnnotation(keyword))),
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

/** Flattens the schema of a property or an item. @throws Undrawable when it is in itself a third time */
export function within(flat: FlatSchema, schema: Schema | boolean): FlatSchema {
  const inner = flatten(schema, flat.contract)
  const around = [...flat.trail, ...flat.targets]
  const isDeep = (target: Schema) => around.filter((each) => each === target).length > 1
  if (inner.targets.some(isDeep)) throw new TooDeep('a schema contains itself')
  return { ...inner, trail: around }
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
  const check = checks.get(flat) ?? checkOf(flat)
  checks.set(flat, check)
  return check
}

/** Compiling is slow. */
const checks = new WeakMap<FlatSchema, (value: Json) => boolean>()

function checkOf(flat: FlatSchema): (value: Json) => boolean {
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
