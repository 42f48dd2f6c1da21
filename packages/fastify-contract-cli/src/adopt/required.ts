import { type NamedSchemas, type Schema, inPlace, isSchema } from 'fastify-contract/schema'
import { namedSchemas, objectsOf } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'

/**
 * Declares the properties that schemas require but do not declare, with any value: undeclared ones are removed from
 * requests, and no reply has them. Warns where no other schema of the same value declares them.
 */
export function declareRequired({ document, warn, attempt }: Adopted): void {
  const schemas = namedSchemas(document)
  const objects = objectsOf(document).filter(({ kind }) => kind === 'schema')
  const closed = new Set<Schema>()
  for (const { object, isValue } of objects) {
    for (const [name, part] of (isValue && attempt(() => undeclaredIn(object, schemas))) || []) {
      closed.add(part)
      const text = `required: ${name} is not declared, and may have any value; add it to the properties`
      warn({ object: part, key: 'required' }, text, 'required')
    }
  }
  for (const { object } of objects) {
    if (!closed.has(object) && !isSchema(object['properties']) && object['additionalProperties'] !== false) continue
    const missing = requiredOf(object).filter((name) => !Object.hasOwn(propertiesOf(object), name))
    if (missing.length === 0) continue
    object['properties'] = { ...propertiesOf(object), ...Object.fromEntries(missing.map((name) => [name, {}])) }
  }
}

/** The properties that a value must have and no schema declares, each with the schema that requires it. */
function undeclaredIn(schema: Schema, schemas: NamedSchemas): [name: string, part: Schema][] {
  const all = inPlace(schema, schemas)
  const always = inPlace(schema, schemas, 'always')
  const isOpen = all.some(({ additionalProperties }) => (additionalProperties ?? false) !== false)
  if (isOpen || !always.some((part) => isClosed(part, schemas))) return []
  const names = new Set(all.flatMap((one) => Object.keys(propertiesOf(one))))
  return always.flatMap((part) =>
    requiredOf(part).flatMap((name): [string, Schema][] => (names.has(name) ? [] : [[name, part]])),
  )
}

/** Whether a schema, or each of its alternatives, limits an object to declared properties. */
function isClosed(schema: Schema, schemas: NamedSchemas): boolean {
  const closes = (one: Schema) => 'properties' in one || 'additionalProperties' in one
  const isAlternative = (one: unknown) => isSchema(one) && inPlace(one, schemas, 'always').some(closes)
  return (
    closes(schema) || [schema['anyOf'], schema['oneOf']].some((all) => Array.isArray(all) && all.every(isAlternative))
  )
}

function propertiesOf({ properties }: Schema): Schema {
  return isSchema(properties) ? properties : {}
}

function requiredOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}
