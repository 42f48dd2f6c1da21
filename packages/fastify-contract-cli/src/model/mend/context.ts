import { operationPlaces } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import type { NamedSchemas } from 'fastify-contract/schema'
import { securitySchemesOf } from 'fastify-contract/security'
import { targetIn } from '../yaml/follow.ts'
import type { KeywordContext } from '../rules/keyword.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import { type Draft, membersOf } from '../yaml/node.ts'

/** The components of a section, by name, of a contract with an unchecked structure. */
export function componentsIn({ components }: Draft, section: string): Draft {
  return membersOf(membersOf(components)[section])
}

/** The named schemas of such a contract. */
export function namedSchemas(document: Draft): NamedSchemas {
  // Only schema objects are used.
  return componentsIn(document, 'schemas') as NamedSchemas
}

/** The operations of a contract with an unchecked structure. */
function operationsIn(document: Draft): Draft[] {
  const items = ['paths', 'webhooks'].flatMap((name) => Object.values(membersOf(document[name])))
  const places = items.filter(isObject).flatMap(operationPlaces)
  return places.map(({ object }) => object)
}

/**
 * The context of the objects of a contract.
 *
 * @param written the contract before it was mended: mending leaves out some operations, and renames others
 */
export function contextOf(
  { document, resolve }: Mending,
  objects: readonly ContractObject[],
  written: Draft,
): Omit<KeywordContext, 'role'> {
  const operations = new Set(objects.flatMap(({ object, kind }) => (kind === 'operation' ? [object] : [])))
  const writtenOperations = operationsIn(written)
  const idsOf = (all: Iterable<Draft>) => new Set([...all].map(({ operationId }) => operationId))
  const [ids, writtenIds] = [idsOf(operations), idsOf(writtenOperations)]
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
      if ('id' in by) return ids.has(by.id) ? 'served' : writtenIds.has(by.id) ? 'written' : undefined
      const leadsTo = (all: Iterable<unknown>, within: Draft) => [...all].includes(targetIn(within, by.reference))
      return leadsTo(operations, document) ? 'served' : leadsTo(writtenOperations, written) ? 'written' : undefined
    },
  }
}
