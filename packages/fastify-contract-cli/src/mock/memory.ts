import type { ContractOperation } from 'fastify-contract/document'
import { type Members, isObject } from './conform.ts'

/** A collection that a contract lets clients add to, and its members. */
export interface Resource {
  /** Such as `/pets`. */
  path: string
  /** The parameter of a member: `petId` of `/pets/{petId}`. */
  parameter: string
  member: ContractOperation
}

/** Whether an operation is that of a collection or of a member of it. */
export type Role = { resource: Resource; of: 'collection' | 'member' }

/** Finds the collections: a POST, beside whose path stands that of one member. */
export function rolesOf(operations: readonly ContractOperation[]): Map<ContractOperation, Role> {
  const roles = new Map<ContractOperation, Role>()
  for (const member of operations) {
    const [, path, parameter] = /^(.*)\/\{([^{}/]+)\}$/.exec(member.path) ?? []
    if (path === undefined || parameter === undefined) continue
    const ofCollection = operations.filter((each) => each.path.replace(/\/$/, '') === path)
    if (!ofCollection.some(({ method }) => method === 'post')) continue
    const resource = { path, parameter, member }
    roles.set(member, { resource, of: 'member' })
    for (const operation of ofCollection) roles.set(operation, { resource, of: 'collection' })
  }
  return roles
}

/** How many members and names of deleted ones are kept, over all collections; the oldest are forgotten. */
const most = 1_000

/** The members of one collection, by their ids. */
export interface Collection {
  members: Map<string, Members>
  /** The ids of the members that it had at first. */
  seeds: Set<string>
  deleted: Set<string>
}

/** What clients have posted and not deleted. */
export class Memory {
  readonly #collections = new Map<string, Collection>()
  #size = 0

  /** The collection at a path. @param seed makes the members that it has at first */
  at(path: string, seed: () => Map<string, Members>): Collection {
    const known = this.#collections.get(path)
    if (known !== undefined) return known
    const members = seed()
    const made = { members, seeds: new Set(members.keys()), deleted: new Set<string>() }
    this.#collections.set(path, made)
    this.#grow(made.members.size + 1)
    return made
  }

  put({ members, seeds, deleted }: Collection, id: string, member: Members): void {
    if (!members.has(id) && !deleted.has(id)) this.#grow(1)
    members.set(id, member)
    seeds.delete(id)
    deleted.delete(id)
  }

  delete({ members, deleted }: Collection, id: string): void {
    if (!members.delete(id) && !deleted.has(id)) this.#grow(1)
    deleted.add(id)
  }

  /** Forgets the oldest collections, then the oldest members. */
  #grow(by: number): void {
    this.#size += by
    while (this.#size > most) {
      const [path, { members, deleted }] = [...this.#collections][0]!
      const ids = [...members.keys(), ...deleted]
      if (this.#collections.size > 1 || ids.length === 0) {
        this.#collections.delete(path)
        this.#size -= ids.length + 1
        if (ids.length === 0) return
      } else {
        members.delete(ids[0]!)
        deleted.delete(ids[0]!)
        this.#size--
      }
    }
  }
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** The property that names a member of a collection: that of the parameter, or `id`. */
export function idKeyOf(parameter: string, names: readonly string[]): string | undefined {
  const ids = ['id', '_id', 'uuid', 'guid']
  return names.find((name) => plain(name) === plain(parameter)) ?? ids.find((id) => names.includes(id))
}

/** The text of an id; undefined where it is none. */
export function idTextOf(value: unknown): string | undefined {
  const isId = ['string', 'number', 'bigint'].includes(typeof value) && value !== ''
  return isId ? String(value) : undefined
}

/** An object that is sent in an envelope, such as `{ pet: { … } }`. */
export function unwrapped(body: unknown, parameter: string): Members | undefined {
  if (!isObject(body)) return undefined
  const members = Object.values(body)
  const [only] = members
  return members.length === 1 && isObject(only) && idKeyOf(parameter, Object.keys(body)) === undefined ? only : body
}
