import { escapeName } from 'fastify-contract/json'
import type { NamedSchemas, Schema, Subschema } from 'fastify-contract/schema'
import {
  isAnnotation,
  isSchema,
  schemaNameOf,
  schemasPointer,
  subschemasOf,
  withSubschemas,
} from 'fastify-contract/schema'
import { canonical } from '../suite/ground/exact-json.ts'

/** The named schemas of two contracts together: those that have changed are there twice, by different names. */
export interface JoinedSchemas {
  schemas: NamedSchemas
  /** A schema of the earlier contract, with references to these. */
  earlier: (schema: Subschema) => Subschema
}

/** @param enums those that earlier schemas get in place of their own */
export function joinSchemas(
  before: NamedSchemas,
  after: NamedSchemas,
  enums: ReadonlyMap<unknown, readonly unknown[]>,
): JoinedSchemas {
  const all = Object.entries(before)
  const isSame = ([name, schema]: [string, Subschema]) =>
    Object.hasOwn(after, name) && textOf(schema) === textOf(after[name]!)
  const changed = new Set(all.filter((each) => !isSame(each)).map(([name]) => name))
  const referring = all.map(([name, schema]) => [name, isSchema(schema) ? namesIn(schema) : []] as const)
  // What refers to a changed schema has changed, too.
  for (let size = -1; size < changed.size;) {
    size = changed.size
    for (const [name, names] of referring) if (names.some((each) => changed.has(each))) changed.add(name)
  }

  function earlier(schema: Subschema): Subschema {
    if (!isSchema(schema)) return schema
    const constants = enums.get(schema)
    const copy = { ...withSubschemas(schema, earlier), ...(constants === undefined ? {} : { enum: constants }) }
    const name = schemaNameOf(schema.$ref)
    return name !== undefined && changed.has(name) ? { ...copy, $ref: `${schemasPointer}${earlierName(name)}` } : copy
  }

  const renamed = [...changed].map((name) => [`before ${name}`, earlier(before[name]!)] as const)
  return { schemas: { ...after, ...Object.fromEntries(renamed) }, earlier }
}

/** No name of the contract has a space. */
function earlierName(name: string): string {
  return encodeURIComponent(escapeName(`before ${name}`))
}

const references = new WeakMap<Schema, readonly string[]>()

/** The named schemas that a schema refers to, at any depth. */
export function namesIn(schema: Schema): readonly string[] {
  const name = schemaNameOf(schema.$ref)
  const inside = () => subschemasOf(schema).flatMap((part) => namesIn(part.schema))
  const names = references.get(schema) ?? [...new Set([...(name === undefined ? [] : [name]), ...inside()])]
  references.set(schema, names)
  return names
}

/** Annotations that the library or clients act on. */
const acting = ['default', 'discriminator', 'readOnly', 'writeOnly']
const texts = new WeakMap<Schema, string>()

/** What a schema says, as a text: without what only documents it. */
export function textOf(schema: Subschema): string {
  if (!isSchema(schema)) return String(schema)
  const text = texts.get(schema) ?? canonical(saying(schema))
  texts.set(schema, text)
  return text
}

function saying(schema: Subschema): Subschema {
  if (!isSchema(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword]) => acting.includes(keyword) || !isAnnotation(keyword))
  return withSubschemas(Object.fromEntries(kept), saying)
}
