import { escapeName, lookUp, namesOf } from 'fastify-contract/json'
import { type NamedSchemas, type Schema, isSchema, subschemasOf, targetOf } from 'fastify-contract/schema'
import type { Kind } from '../keywords/keyword.ts'
import { keywordOf, namedSchemas, objectsOf } from '../keywords/objects.ts'
import { follow, resolvedIn } from '../keywords/follow.ts'
import type { Adopted } from './adopt.ts'
import { inWords } from '../keywords/forms.ts'

type Members = Record<string, unknown>

/** The part of `components` for the objects of a kind. */
const sections: Partial<Record<Kind, string>> = {
  schema: 'schemas',
  response: 'responses',
  parameter: 'parameters',
  example: 'examples',
  requestBody: 'requestBodies',
  header: 'headers',
  securityScheme: 'securitySchemes',
  link: 'links',
  callback: 'callbacks',
}

/** Makes references lead to components, and removes what OpenAPI ignores beside one. */
export function mendReferences(contract: Adopted): void {
  const { document, warn } = contract
  includePathItems(contract)
  const hoisted = new Map<unknown, string>()
  // A target may have references of its own.
  for (let found = Infinity; found > 0;) {
    const objects = objectsOf(document)
    const kinds = new Map<unknown, Kind>(objects.map(({ object, kind }) => [object, kind]))
    const strays = objects.flatMap(({ object, kind }) => {
      const section = sections[kind]
      if (section === undefined || !isStray(object, section)) return []
      const { problem } = follow(document, object)
      const target = problem === undefined ? lookUp(document, String(object['$ref'])) : undefined
      if (!isSchema(target)) return []
      // What OpenAPI does not describe, such as an extension, may be of any kind; but not a map, such as `paths`.
      const isMap = Object.values(target).some((member) => kinds.has(member))
      const isOfKind = isMap ? kinds.get(target) === kind : (kinds.get(target) ?? kind) === kind
      return isOfKind ? [{ object, section, target }] : []
    })
    for (const { object, section, target } of strays) {
      const name = hoisted.get(target) ?? hoist(document, section, String(object['$ref']), target)
      hoisted.set(target, name)
      warn({ object, key: '$ref' }, `$ref: ${String(object['$ref'])} is not a component; move it to components`, '$ref')
      object['$ref'] = `#/components/${section}/${encodeURIComponent(escapeName(name))}`
    }
    found = strays.length
  }
  for (const { object, kind } of objectsOf(document)) {
    if (kind === 'schema' || kind === 'link' || typeof object['$ref'] !== 'string' || !keywordOf(kind, '$ref')) continue
    for (const name of Object.keys(object)) {
      if (/^(?:\$ref|summary|description|x-.*)$/.test(name)) continue
      Reflect.deleteProperty(object, name)
      warn({ object, key: name }, `OpenAPI ignores ${name} beside $ref; write out the object, or remove the member`)
    }
  }
}

/** Whether a reference leads to a part of the document that is not a component of a section. */
function isStray({ $ref: reference }: Members, section: string): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false
  const start = `#/components/${section}/`
  return !reference.startsWith(start) || reference.slice(start.length).includes('/')
}

/** Adds an object to the components. @returns its name there */
function hoist(document: Members, section: string, reference: string, target: Members): string {
  const components = memberOf(document, 'components')
  const named = memberOf(components, section)
  const wanted = namesOf(reference)
    .filter((each, index) => index > 1 || (each !== 'components' && each !== section))
    .join('.')
    .replaceAll(/[^\w.-]+/g, '_')
  let name = wanted
  for (let number = 2; Object.hasOwn(named, name); number++) name = `${wanted}_${String(number)}`
  named[name] = target
  return name
}

function memberOf(object: Members, name: string): Members {
  const known = object[name]
  if (isSchema(known)) return known
  const made: Members = {}
  object[name] = made
  return made
}

/** Replaces references of path items by their targets. */
function includePathItems({ document, places }: Adopted): void {
  const { paths } = document
  for (const [path, written] of Object.entries(isSchema(paths) ? paths : {})) {
    const target = isSchema(written) && '$ref' in written ? resolvedIn(document, written) : undefined
    if (!isSchema(written) || !isSchema(paths) || target === undefined) continue
    const { $ref: _, ...own } = written
    paths[path] = places.share({ ...target, ...own }, written)
  }
}

/** Finds references that lead to nothing or to an object of another kind, and schemas that contain themselves. */
export function checkReferences({ document, reject, attempt }: Adopted): void {
  const objects = objectsOf(document)
  const kinds = new Map<unknown, Kind>(objects.map(({ object, kind }) => [object, kind]))
  let isBroken = false
  for (const { object, kind } of objects) {
    // Elsewhere it is not a keyword, or rejected.
    const section = sections[kind]
    if (section === undefined || !('$ref' in object)) continue
    const text = referenceProblem(document, object, section, kind, kinds)
    if (text === undefined) continue
    reject({ object, key: '$ref' }, text)
    isBroken = true
  }
  if (isBroken) return
  const schemas = objects.flatMap(({ object, kind }) => (kind === 'schema' ? [object] : []))
  for (const object of attempt(() => selfContainedSchemas(schemas, namedSchemas(document))) ?? [])
    reject({ object }, 'the schema contains itself with no object between; refer to it from a property')
}

function referenceProblem(
  document: object,
  object: Members,
  section: string,
  kind: Kind,
  kinds: ReadonlyMap<unknown, Kind>,
): string | undefined {
  const { $ref: reference } = object
  if (typeof reference !== 'string') return '$ref: is not text; write a reference'
  const { end, problem } = follow(document, object)
  if (problem !== undefined) return problem
  const isOfKind = typeof end === 'boolean' || kinds.get(lookUp(document, reference)) === kind
  return isOfKind && !isStray(object, section)
    ? undefined
    : `$ref: ${reference} is not ${inWords(kind)}; refer to one in components/${section}`
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
