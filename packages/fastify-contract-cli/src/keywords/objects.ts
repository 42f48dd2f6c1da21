import { lookUp } from 'fastify-contract/json'
import { type NamedSchemas, type Schema, appliesTo, isSchema, subschemasOf, targetOf } from 'fastify-contract/schema'
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
  /** Whether it is a schema in `anyOf` or `oneOf`. */
  isAlternative: boolean
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

/**
 * Finds the documentation to which a path of names leads.
 *
 * @returns the names as far as a member that only documents the contract; undefined if the path leads to anything else
 */
export function documentationAt(names: readonly string[]): readonly string[] | undefined {
  let [kind, isMap]: [Kind, boolean] = ['document', false]
  for (const [index, name] of names.entries()) {
    if (isMap) {
      isMap = false
      continue
    }
    const [member = 'title'] = names.slice(index + 1)
    if (name === 'info') return /^(?:title|version)$/.test(member) ? undefined : names.slice(0, index + 2)
    const keyword = keywordOf(kind, name)
    const isAnnotation = keyword?.isShown ?? (keyword === undefined && name.startsWith('x-'))
    // The suite reads it.
    if (isAnnotation && name !== 'x-unmatched-responses') return names.slice(0, index + 1)
    const { holds }: Keyword = keyword ?? {}
    if (holds === undefined) return undefined
    isMap = typeof holds !== 'string'
    kind = typeof holds === 'string' ? holds : Array.isArray(holds) ? holds[0] : holds.each
  }
  return undefined
}

/** Whether a keyword is ignored with any value. */
export function isIgnored(kind: Kind, name: string): boolean {
  return typeof keywordOf(kind, name)?.ignores === 'string'
}

/** Whether a keyword is rejected with any value. What is inside it is not checked. */
export function isUnsupported(kind: Kind, name: string): boolean {
  return typeof keywordOf(kind, name)?.rejects === 'string'
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
  const met = new Set<unknown>()
  const found: ContractObject[] = []
  const pending: (Omit<ContractObject, 'object'> & { object: unknown })[] = [
    { object: document, kind: 'document', name: '', role: 'other', isValue: false, isAlternative: false },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { object, kind, role } = next
    if (!isSchema(object) || met.has(object)) continue
    met.add(object)
    found.push({ ...next, object })
    const inside = Object.keys(object).flatMap((keyword) => {
      const held = heldBy(object, kind, keyword)
      if (held === undefined) return []
      const isValue = held.kind === 'schema' && isValueOf(kind, keyword)
      const isAlternative = kind === 'schema' && /^(?:any|one)Of$/.test(keyword)
      const about = { kind: held.kind, role: roleOf(kind, keyword, role), isValue, isAlternative }
      return held.names.map((name) => ({ object: held.holder[name], name, ...about }))
    })
    pending.push(...inside.reverse())
  }
  return found
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

/** The named schemas of a contract with an unchecked structure. */
export function namedSchemas({ components }: Record<string, unknown>): NamedSchemas {
  // Only schema objects are used.
  return (isSchema(components) && isSchema(components['schemas']) ? components['schemas'] : {}) as NamedSchemas
}

/** The context of the objects of a contract. */
export function contextOf(document: Record<string, unknown>, objects: ContractObject[]): Omit<KeywordContext, 'role'> {
  const operations = new Set(objects.flatMap(({ object, kind }) => (kind === 'operation' ? [object] : [])))
  const ids = new Set([...operations].map(({ operationId }) => operationId))
  const { components } = document
  const schemes = isSchema(components) && isSchema(components['securitySchemes']) ? components['securitySchemes'] : {}
  const schemas = namedSchemas(document)
  let exclusive: Set<Schema> | undefined
  return {
    schemas,
    isExclusive: (schema) => (exclusive ??= exclusiveSchemas(objects, schemas)).has(schema),
    securitySchemes: new Set(Object.keys(schemes)),
    hasOperation: (by) =>
      'id' in by ? ids.has(by.id) : operations.has(lookUp(document, by.reference) as Record<string, unknown>),
  }
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

/** The result of a rule, which may fail where the structure is broken: the checks refuse that. */
export function orNothing<Result>(rule: () => Result): Result | undefined {
  try {
    return rule()
  } catch (error) {
    if (error instanceof RangeError) throw error
    return undefined
  }
}
