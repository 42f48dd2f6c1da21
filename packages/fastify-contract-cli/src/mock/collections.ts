import { Refusal } from 'fastify-contract'
import { type ContractOperation, declaredResponse, isReading } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { successOf } from '../suite/ground/contract.ts'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { type Resource, collectionOf, collectionsIn, idTextOf } from '../suite/ground/resources.ts'
import { type Members, isList, isObject, replaced } from '../suite/ground/members.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import { ThingShape, replySchemaOf } from '../suite/draw/thing-shape.ts'
import { isReply, parametersIn } from './conform.ts'
import { counted } from './last-page.ts'
import { Memory } from './memory.ts'
import { type MockReply, replyOf } from './replies.ts'
import { Things } from './things.ts'

/** The parts of a valid request that decide about the memory. */
export interface Request {
  /** Of the request target, without the query. */
  url: string
  path: Members
  body: unknown
  /** The media type of the body. */
  type: string
  accept: string | undefined
  /** The name of the example that the reply is made of. */
  example?: string | undefined
}

/** Makes the value of a JSON body from its schema and the value that it would have. */
type Show = (schema: Subschema, plain: () => unknown) => unknown

/** A request to a collection, and how it is answered. */
interface Asked {
  operation: ContractOperation
  things: Things
  /** The path of the collection with its parameters filled in. */
  collection: string
  /** The path that things are posted to: that of the collection, or one within another thing. */
  home: string
  path: Members
  body: Members | undefined
  type: string
  respond: (show: Show, created?: string) => MockReply
}

/** Replies to the operations of collections by what clients have posted, changed and deleted. */
export class Collections {
  readonly #source: SchemaSource
  readonly #resources: ReadonlyMap<ContractOperation, Resource>
  readonly #things = new Map<Resource, Things>()
  readonly #memory = new Memory()

  constructor(operations: readonly ContractOperation[], source: SchemaSource) {
    this.#source = source
    const beside = Map.groupBy(operations, collectionOf)
    const below = Map.groupBy(operations, ({ path }) => /^(.*)\/[^{}/]+$/.exec(path)?.[1])
    const plain = collectionsIn(operations)
    const own = new Set(plain.map(({ collection }) => collection))
    const others = [...beside].filter(([path]) => !own.has(path))
    const all = plain.map((resource) => withHomes(resource, others, source))
    // What is posted below a thing may be an action on it.
    const isAction = (operation: ContractOperation) =>
      operation.method === 'post' &&
      !own.has(collectionOf(operation)) &&
      beside.get(collectionOf(operation))?.length === 1
    const entriesOf = (resource: Resource, found: readonly (ContractOperation | undefined)[]) =>
      found.flatMap((each) => (each === undefined ? [] : [[each, resource] as const]))
    this.#resources = new Map([
      ...all.flatMap(({ resource, elsewhere }) => [
        ...entriesOf(resource, (below.get(resource.path) ?? []).filter(isAction)),
        ...entriesOf(resource, elsewhere),
        ...entriesOf(resource, isChanged(resource) ? (beside.get(resource.collection) ?? []) : []),
      ]),
      ...all.flatMap(({ resource }) => entriesOf(resource, Object.values(resource.operations))),
    ])
  }

  /** @returns undefined for an operation of no collection @throws NoGenerator */
  reply(operation: ContractOperation, { url, path, body, type, accept, example }: Request): MockReply | undefined {
    const resource = this.#resources.get(operation)
    if (resource === undefined) return undefined
    const things = this.#things.get(resource) ?? new Things(resource, this.#source)
    this.#things.set(resource, things)
    const filledIn = (_all: string, name: string) => encodeURIComponent(String(path[name]))
    const filled = (template: string) => template.replaceAll(/\{([^{}]+)\}/g, filledIn)
    const collection = filled(resource.collection)
    if (isChanged(resource)) this.#memory.seed(collection, () => this.#seedOf(things, path))
    const respond: Asked['respond'] = (show, created) => {
      const item = resource.path.slice(resource.collection.length)
      const base = url.split('/').slice(0, 1 - operation.path.split('/').length)
      const location = (name: string) =>
        base.join('/') + collection + item.replace(/\{[^{}]+\}/, () => encodeURIComponent(name))
      const headers = created === undefined ? {} : { location: location(created) }
      const status = successOf(operation)
      return replyOf(operation, this.#source, { status, accept, example, path, value: show, headers })
    }
    const home = filled(collectionOf(operation))
    const asked = { operation, things, collection, home, path, body: things.sentIn(operation, body), type, respond }
    const isAction = operation.path.startsWith(`${resource.path}/`)
    if (isAction && !things.isShownAfter(operation)) return undefined
    if (isAction || Object.values(resource.operations).includes(operation))
      return this.#replyOfThing(asked, path[resource.parameter])
    if (isReading(operation.method)) return this.#list(asked)
    if (operation.method === 'post')
      return !isList(body) && things.isSentTo(operation) ? this.#create(asked) : undefined
    // A collection may be told to change what the body names.
    return asked.body && this.#replyOfThing(asked, things.idOf(asked.body))
  }

  /** @param given what names the thing */
  #replyOfThing(asked: Asked, given: unknown): MockReply | undefined {
    const { operation, things, collection, path, body, type, respond } = asked
    const id = idTextOf(given)
    if (id === undefined) return undefined
    const stored = this.#memory.find(collection, id)
    const { responses } = operation.object
    const isDeleted = stored !== undefined && stored.members === undefined
    const isCreation = operation.method === 'put' && (things.resource.create === undefined || '201' in responses)
    // What clients have not posted is never quite gone, unless the contract says how.
    if (isDeleted && !isCreation && (!stored.isSeed || declaredResponse(responses, 404) !== undefined))
      throw new Refusal('path_not_found', `${id} was deleted`)
    const isChange = !isReading(operation.method) && operation.method !== 'delete'
    if (operation.method === 'post' && !things.isSentTo(operation) && !things.isShownAfter(operation)) return undefined
    if (isChange && body !== undefined) {
      const changed = things.changed(operation, stored?.members ?? {}, body, type)
      return this.#keep(asked, id, things.named(changed, given, path))
    }
    const reply = respond((schema, plain) => {
      const members = stored?.members ?? things.named(things.shownIn(plain(), schema) ?? {}, given, path)
      const shown = things.shown(members, schema, plain)
      if (operation.method !== 'delete' || !isObject(shown) || shown['deleted'] !== false) return shown
      const deleted = { ...shown, deleted: true }
      return isReply(deleted, schema, this.#source) ? deleted : shown
    })
    if (operation.method === 'delete') this.#memory.delete(collection, id)
    return reply
  }

  #create(asked: Asked): MockReply {
    const { operation, things, collection, path, body = {} } = asked
    const given = things.idOf(body)
    const stored = this.#memory.find(collection, idTextOf(given) ?? '')
    const isTaken = stored?.members !== undefined && !stored.isSeed
    if (isTaken && operation.object.responses['409'] !== undefined)
      throw new Refusal('invalid_request', `${stored.id} exists`, {}, 409)
    const value = idTextOf(given) === undefined ? this.#newId(operation, things, collection) : given
    return this.#keep(asked, idTextOf(value) ?? '', things.named(body, value, path), value)
  }

  /** Replies with a thing, and remembers it with what the reply says of it besides. @param created its id, if it is new */
  #keep({ things, collection, home, respond }: Asked, id: string, members: Members, created?: unknown): MockReply {
    let kept = members
    const show: Show = (schema, plain) => {
      if (created !== undefined && isReply(created, schema, this.#source) && !isObject(plain())) return created
      const value = things.shown(members, schema, plain)
      if (things.isShownBy(schema)) kept = { ...members, ...things.shownIn(value, schema) }
      return value
    }
    const reply = respond(show, created === undefined ? undefined : id)
    this.#memory.put(collection, id, kept, created === undefined ? undefined : home)
    return reply
  }

  #list({ things, collection, home, path: parameters, respond }: Asked): MockReply {
    return respond((schema, plain) => {
      const { path, items, maxItems = Infinity } = things.listIn(schema) ?? {}
      if (path === undefined || items === undefined) return plain()
      const members = this.#memory.list(collection, home).slice(0, maxItems)
      // What the collection had at first may say that it is within another thing.
      const said = home === collection ? {} : parametersIn(items, parameters, this.#source)
      const list = members.map((each) =>
        things.shown({ ...each, ...said }, items, () => plainValue(items, this.#source)),
      )
      const value = replaced(path.length === 0 ? list : plain(), path, list)
      return isReply(value, schema, this.#source) ? counted(value, list.length, schema, this.#source) : plain()
    })
  }

  /** What a collection has at first: the example of its list. */
  #seedOf(things: Things, path: Members): Map<string, Members> {
    const { list } = things.resource
    const schema = list && replySchemaOf(list)
    if (list === undefined || schema === undefined) return new Map()
    const reply = attempt('', {}, () => replyOf(list, this.#source, { status: successOf(list), path }))
    return new Map(things.listedIn(reply?.body, schema))
  }

  /** Draws an id that nothing in the collection has or had. */
  #newId(operation: ContractOperation, things: Things, collection: string): unknown {
    const first = this.#memory.sizeOf(collection)
    for (let index = first; ; index++) {
      const drawn = things.newId(operation, index)
      const id = idTextOf(drawn) ?? String(index + 1)
      if (index > 2 * first || this.#memory.find(collection, id) === undefined)
        return idTextOf(drawn) === undefined ? id : drawn
    }
  }
}

/**
 * Finds the paths within other things that things of a collection are posted to, such as `/posts/{postId}/comments` for
 * `/comments/{id}`, where nothing is posted to `/comments`.
 *
 * @param others the paths beside collections, with their operations
 */
function withHomes(resource: Resource, others: readonly [string, ContractOperation[]][], source: SchemaSource) {
  const { collection, create, list } = resource
  const namesIn = (path: string) => [...path.matchAll(/\{[^{}]+\}/g)].map(([name]) => name)
  const endOf = (path: string) => path.slice(path.lastIndexOf('/'))
  const isInPath = (path: string) =>
    endOf(path) === endOf(collection) && namesIn(collection).every((each) => namesIn(path).includes(each))
  const near = create === undefined ? others.filter(([path]) => isInPath(path)) : []
  const shape = near.length === 0 ? undefined : new ThingShape(resource, source)
  const elsewhere = near.flatMap(([, operations]) => {
    const reply = operations.filter(({ method }) => method === 'post').map((each) => replySchemaOf(each) ?? {})[0]
    return reply !== undefined && shape?.isThing(shape.inside(reply)) === true ? operations : []
  })
  const first = (method: string) => elsewhere.find((each) => each.method === method)
  return { elsewhere, resource: { ...resource, create: create ?? first('post'), list: list ?? first('get') } }
}

/** Whether clients add to a collection, or change things of it. */
function isChanged({ create, operations }: Resource): boolean {
  return create !== undefined || Object.keys(operations).some((method) => !isReading(method))
}
