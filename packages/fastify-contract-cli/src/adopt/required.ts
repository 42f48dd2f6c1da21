import { type NamedSchemas, type Schema, inPlace, isSchema } from 'fastify-contract/schema'
import { namedSchemas, objectsOf, orNothing } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'

/**
 * Declares the properties that schemas require but do not declare, with any value: undeclared ones are removed from
 * requests, and no reply has them.
 */
export function declareRequired({ document, warn }: Adopted): void {
  const schemas = namedSchemas(document)
  for (const { object, kind, isValue, isAlternative } of objectsOf(document)) {
    if (kind !== 'schema') continue
    for (const name of object['additionalProperties'] === false ? ownUndeclared(object) : []) {
      declare(object, name)
      warn({ object, key: 'required' }, undeclared(name), 'required')
    }
    if (!isValue && !isAlternative) continue
    for (const [name, one] of orNothing(() => undeclaredProperties(object, schemas)) ?? []) {
      const always = inPlace(object, schemas, 'always')
      const holder = always.find(({ properties }) => isSchema(properties)) ?? object
      declare(holder, name)
      // What surrounds an alternative may declare it.
      if (isValue) warn({ object: one, key: 'required' }, undeclared(name), 'required')
    }
  }
}

function undeclared(name: string): string {
  return `required: ${name} is not declared, and may have any value; add it to the properties`
}

function declare(schema: Schema, name: string): void {
  const { properties } = schema
  schema['properties'] = Object.fromEntries([...Object.entries(isSchema(properties) ? properties : {}), [name, {}]])
}

/** The properties that a schema requires but does not declare itself. */
function ownUndeclared({ properties, required }: Schema): string[] {
  const names = Object.keys(isSchema(properties) ? properties : {})
  return listOf(required).flatMap((name) => (typeof name === 'string' && !names.includes(name) ? [name] : []))
}

/** The required properties that no schema of the same value declares, each with the schema that requires it. */
function undeclaredProperties(schema: Schema, schemas: NamedSchemas): [name: string, schema: Schema][] {
  const all = inPlace(schema, schemas)
  const names = new Set(all.flatMap(({ properties }) => Object.keys(isSchema(properties) ? properties : {})))
  if (all.some((one) => 'additionalProperties' in one) || !isAlwaysClosed(schema, schemas)) return []
  return inPlace(schema, schemas, 'always').flatMap((one) =>
    ownUndeclared(one).flatMap((name): [string, Schema][] => (names.has(name) ? [] : [[name, one]])),
  )
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Whether an object has declared properties only, whichever alternatives apply. */
function isAlwaysClosed(schema: Schema, schemas: NamedSchemas, known = new Map<Schema, boolean>()): boolean {
  const before = known.get(schema)
  if (before !== undefined) return before
  // For a schema that contains itself, which is reported elsewhere.
  known.set(schema, true)
  const closes = (alternatives: unknown) =>
    Array.isArray(alternatives) && alternatives.every((each) => isSchema(each) && isAlwaysClosed(each, schemas, known))
  const isClosed = inPlace(schema, schemas, 'always').some(
    (one) => 'properties' in one || closes(one['anyOf']) || closes(one['oneOf']),
  )
  known.set(schema, isClosed)
  return isClosed
}
