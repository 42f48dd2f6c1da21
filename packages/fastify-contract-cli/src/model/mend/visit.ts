import { isObject } from 'fastify-contract/json'
import { appliesTo } from 'fastify-contract/schema'
import type { Kind, Role } from '../rules/keyword.ts'
import { heldBy } from '../table/table.ts'
import type { Draft } from '../yaml/node.ts'

/** An object of a contract, with its context. */
export interface ContractObject {
  object: Draft
  kind: Kind
  /** Its keyword, or its name in the map of a keyword. */
  name: string
  role: Role
  /** Whether it is the whole schema of a value rather than a composition's part. */
  isValue: boolean
  /** The name of the object around it. */
  within: string
}

/** An object of a contract that may be anything. */
type Unchecked = Omit<ContractObject, 'object'> & { object: unknown }

/** The root of a contract. */
export function rootOf(document: Draft): ContractObject {
  return { object: document, kind: 'document', name: '', role: 'other', isValue: false, within: '' }
}

/**
 * Visits the OpenAPI objects of a contract in their order, parents first. Each is visited once, even if YAML aliases share
 * it. What is in an object is looked up after the object was taken, so that a visitor may change it.
 *
 * @param roots with an unchecked structure
 * @param visited the objects that were visited before
 */
export function* visit(roots: readonly ContractObject[], visited = new Set<unknown>()): Generator<ContractObject> {
  const pending: Unchecked[] = roots.toReversed()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { object, kind, role, name: within } = next
    if (!isObject(object) || visited.has(object)) continue
    visited.add(object)
    yield { ...next, object }
    const inside = Object.keys(object).flatMap((keyword): Unchecked[] => {
      const held = heldBy(object, kind, keyword)
      if (held === undefined) return []
      const isValue = held.kind === 'schema' && isValueOf(kind, keyword)
      const about = { kind: held.kind, role: roleOf(kind, keyword, role), isValue, within }
      return held.names.map((name) => ({ object: held.holder[name], name, ...about }))
    })
    pending.push(...inside.reverse())
  }
}

/** Whether a keyword's schema is the whole schema of a value. A named schema may be a part of others. */
function isValueOf(kind: Kind, keyword: string): boolean {
  return kind !== 'components' && !(kind === 'schema' && appliesTo(keyword) === 'to the value')
}

/** The role of the objects of a keyword. */
function roleOf(kind: Kind, keyword: string, role: Role): Role {
  if (kind === 'components') return 'named'
  if (kind === 'parameter') return 'parameter'
  if (kind === 'document') return keyword === 'paths' ? 'served' : 'other'
  if (kind === 'pathItem') return role
  if (kind !== 'schema') return 'other'
  // allOf applies to the same property.
  return keyword === 'properties' ? 'property' : keyword === 'allOf' ? role : 'other'
}
