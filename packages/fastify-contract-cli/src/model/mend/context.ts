import { operationPlaces } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import type { NamedSchemas } from 'fastify-contract/schema'
import { securitySchemesOf } from 'fastify-contract/security'
import { targetIn } from '../yaml/follow.ts'
import type { KeywordContext } from '../table/keyword.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import type { Draft } from '../yaml/node.ts'

/** The components of a section, by name, of a contract with an unchecked structure. */
function componentsIn({ components }: Draft, section: string): Draft {
  const named = isObject(components) ? components[section] : undefined
  return isObject(named) ? named : {}
}

/** The named schemas of such a contract. */
export function namedSchemas(document: Draft): NamedSchemas {
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
export function writtenOperations(document: Draft): WrittenOperations {
  const ids = new Set<unknown>()
  const itemOutline = (item: object) => {
    const [fields, additionalOperations] = [{} as Record<string, true>, {} as Record<string, true>]
    for (const { holder, key } of operationPlaces(item)) {
      // It has this place because it is an object.
      ids.add((holder[key] as Draft)['operationId'])
      const outline = holder === item ? fields : additionalOperations
      outline[key] = true
    }
    return { ...fields, additionalOperations }
  }
  const outline = (section: unknown) =>
    Object.fromEntries(
      Object.entries(isObject(section) ? section : {}).flatMap(([path, item]) =>
        isObject(item) ? [[path, itemOutline(item)]] : [],
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
  return {
    schemas,
    securitySchemes: new Map(
      schemes.map(([name, { type } = {}]) => [name, { type, isSupported: supported.has(name) }]),
    ),
    findOperation: (by) => {
      if ('id' in by) return ids.has(by.id) ? 'served' : written.ids.has(by.id) ? 'written' : undefined
      if (operations.has(targetIn(document, by.reference) as Draft)) return 'served'
      return targetIn(written.outline, by.reference) === true ? 'written' : undefined
    },
  }
}
