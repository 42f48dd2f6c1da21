import type { ContractOperation } from 'fastify-contract/document'
import { parseExactly } from './exact-json.ts'
import { type Members, isObject } from './members.ts'

/** A collection that a contract lets clients add to, and the operations on one thing of it. */
export interface Resource {
  /** The path of the collection, such as `/pets`. */
  collection: string
  create: ContractOperation
  list: ContractOperation | undefined
  /** The path of one thing, such as `/pets/{petId}`. */
  path: string
  /** The parameter that ends this path. */
  parameter: string
  /** The operations on one thing, by their methods. */
  operations: Partial<Record<string, ContractOperation>>
}

export interface Operations {
  operations: readonly ContractOperation[]
}

const none: Pick<ReadonlySet<ContractOperation>, 'has'> = new Set()

/** Finds the collections of a contract: a POST, beside whose path stands that of one thing. @param without not these */
export function resourcesOf({ operations }: Operations, without = none): Resource[] {
  const usable = operations.filter((operation) => !without.has(operation))
  return usable.flatMap((create) => resourceOf(create, usable) ?? [])
}

function resourceOf(create: ContractOperation, operations: readonly ContractOperation[]): Resource | undefined {
  if (create.method !== 'post') return undefined
  const collection = create.path.replace(/\/$/, '')
  const itemOperations = operations.filter(({ path }) => {
    return path.startsWith(`${collection}/`) && /^\{[^{}/]+\}$/.test(path.slice(collection.length + 1))
  })
  const [first] = itemOperations
  if (first === undefined) return undefined
  return {
    collection,
    create,
    list: operations.find(({ path, method }) => path === create.path && method === 'get'),
    path: first.path,
    parameter: first.path.slice(collection.length + 2, -1),
    operations: Object.fromEntries(itemOperations.map((operation) => [operation.method, operation])),
  }
}

/** The links of an operation's response. */
export function linksOf({ object }: ContractOperation, status: number) {
  return Object.entries(object.responses[String(status)]?.links ?? {})
}

/** The object that a body is, also in an envelope such as `{ pet: { … } }`. */
export function unwrapped(body: unknown, parameter: string): Members | undefined {
  if (!isObject(body)) return undefined
  const [only, ...others] = Object.values(body)
  const isEnvelope = others.length === 0 && isObject(only) && idKey(parameter, Object.keys(body)) === undefined
  return isEnvelope ? only : body
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** The property by which objects are named: that of the parameter, or `id`. */
export function idKey(parameter: string, names: readonly string[]): string | undefined {
  const ids = ['id', '_id', 'uuid', 'guid']
  return (
    names.find((name) => plain(name) === plain(parameter)) ??
    (/id$/i.test(parameter) ? ids.find((id) => names.includes(id)) : undefined)
  )
}

/** The id of an object, by the property that has the name of a parameter, or `id`. */
export function idOf(members: Members, parameter: string): string | undefined {
  const key = idKey(parameter, Object.keys(members))
  return key === undefined ? undefined : idTextOf(members[key])
}

/** The text of an id; undefined where it is none. */
export function idTextOf(value: unknown): string | undefined {
  const isId = ['string', 'number', 'bigint'].includes(typeof value) && value !== ''
  return isId ? String(value) : undefined
}

/** The value of JSON; undefined for anything else. */
export function bodyOf(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}
