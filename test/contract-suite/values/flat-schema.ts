import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'

/** The keywords for which the arbitraries draw values on purpose. */
const drawn = [
  'type',
  'format',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'allOf',
  'anyOf',
  'oneOf',
]
const annotations = [
  'title',
  'description',
  'example',
  'examples',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
  'externalDocs',
  '$comment',
  'x-enum-varnames',
  'x-enum-descriptions',
]

export type JsonType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'

/** A schema whose `allOf` is resolved. */
export interface FlatSchema {
  /** Undefined where the schema leaves the type to its alternatives, or allows every type. */
  type?: JsonType | JsonType[]
  format?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number | bigint
  maximum?: number | bigint
  exclusiveMinimum?: number | bigint
  exclusiveMaximum?: number | bigint
  multipleOf?: number | bigint
  minLength?: number
  maxLength?: number
  pattern?: string
  /** What every text must match to be sent where it stands; no keyword of a contract. */
  sendable?: RegExp
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  additionalProperties?: boolean | Schema
  properties: Map<string, Schema>
  required: Set<string>
  examples: unknown[]
  /** Whether the schema has a keyword that is not drawn on purpose: what is drawn is valid only if Ajv says so. */
  hasOthers: boolean
}

/**
 * Resolves `allOf` into one schema.
 *
 * @throws Error when two parts disagree
 */
export function flatten(schema: Schema): FlatSchema {
  const { allOf, properties, required, examples, example, ...assertions } = schema
  const flat: Record<string, unknown> = { ...assertions }
  const merged = {
    properties: new Map(Object.entries((properties ?? {}) as Record<string, Schema>)),
    required: new Set((required ?? []) as string[]),
    examples: [...((examples ?? []) as unknown[]), ...(example === undefined ? [] : [example])],
    hasOthers: Object.keys(schema).some((keyword) => !drawn.includes(keyword) && !annotations.includes(keyword)),
  }
  for (const part of (allOf ?? []) as Schema[]) {
    const { properties: others, required: needed, examples: more, hasOthers, ...rest } = flatten(part)
    for (const [name, value] of Object.entries(rest).filter(([keyword]) => drawn.includes(keyword))) {
      if (name in flat && flat[name] !== value) throw new Error(`two parts of an allOf disagree about ${name}`)
      flat[name] = value
    }
    for (const [name, property] of others) merged.properties.set(name, property)
    for (const name of needed) merged.required.add(name)
    merged.examples.push(...more)
    merged.hasOthers ||= hasOthers
  }
  // The keywords are those of the interface; `npm run generate` has checked their values.
  return { ...flat, ...merged }
}

/** The types that a schema names; none where it names none. */
export function typesOf({ type }: FlatSchema): JsonType[] {
  return type === undefined ? [] : [type].flat()
}

/** The properties that a response may have by its schema, and whether each is required; none but for an object. */
export function propertiesOf(schema: Schema | undefined): Map<string, boolean> {
  if (schema === undefined) return new Map()
  const { properties, required } = flatten(schema)
  return new Map(
    [...properties]
      .filter(([, property]) => property['writeOnly'] !== true)
      .map(([name]): [string, boolean] => [name, required.has(name)]),
  )
}
