import type { ContractOperation } from 'fastify-contract/document'
import { declaredResponse, isJson } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { type Members, conform, isObject, membersOf } from './conform.ts'
import { type Collection, Memory, type Resource, type Role, idKeyOf, idTextOf, rolesOf, unwrapped } from './memory.ts'
import { type MockReply, replyOf, successOf } from './replies.ts'
import type { Sampler } from './sample.ts'
import { NoValue } from './scalars.ts'

/** The parts of a valid request that decide about the memory. */
export interface Request {
  /** Of the request target, without the query. */
  url: string
  path: Members
  body: unknown
  accept: string | undefined
  /** The name of the example that the reply is made of. */
  example?: string | undefined
}

type Respond = (status: number, value?: (schema: Schema, plain: () => unknown) => unknown, id?: string) => MockReply

/** Replies to the operations of collections by what clients have posted, changed and deleted. */
export class Resources {
  readonly #sampler: Sampler
  readonly #roles: Map<ContractOperation, Role>
  readonly #operations: readonly ContractOperation[]
  readonly #memory = new Memory()

  constructor(operations: readonly ContractOperation[], sampler: Sampler) {
    this.#sampler = sampler
    this.#operations = operations
    this.#roles = rolesOf(operations)
  }

  /** @returns undefined for an operation of no collection @throws NoValue */
  reply(operation: ContractOperation, request: Request): MockReply | undefined {
    const role = this.#roles.get(operation)
    if (role === undefined) return undefined
    const { resource } = role
    const collection = this.#collectionOf(resource, request)
    const respond: Respond = (status, value, id) => {
      const location =
        id === undefined ? {} : { location: `${request.url.replace(/\/$/, '')}/${encodeURIComponent(id)}` }
      const { accept, example } = request
      return replyOf(operation, this.#sampler, { status, accept, example, value, headers: location })
    }
    const body = unwrapped(request.body, resource.parameter)
    if (role.of === 'member') {
      const id = idTextOf(request.path[resource.parameter])
      return id === undefined ? undefined : this.#replyOfMember(operation, resource, collection, id, body, respond)
    }
    if (operation.method === 'get') return this.#list(operation, resource, collection, respond)
    if (body === undefined) return undefined
    if (operation.method === 'post') return this.#create(operation, resource, collection, body, respond)
    const id = idTextOf(body[idKeyOf(resource.parameter, Object.keys(body)) ?? ''])
    const changes = operation.method === 'put' || operation.method === 'patch'
    return changes && id !== undefined
      ? this.#replyOfMember(operation, resource, collection, id, body, respond)
      : undefined
  }

  #replyOfMember(
    operation: ContractOperation,
    resource: Resource,
    collection: Collection,
    id: string,
    body: Members | undefined,
    respond: Respond,
  ): MockReply | undefined {
    const declaresAbsence = declaredResponse(operation.object.responses, 404) !== undefined
    if (collection.deleted.has(id) && declaresAbsence) return respond(404)
    const success = successOf(operation)
    const before = collection.members.get(id) ?? {}
    switch (operation.method) {
      case 'delete': {
        const reply = respond(success)
        this.#memory.delete(collection, id)
        return reply
      }
      case 'put':
      case 'patch': {
        if (body === undefined) return undefined
        const member = this.#named(resource, operation.method === 'put' ? body : { ...before, ...body }, id)
        const reply = respond(success, (schema, plain) => this.#shown(resource, member, schema, plain))
        this.#memory.put(collection, id, member)
        return reply
      }
      case 'get':
      case 'head': {
        const isKnown = collection.members.has(id)
        return respond(success, (schema, plain) => {
          if (isKnown) return this.#shown(resource, before, schema, plain)
          const drawn = plain()
          return isObject(drawn) ? this.#shown(resource, this.#named(resource, drawn, id), schema, plain) : drawn
        })
      }
      case 'post':
      case 'options':
      case 'trace':
        return undefined
    }
  }

  #create(
    operation: ContractOperation,
    resource: Resource,
    collection: Collection,
    body: Members,
    respond: Respond,
  ): MockReply {
    const success = successOf(operation)
    const key = idKeyOf(resource.parameter, Object.keys(body))
    const given = key === undefined ? undefined : idTextOf(body[key])
    if (given !== undefined) {
      const isTaken = collection.members.has(given) && !collection.seeds.has(given)
      if (isTaken && operation.object.responses['409'] !== undefined) return respond(409)
    }
    const drawn = given === undefined ? this.#newId(operation, resource, collection) : undefined
    const id = drawn?.id ?? given ?? ''
    const member = { ...body, ...drawn?.member }
    const shown = (schema: Schema, plain: () => unknown) => {
      const isId = drawn !== undefined && !isObject(plain()) && this.#sampler.isValid(drawn.value, schema)
      return isId ? drawn.value : this.#shown(resource, member, schema, plain)
    }
    const reply = respond(success, shown, id)
    this.#memory.put(collection, id, member)
    return reply
  }

  #list(operation: ContractOperation, resource: Resource, collection: Collection, respond: Respond): MockReply {
    return respond(successOf(operation), (schema, plain) => {
      const { name, items, maxItems = Infinity } = this.#listIn(schema) ?? {}
      if (items === undefined) return plain()
      const members = [...collection.members.values()].slice(0, maxItems)
      const list = members.map((member) => this.#shown(resource, member, items, () => this.#sampler.valueOf(items)))
      const value = name === undefined ? list : { ...membersOf(plain()), [name]: list }
      return this.#sampler.isValid(value, schema) ? value : plain()
    })
  }

  /** A member as a schema shows it, in its envelope if it has one. */
  #shown({ parameter }: Resource, member: unknown, schema: Schema, plain: () => unknown): unknown {
    const { name, inner } = this.#memberIn(parameter, schema)
    if (name === undefined) return conform(member, schema, this.#sampler)
    const value: unknown = { ...membersOf(plain()), [name]: conform(member, inner, this.#sampler) }
    return this.#sampler.isValid(value, schema) ? value : plain()
  }

  /** The schema of a member within that of a body, and the property that holds it. */
  #memberIn(parameter: string, schema: Schema): { name?: string; inner: Schema } {
    const { properties } = this.#sampler.flat(schema)
    const isNamed = (each: Schema) => idKeyOf(parameter, Object.keys(this.#sampler.flat(each).properties)) !== undefined
    if (isNamed(schema)) return { inner: schema }
    const [name, inner] = Object.entries(properties).find(([, property]) => isNamed(property)) ?? []
    return name === undefined || inner === undefined ? { inner: schema } : { name, inner }
  }

  /** The list in a body: all of it, or one property. */
  #listIn(schema: Schema): { name?: string; items: Schema; maxItems?: number | undefined } | undefined {
    const { assertions, properties } = this.#sampler.flat(schema)
    const { items, maxItems } = assertions
    if (items !== undefined) return { items, maxItems }
    for (const [name, property] of Object.entries(properties)) {
      const { assertions: inside } = this.#sampler.flat(property)
      if (inside.items !== undefined && Object.keys(this.#sampler.flat(inside.items).properties).length > 0) {
        return { name, items: inside.items, maxItems: inside.maxItems }
      }
    }
    return undefined
  }

  #named({ parameter }: Resource, member: Members, id: string): Members {
    const key = idKeyOf(parameter, Object.keys(member)) ?? 'id'
    const isText = typeof member[key] === 'string' || !/^-?\d+$/.test(id)
    return { ...member, [key]: isText ? id : BigInt(id) }
  }

  /** The collection of a request. At first it has the members that its list has as an example. */
  #collectionOf(resource: Resource, { path }: Request): Collection {
    const concrete = resource.path.replaceAll(/\{([^{}]+)\}/g, (_all, name: string) =>
      encodeURIComponent(String(path[name])),
    )
    return this.#memory.at(concrete, () => this.#seedOf(resource))
  }

  #seedOf({ path, parameter }: Resource): Map<string, Members> {
    const operation = this.#operations.find((each) => each.method === 'get' && each.path.replace(/\/$/, '') === path)
    if (operation === undefined) return new Map()
    try {
      const { body } = replyOf(operation, this.#sampler, { status: successOf(operation) })
      const { name, items } = this.#listIn(this.#schemaOf(operation) ?? {}) ?? {}
      const list: unknown = name === undefined ? body : membersOf(body)[name]
      if (items === undefined || !Array.isArray(list)) return new Map()
      const named = list.filter(isObject).flatMap((member): [string, Members][] => {
        const inside = unwrapped(member, parameter) ?? member
        const id = idTextOf(inside[idKeyOf(parameter, Object.keys(inside)) ?? ''])
        return id === undefined ? [] : [[id, inside]]
      })
      return new Map(named)
    } catch (error) {
      if (!(error instanceof NoValue)) throw error
      return new Map()
    }
  }

  /** The schema of the JSON of an operation that succeeds. */
  #schemaOf(operation: ContractOperation): Schema | undefined {
    const { content = {} } = declaredResponse(operation.object.responses, successOf(operation)) ?? {}
    return Object.entries(content).find(([type]) => isJson(type))?.[1].schema
  }

  /** Draws an id that no member has, as the schemas of the reply and of the path ask. */
  #newId(operation: ContractOperation, { parameter, member }: Resource, { members, deleted }: Collection) {
    const { inner } = this.#memberIn(parameter, this.#schemaOf(operation) ?? {})
    const { properties } = this.#sampler.flat(inner)
    const key = idKeyOf(parameter, Object.keys(properties)) ?? 'id'
    const inPath = member.parameters.find((each) => each.name === parameter && each.in === 'path')
    const [ofReply, ofPath] = [properties[key] ?? {}, inPath?.schema ?? {}]
    const draw = (index: number) => this.#firstOf([{ allOf: [ofReply, ofPath] }, ofReply, ofPath], index)
    const last = members.size + deleted.size + 1
    for (let index = members.size; ; index++) {
      const value = draw(index)
      const id = String(value)
      if (index > last || (!members.has(id) && !deleted.has(id))) return { id, value, member: { [key]: value } }
    }
  }

  /** A value of the first schema that has a known one: an id may be a text in a reply and an integer in the path. */
  #firstOf(schemas: readonly Schema[], index: number): unknown {
    for (const schema of schemas) {
      try {
        return this.#sampler.valueOf(schema, index)
      } catch (error) {
        if (!(error instanceof NoValue)) throw error
      }
    }
    return index + 1
  }
}
