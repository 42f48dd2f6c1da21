import type { Schema } from '../../../src/schema/schema-parts.ts'

/** The keywords that the arbitraries understand. With another one they would draw values that the contract forbids. */
const understood = [
  'type',
  'format',
  'enum',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'pattern',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'allOf',
]
const annotations = ['title', 'description', 'example', 'examples', 'default', 'x-enum-varnames', 'x-enum-descriptions']

/** A schema whose combinations are resolved. */
export interface FlatSchema {
  type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  format?: string
  enum?: unknown[]
  minimum?: number | bigint
  maximum?: number | bigint
  exclusiveMinimum?: number | bigint
  exclusiveMaximum?: number | bigint
  minLength?: number
  maxLength?: number
  pattern?: string
  items?: Schema
  additionalProperties?: boolean
  properties: Map<string, Schema>
  required: Set<string>
  examples: unknown[]
}

/**
 * Resolves `allOf` into one schema.
 *
 * @throws Error on a keyword that the suite has no arbitrary for, or when two parts disagree
 */
export function flatten(schema: Schema): FlatSchema {
  const foreign = Object.keys(schema).filter(
    (keyword) => !understood.includes(keyword) && !annotations.includes(keyword),
  )
  if (foreign.length > 0)
    throw new Error(`the contract's tests do not understand ${foreign.join(', ')}; teach flat-schema.ts`)
  const { allOf, properties, required, examples, ...assertions } = schema
  const flat: Record<string, unknown> = { ...assertions }
  const merged = {
    properties: new Map(Object.entries((properties ?? {}) as Record<string, Schema>)),
    required: new Set((required ?? []) as string[]),
    examples: [...((examples ?? []) as unknown[])],
  }
  for (const part of (allOf ?? []) as Schema[]) {
    const { properties: others, required: needed, examples: more, ...rest } = flatten(part)
    for (const [name, value] of Object.entries(rest)) {
      if (understood.includes(name) && name in flat && flat[name] !== value)
        throw new Error(`two parts of an allOf disagree about ${name}`)
      if (understood.includes(name)) flat[name] = value
    }
    for (const [name, property] of others) merged.properties.set(name, property)
    for (const name of needed) merged.required.add(name)
    merged.examples.push(...more)
  }
  if (typeof flat['type'] !== 'string') throw new Error('the contract has a schema without one type')
  // The keywords are those of the interface; `npm run generate` has judged their values.
  return { ...flat, ...merged } as FlatSchema
}

/** The properties of an object's schema, and whether each is required; none for anything else. */
export function propertiesOf(schema: Schema | undefined): Map<string, boolean> {
  if (schema === undefined) return new Map()
  const { properties, required } = flatten(schema)
  return new Map([...properties.keys()].map((name) => [name, required.has(name)]))
}
