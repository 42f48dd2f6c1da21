import type { NamedSchemas, Schema } from 'fastify-contract/schema'
import { alternativesOf, inPlace, isSchema, propertiesOf, requiredBy } from 'fastify-contract/schema'
import { namedSchemas } from './context.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/**
 * Declares the properties that schemas require but do not declare, with any value: undeclared ones are removed from
 * requests, and no reply has them. Warns where no other schema of the same value declares them.
 */
export function declareRequired(all: readonly ContractObject[], { document, warn, attempt }: Mending): void {
  const schemas = namedSchemas(document)
  const objects = all.filter(({ kind }) => kind === 'schema')
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
    const missing = requiredBy(object).filter((name) => !Object.hasOwn(ownProperties(object), name))
    if (missing.length === 0) continue
    object['properties'] = { ...ownProperties(object), ...Object.fromEntries(missing.map((name) => [name, {}])) }
  }
}

/** The properties that a value must have and no schema declares, each with the schema that requires it. */
function undeclaredIn(schema: Schema, schemas: NamedSchemas): [name: string, part: Schema][] {
  const all = inPlace(schema, schemas)
  const always = inPlace(schema, schemas, 'always')
  const isOpen = all.some(
    ({ additionalProperties: others = false, patternProperties }) =>
      others !== false || patternProperties !== undefined,
  )
  if (isOpen || !always.some((part) => isClosed(part, schemas))) return []
  const names = propertiesOf(schema, schemas)
  return always.flatMap((part) =>
    requiredBy(part).flatMap((name): [string, Schema][] => (names.has(name) ? [] : [[name, part]])),
  )
}

/** Whether a schema, or each of its alternatives, limits an object to declared properties. */
function isClosed(schema: Schema, schemas: NamedSchemas): boolean {
  const closes = (one: Schema) => 'properties' in one || 'additionalProperties' in one
  const isAlternative = (one: unknown) => isSchema(one) && inPlace(one, schemas, 'always').some(closes)
  return closes(schema) || alternativesOf(schema).some((all) => all.every(isAlternative))
}

function ownProperties({ properties }: Schema): Schema {
  return isSchema(properties) ? properties : {}
}
