import type { ContractOperation } from 'fastify-contract/document'
import { parseExactly } from './exact-json.ts'
import { type Members, isObject, valueAt } from './members.ts'

/** A collection of a contract, and the operations on one thing of it. */
export interface Resource {
  /** The path of the collection without what ends it, such as `/pets` of `/pets/` and of `/pets.json`. */
  collection: string
  /** Adds to it; of some collections PUT on one thing does. */
  create: ContractOperation | undefined
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

/** A collection that clients add to by POST. */
export type GrowingResource = Resource & { create: ContractOperation }

/** Finds the collections of a contract that clients add to by POST. @param without not these */
export function resourcesOf({ operations }: Operations, without = none): GrowingResource[] {
  const all = collectionsIn(operations.filter((operation) => !without.has(operation)))
  return all.filter((resource): resource is GrowingResource => resource.create !== undefined)
}

/** Finds the collections of a contract: what the paths of single things are in. */
export function collectionsIn(operations: readonly ContractOperation[]): Resource[] {
  const beside = Map.groupBy(operations, collectionOf)
  const ofThings = Map.groupBy(operations, ({ path }) => /^(.*)\/\{[^{}/]+\}(?:\.\w+)?$/.exec(path)?.[1])
  return [...ofThings].flatMap(([collection, [first, ...others]]) => {
    if (collection === undefined || first === undefined) return []
    const onCollection = beside.get(collection) ?? []
    const create = onCollection.find(({ method }) => method === 'post')
    return {
      collection,
      create,
      list: onCollection.find(({ path, method }) => method === 'get' && path === (create?.path ?? path)),
      path: first.path,
      parameter: first.path.slice(collection.length + 2, first.path.lastIndexOf('}')),
      operations: Object.fromEntries([first, ...others].map((operation) => [operation.method, operation])),
    }
  })
}

/** The path of a collection without what ends it. */
export function collectionOf({ path }: Pick<ContractOperation, 'path'>): string {
  return path.replace(/(?:\/|\.\w+)$/, '')
}

/** The links of an operation's response. */
export function linksOf({ object }: ContractOperation, status: number) {
  return Object.entries(object.responses[String(status)]?.links ?? {})
}

/** A name without what its style adds: `FriendlyName` and `friendly_name` are one. */
export const plainName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

type Named = Pick<Resource, 'collection' | 'parameter'>

/** Whether a word names one thing of a collection, such as `issue` one of `/repos/{repo}/issues`. */
export function isNameOfOne({ collection }: Named, word: string): boolean {
  const one = plainName(word)
  const many = plainName(collection.split('/').findLast((segment) => !segment.includes('{')) ?? '')
  return one !== '' && [one, `${one}s`, `${one}es`, one.replace(/y$/, 'ies')].includes(many)
}

/**
 * The path to the member that names a thing: the member has the name of the parameter, or that name less the word for the
 * thing (`issue_number` is `number`), or is an `id`. Kubernetes has it in `metadata`.
 */
export function idPathIn(resource: Named, members: Members): string[] | undefined {
  const names = Object.keys(members)
  const parameter = plainName(resource.parameter)
  const isRest = (name: string) =>
    plainName(name) !== '' &&
    parameter.endsWith(plainName(name)) &&
    isNameOfOne(resource, parameter.slice(0, parameter.length - plainName(name).length))
  const key =
    names.find((name) => plainName(name) === parameter) ??
    names.find(isRest) ??
    (/id$/.test(parameter) ? ids.find((id) => names.includes(id)) : undefined)
  if (key !== undefined) return [key]
  const { metadata } = members
  const inner = isObject(metadata) ? idPathIn(resource, metadata) : undefined
  return inner && ['metadata', ...inner]
}

/** What names many a thing, whatever the parameter is called. */
export const ids: readonly string[] = ['id', '_id', 'uuid', 'guid']

/** The value that names a thing; undefined where none is known. */
export function idIn(resource: Named, members: unknown): unknown {
  const path = isObject(members) ? idPathIn(resource, members) : undefined
  return path && valueAt(members, path)
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
