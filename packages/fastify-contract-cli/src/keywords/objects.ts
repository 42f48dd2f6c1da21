import { lookUp } from 'fastify-contract/json'
import { type NamedSchemas, type Schema, appliesTo, isSchema, subschemasOf, targetOf } from 'fastify-contract/schema'
import { securitySchemesOf } from 'fastify-contract/security'
import { resolvedIn } from './follow.ts'
import type { Keyword, KeywordContext, Kind } from './keyword.ts'
import { keywords } from './openapi-keywords.ts'

type Role = KeywordContext['role']

/** An object of a contract, with its context. */
export interface ContractObject {
  object: Record<string, unknown>
  kind: Kind
  /** Its keyword, or its name in the map of a keyword. */
  name: string
  role: Role
  /** Whether it is the whole schema of a value rather than a composition's part. */
  isValue: boolean
}

/** The keyword of a name, or the one for any name; undefined for an unknown name. */
export function keywordOf(kind: Kind, name: string): Keyword | undefined {
  const ofKind = keywords[kind]
  return Object.hasOwn(ofKind, name) ? ofKind[name] : ofKind['*']
}

/** Whether a keyword is only documentation. */
export function isShown(kind: Kind, name: string): boolean {
  return keywordOf(kind, name)?.isShown === true
}

/** Whether a keyword is ignored with any value. */
export function isIgnored(kind: Kind, name: string): boolean {
  return typeof keywordOf(kind, name)?.ignores === 'string'
}

/** The OpenAPI objects within a member. */
export interface Held {
  kind: Kind
  /** The direct container of the objects: the parent, a list or a map. */
  holder: Record<string, unknown>
  names: string[]
}

/** The OpenAPI objects within a member: itself, or those in its list or map; undefined if it has none. */
export function heldBy(object: Record<string, unknown>, kind: Kind, name: string): Held | undefined {
  const holds = keywordOf(kind, name)?.holds
  if (holds === undefined) return undefined
  if (typeof holds === 'string') return { kind: holds, holder: object, names: [name] }
  const member = object[name]
  const isHolder = typeof member === 'object' && member !== null
  // For a list, the names are indices.
  const holder = isHolder ? (member as Record<string, unknown>) : {}
  return { kind: Array.isArray(holds) ? holds[0] : holds.each, holder, names: Object.keys(holder) }
}

/**
 * Lists the OpenAPI objects of a contract. Each is listed once, even if YAML aliases share it.
 *
 * @param document a bundled contract, with an unchecked structure
 */
export function objectsOf(document: object): ContractObject[] {
  return [...objectsIn(document)]
}

/** Walks the objects of a contract likewise. What is in an object is looked up after the object was taken. */
export function* objectsIn(document: object): Generator<ContractObject> {
  const met = new Set<unknown>()
  const pending: (Omit<ContractObject, 'object'> & { object: unknown })[] = [
    { object: document, kind: 'document', name: '', role: 'other', isValue: false },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { object, kind, role } = next
    if (!isSchema(object) || met.has(object)) continue
    met.add(object)
    yield { ...next, object }
    const inside = Object.keys(object).flatMap((keyword) => {
      const held = heldBy(object, kind, keyword)
      if (held === undefined) return []
      const isValue = held.kind === 'schema' && isValueOf(kind, keyword)
      const about = { kind: held.kind, role: roleOf(kind, keyword, role), isValue }
      return held.names.map((name) => ({ object: held.holder[name], name, ...about }))
    })
    pending.push(...inside.reverse())
  }
}

/** Whether a keyword's schema is the whole schema of a value. A named schema may be a part of others. */
function isValueOf(kind: Kind, keyword: string): boolean {
  return kind !== 'components' && !(kind === 'schema' && appliesTo(keyword) === 'to the value')
}

/** The role of a keyword's schemas. */
function roleOf(kind: Kind, keyword: string, role: Role): Role {
  if (kind === 'components') return 'named'
  if (kind === 'parameter') return 'parameter'
  if (kind !== 'schema') return 'other'
  // allOf applies to the same property.
  return keyword === 'properties' ? 'property' : keyword === 'allOf' ? role : 'other'
}

/** The components of a section, by name, of a contract with an unchecked structure. */
export function componentsIn({ components }: Record<string, unknown>, section: string): Record<string, unknown> {
  const named = isSchema(components) ? components[section] : undefined
  return isSchema(named) ? named : {}
}

/** The named schemas of such a contract. */
export function namedSchemas(document: Record<string, unknown>): NamedSchemas {
  // Only schema objects are used.
  return componentsIn(document, 'schemas') as NamedSchemas
}

/** The context of the objects of a contract. */
export function contextOf(document: Record<string, unknown>, objects: ContractObject[]): Omit<KeywordContext, 'role'> {
  const operations = new Set(objects.flatMap(({ object, kind }) => (kind === 'operation' ? [object] : [])))
  const ids = new Set([...operations].map(({ operationId }) => operationId))
  const schemas = namedSchemas(document)
  let exclusive: Set<Schema> | undefined
  return {
    schemas,
    isExclusive: (schema) => (exclusive ??= exclusiveSchemas(objects, schemas)).has(schema),
    securitySchemes: securitySchemesIn(document),
    hasOperation: (by) =>
      'id' in by ? ids.has(by.id) : operations.has(lookUp(document, by.reference) as Record<string, unknown>),
  }
}

/** The security schemes of a contract by name, and whether the server supports them. */
function securitySchemesIn(document: Record<string, unknown>): KeywordContext['securitySchemes'] {
  const written = Object.entries(componentsIn(document, 'securitySchemes'))
  const schemes = written.map(([name, scheme]) => [name, resolvedIn(document, scheme)] as const)
  const supported = securitySchemesOf({ components: { securitySchemes: Object.fromEntries(schemes) } })
  return new Map(schemes.map(([name, { type } = {}]) => [name, { type, isSupported: supported.has(name) }]))
}

/** Lists the schemas in `not` and `oneOf`, and all to which they lead. */
function exclusiveSchemas(objects: ContractObject[], schemas: NamedSchemas): Set<Schema> {
  const found = new Set<Schema>()
  const open = objects.flatMap(({ object, kind }) => (kind === 'schema' ? [object['not'], object['oneOf']].flat() : []))
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (!isSchema(next) || found.has(next)) continue
    found.add(next)
    open.push(targetOf(next, schemas), ...subschemasOf(next).map(({ schema }) => schema))
  }
  return found
}
