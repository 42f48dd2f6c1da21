import { operationPlaces } from 'fastify-contract/document'
import { isObject, namesOf } from 'fastify-contract/json'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import { type Draft, origin, takenFrom } from '../yaml/node.ts'
import { componentsIn } from './context.ts'

const section = '#/components/securitySchemes/'

/** Replaces URIs of security schemes of the document by their names (OpenAPI 3.2, "Security Requirement Object"). */
export function nameSchemes({ object }: ContractObject, { document }: Mending): void {
  const { $self: self } = document
  const named = componentsIn(document, 'securitySchemes')
  const starts = [section, ...(typeof self === 'string' ? [self + section] : [])]
  for (const requirement of [object['security']].flat().filter(isObject)) {
    for (const [uri, scopes] of Object.entries(requirement)) {
      const start = Object.hasOwn(named, uri) ? undefined : starts.find((each) => uri.startsWith(each))
      if (start === undefined) continue
      const [name = ''] = namesOf(uri.slice(start.length))
      Reflect.deleteProperty(requirement, uri)
      const both: unknown[] = Object.hasOwn(requirement, name) ? [requirement[name], scopes] : [scopes]
      // What is no list is refused later.
      requirement[name] = both.every(Array.isArray) ? [...new Set(both.flat())] : scopes
    }
  }
}

/** Gives the operations of a path item its security, unless they have their own (OpenAPI 3.3, "Path Item Object"). */
export function inheritSecurity(item: Draft, { remove }: Mending): void {
  const { security, additionalOperations: others } = item
  // The structure is checked later.
  if (!Array.isArray(security)) return
  // YAML aliases may share operations with other path items.
  if (isObject(others)) item['additionalOperations'] = { ...others }
  for (const { holder, key } of operationPlaces(item)) {
    const operation = holder[key]
    if (!isObject(operation) || 'security' in operation) continue
    holder[key] = { ...operation, security, [origin]: takenFrom(operation, 'security', item) }
  }
  const text =
    'security: of a path item is of OpenAPI 3.3, and counts for its operations that have none; write it in each'
  remove(item, 'security', text, 'security of a path item')
}
