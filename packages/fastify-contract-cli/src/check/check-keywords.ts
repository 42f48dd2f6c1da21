import { BrokenReference, lookUp } from 'fastify-contract/json'
import { type NamedSchemas, type Schema, inPlace, isSchema, subschemasOf, targetOf } from 'fastify-contract/schema'
import type { KeywordContext, Kind } from '../keywords/keyword.ts'
import { type ContractObject, keywordOf, objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/**
 * Finds rejected keywords, rejected values of keywords, and unknown members.
 *
 * @param document a bundled contract, with an unchecked structure
 */
export function checkKeywords(document: Record<string, unknown>): Finding[] {
  const objects = objectsOf(document)
  const context = contextOf(document, objects)
  const { schemas } = context
  return objects.flatMap(({ object, kind, role, isValue }) => {
    const found = Object.keys(object).flatMap((key) =>
      checked({ object, key }, () => problemOf(key, object, kind, { ...context, role })),
    )
    const undeclared = isValue ? checked({ object, key: 'required' }, () => undeclaredProperty(object, schemas)) : []
    return [...found, ...undeclared]
  })
}

function contextOf(document: Record<string, unknown>, objects: ContractObject[]): Omit<KeywordContext, 'role'> {
  const operations = new Set(objects.flatMap(({ object, kind }) => (kind === 'operation' ? [object] : [])))
  const ids = new Set([...operations].map(({ operationId }) => operationId))
  const { components } = document
  const schemes = isSchema(components) && isSchema(components['securitySchemes']) ? components['securitySchemes'] : {}
  return {
    schemas: namedSchemas(document),
    securitySchemes: new Set(Object.keys(schemes)),
    hasOperation: (by) =>
      'id' in by ? ids.has(by.id) : operations.has(lookUp(document, by.reference) as Record<string, unknown>),
  }
}

function namedSchemas({ components }: Record<string, unknown>): NamedSchemas {
  // Only schema objects are used.
  return (isSchema(components) && isSchema(components['schemas']) ? components['schemas'] : {}) as NamedSchemas
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

function problemOf(name: string, object: Schema, kind: Kind, context: KeywordContext): string | undefined {
  const keyword = keywordOf(kind, name)
  if (keyword === undefined)
    return name.startsWith('x-') ? undefined : `is not a keyword of ${inWords(kind)}; remove it`
  const { rejects } = keyword
  return typeof rejects === 'string' ? rejects : rejects?.(object[name], object, context)
}

function inWords(kind: Kind): string {
  const name = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${name}`
}

/** A required but undeclared property, which no reply can have. */
function undeclaredProperty(schema: Schema, schemas: NamedSchemas): string | undefined {
  const all = inPlace(schema, schemas)
  const names = all.flatMap(({ properties }) => Object.keys(isSchema(properties) ? properties : {}))
  if (all.some((one) => 'additionalProperties' in one) || !isAlwaysClosed(schema, schemas)) return undefined
  const required = inPlace(schema, schemas, 'always').flatMap((one) => (one['required'] as unknown[] | undefined) ?? [])
  const undeclared = required.filter((name) => typeof name === 'string').find((name) => !names.includes(name))
  return undeclared === undefined
    ? undefined
    : `${undeclared} is not declared, and replies have only declared properties; add it to the properties`
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
    if (typeof reference !== 'string' || kind === 'pathItem' || keywordOf(kind, '$ref') === undefined) return []
    const text = referenceProblem(document, object, reference, kind, kinds)
    return text === undefined ? [] : [{ at: { object, key: '$ref' }, text }]
  })
  if (found.length > 0) return found
  const text = 'the schema contains itself with no object between; refer to it from a property'
  const schemas = objects.flatMap(({ object, kind }) => (kind === 'schema' ? [object] : []))
  return selfContainedSchemas(schemas, namedSchemas(document)).map((object) => ({ at: { object }, text }))
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
