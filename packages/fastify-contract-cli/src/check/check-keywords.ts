import { BrokenReference, lookUp } from 'fastify-contract/json'
import { type NamedSchemas, type Schema, isSchema, subschemasOf, targetOf } from 'fastify-contract/schema'
import type { Kind } from '../keywords/keyword.ts'
import { contextOf, heldBy, keywordOf, namedSchemas, objectsOf, orNothing } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/**
 * Finds rejected keywords and rejected values of keywords.
 *
 * @param document an adopted contract, with an unchecked structure
 */
export function checkKeywords(document: Record<string, unknown>): Finding[] {
  const objects = objectsOf(document)
  const context = contextOf(document, objects)
  return objects.flatMap(({ object, kind, role }) =>
    Object.keys(object).flatMap((key) => {
      const rejects = keywordOf(kind, key)?.rejects
      if (typeof rejects === 'string') return [{ at: { object, key }, text: `${key}: ${rejects}` }]
      const found = checked({ object, key }, () => rejects?.(object[key], object, { ...context, role }))
      return [...found, ...brokenSchemas(object, kind, key)]
    }),
  )
}

/** Finds what is no schema among the schemas of a keyword. */
function brokenSchemas(object: Schema, kind: Kind, key: string): Finding[] {
  const held = heldBy(object, kind, key)
  if (held?.kind !== 'schema') return []
  const isBroken = (name: string) => !isSchema(held.holder[name]) && typeof held.holder[name] !== 'boolean'
  const text = `${key}: has a member that is no schema; write an object`
  return held.names.filter(isBroken).map((name) => ({ at: { object: held.holder, key: name }, text }))
}

/** The finding of a check, which may fail where the structure is broken. */
function checked(at: { object: Schema; key: string }, check: () => string | undefined): Finding[] {
  try {
    const text = check()
    return text === undefined ? [] : [{ at, text: `${at.key}: ${text}` }]
  } catch (error) {
    if (error instanceof RangeError) throw error
    return [{ text: 'a check failed', isConsequence: true, error }]
  }
}

/** The generated types have the objects below these. */
const typed = /^#\/(?:components|paths)\//

/**
 * Finds references that lead to nothing, to an object of another kind or back to themselves, and schemas that contain
 * themselves.
 */
export function checkReferences(document: Record<string, unknown>): Finding[] {
  const objects = objectsOf(document)
  const kinds = new Map<unknown, Kind>(objects.map(({ object, kind }) => [object, kind]))
  const found = objects.flatMap(({ object, kind }): Finding[] => {
    const { $ref: reference } = object
    // Elsewhere it is not a keyword, or rejected.
    if (!('$ref' in object) || kind === 'pathItem' || keywordOf(kind, '$ref') === undefined) return []
    if (typeof reference !== 'string')
      return [{ at: { object, key: '$ref' }, text: '$ref: is not text; write a reference' }]
    const text = referenceProblem(document, object, reference, kind, kinds)
    return text === undefined ? [] : [{ at: { object, key: '$ref' }, text }]
  })
  if (found.length > 0) return found
  const text = 'the schema contains itself with no object between; refer to it from a property'
  const schemas = objects.flatMap(({ object, kind }) => (kind === 'schema' ? [object] : []))
  const circular = orNothing(() => selfContainedSchemas(schemas, namedSchemas(document))) ?? []
  return circular.map((object) => ({ at: { object }, text }))
}

function referenceProblem(
  document: unknown,
  object: object,
  reference: string,
  kind: Kind,
  kinds: Map<unknown, Kind>,
): string | undefined {
  try {
    const met = new Set<unknown>([object])
    let target = lookUp(document, reference)
    if (target === undefined) return `the reference ${reference} leads to nothing; correct the name`
    // The table of keywords checks references to schemas.
    if (kind !== 'schema' && (!typed.test(reference) || kinds.get(target) !== kind))
      return `$ref: ${reference} is not an object of OpenAPI; move the target to components`
    for (; isSchema(target) && typeof target['$ref'] === 'string'; target = lookUp(document, target['$ref'])) {
      if (met.has(target)) return 'the reference leads back to itself; refer to an object'
      met.add(target)
    }
    return undefined
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error
    return `${error.message}; write % as %25`
  }
}

/**
 * Finds the schemas that contain themselves with no object between: for the same value, where no validation ends, or as
 * the items of an array, where TypeScript rejects the type.
 */
function selfContainedSchemas(schemas: Schema[], named: NamedSchemas): Schema[] {
  const [open, done] = [new Set<Schema>(), new Set<Schema>()]
  function visit(schema: Schema): Schema[] {
    if (open.has(schema)) return [schema]
    if (done.has(schema)) return []
    open.add(schema)
    const inside = subschemasOf(schema).flatMap(({ place, applies, schema: part }) =>
      applies === 'to the value' || place === 'items' ? [part] : [],
    )
    const found = [targetOf(schema, named) ?? [], ...inside].flat().flatMap(visit)
    open.delete(schema)
    done.add(schema)
    return found
  }
  return schemas.flatMap(visit)
}
