import { operationPlaces } from 'fastify-contract/document'
import { type NamedSchemas, type Schema, isSchema, subschemasOf, targetOf } from 'fastify-contract/schema'
import { securitySchemesOf } from 'fastify-contract/security'
import { targetIn } from '../yaml/follow.ts'
import type { KeywordContext } from '../table/keyword.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** The components of a section, by name, of a contract with an unchecked structure. */
function componentsIn({ components }: Record<string, unknown>, section: string): Record<string, unknown> {
  const named = isSchema(components) ? components[section] : undefined
  return isSchema(named) ? named : {}
}

/** The named schemas of such a contract. */
export function namedSchemas(document: Record<string, unknown>): NamedSchemas {
  // Only schema objects are used.
  return componentsIn(document, 'schemas') as NamedSchemas
}

/** The operations of a contract before it is mended, by what links name them by. */
export interface WrittenOperations {
  ids: ReadonlySet<unknown>
  /** A document that has true where they are. */
  outline: object
}

/** Lists the operations of a contract with an unchecked structure. Mending leaves out some, and renames others. */
export function writtenOperations(document: Record<string, unknown>): WrittenOperations {
  const ids = new Set<unknown>()
  const itemOutline = (item: object) => {
    const [fields, additionalOperations] = [{} as Record<string, true>, {} as Record<string, true>]
    for (const { holder, key } of operationPlaces(item)) {
      // It has this place because it is an object.
      ids.add((holder[key] as Record<string, unknown>)['operationId'])
      const outline = holder === item ? fields : additionalOperations
      outline[key] = true
    }
    return { ...fields, additionalOperations }
  }
  const outline = (section: unknown) =>
    Object.fromEntries(
      Object.entries(isSchema(section) ? section : {}).flatMap(([path, item]) =>
        isSchema(item) ? [[path, itemOutline(item)]] : [],
      ),
    )
  return { ids, outline: { paths: outline(document['paths']), webhooks: outline(document['webhooks']) } }
}

/** The context of the objects of a contract. */
export function contextOf(
  { document, resolve }: Mending,
  objects: readonly ContractObject[],
  written: WrittenOperations,
): Omit<KeywordContext, 'role'> {
  const operations = new Set(objects.flatMap(({ object, kind }) => (kind === 'operation' ? [object] : [])))
  const ids = new Set([...operations].map(({ operationId }) => operationId))
  const schemas = namedSchemas(document)
  const schemes = Object.entries(componentsIn(document, 'securitySchemes')).map(
    ([name, scheme]) => [name, resolve(scheme)] as const,
  )
  const supported = securitySchemesOf({ components: { securitySchemes: Object.fromEntries(schemes) } })
  let exclusive: ReturnType<typeof exclusiveSchemas> | undefined
  const sourcesOf = (schema: Schema) => (exclusive ??= exclusiveSchemas(objects, schemas)).get(schema)
  return {
    schemas,
    isExclusive: (schema) => sourcesOf(schema) !== undefined,
    relax: (schema) => {
      const sources = [...(sourcesOf(schema) ?? [])]
      if (!sources.every((source) => source !== undefined && (!('oneOf' in source) || !('anyOf' in source))))
        return false
      for (const source of sources.filter((each) => each !== undefined && 'oneOf' in each)) {
        source!['anyOf'] = source!['oneOf']
        Reflect.deleteProperty(source!, 'oneOf')
      }
      return true
    },
    securitySchemes: new Map(
      schemes.map(([name, { type } = {}]) => [name, { type, isSupported: supported.has(name) }]),
    ),
    findOperation: (by) => {
      if ('id' in by) return ids.has(by.id) ? 'served' : written.ids.has(by.id) ? 'written' : undefined
      if (operations.has(targetIn(document, by.reference) as Record<string, unknown>)) return 'served'
      return targetIn(written.outline, by.reference) === true ? 'written' : undefined
    },
  }
}

/**
 * Lists the schemas that must not match, or not always, and all to which they lead. Each has the schemas whose `oneOf` makes
 * it one, and undefined where another keyword does.
 */
function exclusiveSchemas(
  objects: readonly ContractObject[],
  schemas: NamedSchemas,
): Map<Schema, Set<Record<string, unknown> | undefined>> {
  const found = new Map<Schema, Set<Record<string, unknown> | undefined>>()
  const add = (members: unknown[], source: Record<string, unknown> | undefined) => {
    const open = [...members]
    for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
      if (!isSchema(next)) continue
      const sources = found.get(next) ?? new Set()
      if (sources.has(source)) continue
      found.set(next, sources.add(source))
      open.push(targetOf(next, schemas), ...subschemasOf(next).map(({ schema }) => schema))
    }
  }
  for (const { object } of objects.filter(({ kind }) => kind === 'schema')) {
    for (const { schema, keyword, isTest } of subschemasOf(object))
      if (isTest) add([schema], keyword === 'oneOf' ? object : undefined)
  }
  return found
}
