import { Refusal } from 'fastify-contract'
import { type ContractOperation, declaredResponse, isJson, isReading } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { successOf } from '../suite/ground/contract.ts'
import { type SchemaSource, flatten } from '../suite/draw/flat-schema.ts'
import { type Resource, idKey, idTextOf, resourcesOf, unwrapped } from '../suite/ground/resources.ts'
import { type Members, isObject } from '../suite/ground/members.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import { conform, isReply } from './conform.ts'
import { Memory } from './memory.ts'
import { type MockReply, replyOf } from './replies.ts'

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

/** Makes the value of a JSON body from its schema and the value that it would have. */
type Show = (schema: Subschema, plain: () => unknown) => unknown

/** A request to a collection, and how it is answered. */
interface Asked {
  operation: ContractOperation
  resource: Resource
  /** The path of the collection with its parameters filled in. */
  collection: string
  body: Members | undefined
  respond: (status: number, show?: Show, id?: string) => MockReply
}

/** Replies to the operations of collections by what clients have posted, changed and deleted. */
export class Collections {
  readonly #source: SchemaSource
  readonly #resources: ReadonlyMap<ContractOperation, Resource>
  readonly #memory = new Memory()

  constructor(operations: readonly ContractOperation[], source: SchemaSource) {
    this.#source = source
    const collectionOperations = ({ collection }: Resource) =>
      operations.filter(({ path }) => path.replace(/\/$/, '') === collection)
    const all = resourcesOf({ operations }).flatMap((resource): [ContractOperation, Resource][] => {
      const resourceOperations = Object.values(resource.operations).filter((operation) => operation !== undefined)
      return [...resourceOperations, ...collectionOperations(resource)].map((operation) => [operation, resource])
    })
    this.#resources = new Map(all)
  }

  /** @returns undefined for an operation of no collection @throws NoGenerator */
  reply(operation: ContractOperation, { url, path, body, accept, example }: Request): MockReply | undefined {
    const resource = this.#resources.get(operation)
    if (resource === undefined) return undefined
    const filledIn = (_all: string, name: string) => encodeURIComponent(String(path[name]))
    const collection = resource.collection.replaceAll(/\{([^{}]+)\}/g, filledIn)
    this.#memory.seed(collection, () => this.#seedOf(resource))
    const respond: Asked['respond'] = (status, show, id) => {
      const headers = id === undefined ? {} : { location: `${url.replace(/\/$/, '')}/${encodeURIComponent(id)}` }
      return replyOf(operation, this.#source, { status, accept, example, value: show, headers })
    }
    const asked = { operation, resource, collection, body: unwrapped(body, resource.parameter), respond }
    if (Object.values(resource.operations).includes(operation)) {
      const id = idTextOf(path[resource.parameter])
      return id === undefined ? undefined : this.#replyOfThing(asked, id)
    }
    if (isReading(operation.method)) return this.#list(asked)
    if (operation.method === 'post') return this.#create(asked, asked.body ?? {})
    if (asked.body === undefined) return undefined
    // A collection may be told to change what the body names.
    const id = idTextOf(asked.body[idKey(resource.parameter, Object.keys(asked.body)) ?? ''])
    return id === undefined ? undefined : this.#replyOfThing(asked, id)
  }

  #replyOfThing({ operation, resource, collection, body, respond }: Asked, id: string): MockReply | undefined {
    const stored = this.#memory.find(collection, id)
    if (stored !== undefined && stored.members === undefined) {
      if (declaredResponse(operation.object.responses, 404) !== undefined) return respond(404)
      // What clients have not posted is never quite gone.
      if (!stored.isSeed) throw new Refusal('path_not_found', `${id} was deleted`)
    }
    const success = successOf(operation)
    if (operation.method === 'delete') {
      const reply = respond(success)
      this.#memory.delete(collection, id)
      return reply
    }
    if (operation.method === 'put' || operation.method === 'patch') {
      if (body === undefined) return undefined
      const changed = operation.method === 'put' ? body : { ...stored?.members, ...body }
      const members = this.#named(resource, changed, id)
      const reply = respond(success, (schema, plain) => this.#shown(resource, members, schema, plain))
      this.#memory.put(collection, id, members)
      return reply
    }
    if (!isReading(operation.method)) return undefined
    return respond(success, (schema, plain) => {
      if (stored?.members !== undefined) return this.#shown(resource, stored.members, schema, plain)
      const drawn = plain()
      return isObject(drawn) ? this.#shown(resource, this.#named(resource, drawn, id), schema, plain) : drawn
    })
  }

  #create(asked: Asked, body: Members): MockReply {
    const { operation, resource, collection, respond } = asked
    const given = idTextOf(body[idKey(resource.parameter, Object.keys(body)) ?? ''])
    const stored = given === undefined ? undefined : this.#memory.find(collection, given)
    const isTaken = stored?.members !== undefined && !stored.isSeed
    if (isTaken && operation.object.responses['409'] !== undefined) return respond(409)
    const drawn = given === undefined ? this.#newId(asked) : undefined
    const id = drawn?.id ?? given ?? ''
    const members = { ...body, ...drawn?.member }
    const shown: Show = (schema, plain) => {
      const isId = drawn !== undefined && !isObject(plain()) && isReply(drawn.value, schema, this.#source)
      return isId ? drawn.value : this.#shown(resource, members, schema, plain)
    }
    const reply = respond(successOf(operation), shown, id)
    this.#memory.put(collection, id, members)
    return reply
  }

  #list({ operation, resource, collection, respond }: Asked): MockReply {
    return respond(successOf(operation), (schema, plain) => {
      const { name, items, maxItems = Infinity } = this.#listIn(schema) ?? {}
      if (items === undefined) return plain()
      const members = this.#memory.list(collection).slice(0, maxItems)
      const list = members.map((each) => this.#shown(resource, each, items, () => plainValue(items, this.#source)))
      const value = name === undefined ? list : { ...membersOf(plain()), [name]: list }
      return isReply(value, schema, this.#source) ? value : plain()
    })
  }

  /** A thing as a schema shows it, in its envelope if it has one. */
  #shown({ parameter }: Resource, members: unknown, schema: Subschema, plain: () => unknown): unknown {
    const { name, inner } = this.#thingIn(parameter, schema)
    if (name === undefined) return conform(members, schema, this.#source)
    const value: unknown = { ...membersOf(plain()), [name]: conform(members, inner, this.#source) }
    return isReply(value, schema, this.#source) ? value : plain()
  }

  /** The schema of a thing within that of a body, and the property that holds it. */
  #thingIn(parameter: string, schema: Subschema): { name?: string; inner: Subschema } {
    const { properties } = flatten(schema, this.#source)
    const isNamed = (each: Subschema) =>
      idKey(parameter, Object.keys(flatten(each, this.#source).properties)) !== undefined
    if (isNamed(schema)) return { inner: schema }
    const [name, inner] = Object.entries(properties).find(([, property]) => isNamed(property)) ?? []
    return name === undefined || inner === undefined ? { inner: schema } : { name, inner }
  }

  /** The list in a body: all of it, or one property. */
  #listIn(schema: Subschema): { name?: string; items: Subschema; maxItems?: number | undefined } | undefined {
    const { assertions, properties } = flatten(schema, this.#source)
    const { items, maxItems } = assertions
    if (items !== undefined) return { items, maxItems }
    for (const [name, property] of Object.entries(properties)) {
      const { assertions: inside } = flatten(property, this.#source)
      if (inside.items !== undefined && Object.keys(flatten(inside.items, this.#source).properties).length > 0) {
        return { name, items: inside.items, maxItems: inside.maxItems }
      }
    }
    return undefined
  }

  #named({ parameter }: Resource, members: Members, id: string): Members {
    const key = idKey(parameter, Object.keys(members)) ?? 'id'
    const isText = typeof members[key] === 'string' || !/^-?\d+$/.test(id)
    return { ...members, [key]: isText ? id : BigInt(id) }
  }

  /** What a collection has at first: the example of its list. */
  #seedOf({ list, parameter }: Resource): Map<string, Members> {
    const schema = list === undefined ? undefined : this.#schemaOf(list)
    const { name, items } = (schema === undefined ? undefined : this.#listIn(schema)) ?? {}
    if (list === undefined || items === undefined) return new Map()
    const reply = attempt('', {}, () => replyOf(list, this.#source, { status: successOf(list) }))
    const found: unknown = name === undefined ? reply?.body : membersOf(reply?.body)[name]
    const things: unknown[] = Array.isArray(found) ? found : []
    const named = things.flatMap((thing): [string, Members][] => {
      const members = unwrapped(thing, parameter) ?? {}
      const id = idTextOf(members[idKey(parameter, Object.keys(members)) ?? ''])
      return id === undefined ? [] : [[id, members]]
    })
    return new Map(named)
  }

  /** The schema of the JSON of an operation that succeeds. */
  #schemaOf(operation: ContractOperation): Subschema | undefined {
    const { content = {} } = declaredResponse(operation.object.responses, successOf(operation)) ?? {}
    return Object.entries(content).find(([type]) => isJson(type))?.[1].schema
  }

  /** Draws an id that nothing in the collection has or had, as the schemas of the reply and of the path ask. */
  #newId({ operation, resource: { parameter, operations }, collection }: Asked) {
    const { inner } = this.#thingIn(parameter, this.#schemaOf(operation) ?? {})
    const { properties } = flatten(inner, this.#source)
    const key = idKey(parameter, Object.keys(properties)) ?? 'id'
    const inPath = Object.values(operations)[0]?.parameters.find(
      ({ name, in: at }) => name === parameter && at === 'path',
    )
    const [replySchema, pathSchema] = [properties[key] ?? {}, inPath?.schema ?? {}]
    // An id may be a text in a reply and an integer in the path.
    const schemas = [{ allOf: [replySchema, pathSchema] }, replySchema, pathSchema]
    const first = this.#memory.sizeOf(collection)
    for (let index = first; ; index++) {
      const draw = (schema: Subschema) => attempt('', {}, () => plainValue(schema, this.#source, index))
      const value = schemas.reduce<unknown>((found, schema) => found ?? draw(schema), undefined) ?? index + 1
      const id = idTextOf(value) ?? String(index + 1)
      if (index > 2 * first || this.#memory.find(collection, id) === undefined)
        return { id, value, member: { [key]: value } }
    }
  }
}

/** The members of an object; none of another value. */
function membersOf(value: unknown): Members {
  return isObject(value) ? value : {}
}
