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
    if (kind !== 'schema' || !(isValue || isAlternative)) continue
    for (const [name, one] of orNothing(() => undeclaredProperties(object, schemas)) ?? []) {
      const always = inPlace(object, schemas, 'always')
      const holder = always.find(({ properties }) => isSchema(properties)) ?? object
      holder['properties'] = { ...(holder['properties'] as object | undefined), [name]: {} }
      // What surrounds an alternative may declare it.
      const text = `required: ${name} is not declared, and may have any value; add it to the properties`
      if (isValue) warn({ object: one, key: 'required' }, text, 'required')
    }
  }
}

/** The required properties that no schema of the same value declares, each with the schema that requires it. */
function undeclaredProperties(schema: Schema, schemas: NamedSchemas): [name: string, schema: Schema][] {
  const all = inPlace(schema, schemas)
  const names = new Set(all.flatMap(({ properties }) => Object.keys(isSchema(properties) ? properties : {})))
  if (all.some((one) => 'additionalProperties' in one) || !isAlwaysClosed(schema, schemas)) return []
  return inPlace(schema, schemas, 'always').flatMap((one) =>
    listOf(one['required']).flatMap((name): [string, Schema][] =>
      typeof name === 'string' && !names.has(name) ? [[name, one]] : [],
    ),
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
