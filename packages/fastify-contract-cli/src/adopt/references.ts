import { BrokenReference, escapeName, lookUp, namesOf } from 'fastify-contract/json'
import { isSchema } from 'fastify-contract/schema'
import type { Kind } from '../keywords/keyword.ts'
import { keywordOf, objectsOf } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'

type Members = Record<string, unknown>

/** The target of a local reference; undefined if it leads out of the document, to nothing, or cannot be read. */
export function targetIn(document: object, reference: unknown): unknown {
  try {
    return typeof reference === 'string' ? lookUp(document, reference) : undefined
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error
    return undefined
  }
}

/** An object, or the one at the end of its references; undefined if there is none. */
export function resolvedIn(document: object, object: unknown): Members | undefined {
  const met = new Set<unknown>()
  let found = object
  while (isSchema(found) && typeof found['$ref'] === 'string' && !met.has(found)) {
    met.add(found)
    found = targetIn(document, found['$ref'])
  }
  return isSchema(found) && typeof found['$ref'] !== 'string' ? found : undefined
}

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

/** Makes every reference lead to a component, and removes what OpenAPI ignores beside one. */
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
      const target = isStray(object, section) ? targetIn(document, object['$ref']) : undefined
      // Another kind or no object at all is refused later.
      const isOfKind = isSchema(target) && (kinds.get(target) ?? kind) === kind
      return section === undefined || !isOfKind ? [] : [{ object, section, target }]
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

function isStray({ $ref: reference }: Members, section: string | undefined): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#') || section === undefined) return false
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
