import type { ContractOperation } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { type SchemaSource, flatten, namedTypesOf } from '../suite/draw/flat-schema.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import {
  type List,
  ThingShape,
  membersIn,
  replySchemaOf,
  requestSchemaOf,
  skeletonOf,
} from '../suite/draw/thing-shape.ts'
import { successOf } from '../suite/ground/contract.ts'
import { type Members, isObject, replaced, valueAt } from '../suite/ground/members.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { type Resource, idPathIn, idTextOf, ids, isNameOfOne, plainName } from '../suite/ground/resources.ts'
import { conform, isReply, nameIn, parametersIn } from './conform.ts'

/** The things of a collection: what names them, and how bodies show them. */
export class Things {
  readonly resource: Resource
  readonly #source: SchemaSource
  readonly #shape: ThingShape
  readonly #parameter: Subschema
  /** Where the schema of a thing has what names it. */
  readonly #idPath: readonly string[] | undefined
  /** Whether clients send members of a thing. */
  readonly #isSent: boolean

  constructor(resource: Resource, source: SchemaSource) {
    this.resource = resource
    this.#source = source
    this.#shape = new ThingShape(resource, source)
    const parameters = Object.values(resource.operations).flatMap((operation) => operation?.parameters ?? [])
    const inPath = parameters.find(({ name, in: place }) => name === resource.parameter && place === 'path')
    this.#parameter = inPath?.schema ?? {}
    const { create, list } = resource
    const listed = list && this.listIn(replySchemaOf(list) ?? {})
    this.#idPath = this.#idPathIn(this.#shape.schema) ?? (listed && this.#idPathIn(listed.items))
    const own = this.#namesIn(this.#shape.schema)
    this.#isSent = [create, ...Object.values(resource.operations)].some((operation) => {
      const schema = operation && requestSchemaOf(operation)
      return schema !== undefined && isAnyIn(this.#namesIn(this.#shape.inside(schema)), own)
    })
  }

  /** The thing that a body sends, with its members named as replies name them. */
  sentIn(operation: ContractOperation, body: unknown): Members | undefined {
    const thing = this.#shape.unwrapped(body, requestSchemaOf(operation))
    const own = this.#namesIn(this.#shape.schema)
    const nameOf = (name: string) =>
      own.includes(name) ? name : (own.find((each) => plainName(each) === plainName(name)) ?? name)
    return thing && Object.fromEntries(Object.entries(thing).map(([name, value]) => [nameOf(name), value]))
  }

  /**
   * Whether an operation that sends something sends a thing: its reply has members of it, or names it. An action, such as
   * a search, has a reply of its own.
   */
  isSentTo(operation: ContractOperation): boolean {
    const reply = this.#shape.inside(replySchemaOf(operation) ?? {})
    const sent = this.#namesIn(this.#shape.inside(requestSchemaOf(operation) ?? {}))
    const replied = this.#namesIn(reply)
    if (replied.length === 0) return true
    const isNamed = this.#idPathIn(reply) !== undefined
    if (sent.length === 0) return isNamed || this.#shape.isThing(reply)
    const own = this.#namesIn(this.#shape.schema)
    return isAnyIn(sent, isNamed ? [...replied, ...own] : replied.filter((name) => isAnyIn([name], own)))
  }

  /** Whether an operation replies with the thing as it is then, such as a cancelled one, and not with a new one. */
  isShownAfter(operation: ContractOperation): boolean {
    const reply = this.#shape.inside(replySchemaOf(operation) ?? {})
    return successOf(operation) !== 201 && this.#shape.isThing(reply) && this.#idPathIn(reply) !== undefined
  }

  /** What a request makes of a thing. @param type the media type of what it sends */
  changed(operation: ContractOperation, before: Members, sent: Members, type: string): Members {
    if (/merge-patch\+json/.test(type)) return mergePatched(before, sent)
    const { create } = this.resource
    // What requires nothing of what POST requires is a part.
    const isPart = create !== undefined && this.#isNeedy(create) && !this.#isNeedy(operation)
    if (operation.method !== 'put' || isPart) return { ...before, ...sent }
    const members = membersIn(this.#shape.inside(requestSchemaOf(operation) ?? {}), this.#source)
    const replaceable = Object.keys(members).filter((name) => !flatten(members[name]!, this.#source).isReadOnly)
    // What a client cannot send is the server's.
    const isKept = (name: string) => replaceable.length > 0 && !replaceable.includes(name)
    return { ...Object.fromEntries(Object.entries(before).filter(([name]) => isKept(name))), ...sent }
  }

  /** The value that names a thing. */
  idOf(thing: Members): unknown {
    return valueAt(thing, this.#idPathOf(thing))
  }

  /** A thing with the names that a path gives it and what it is in. @param id as its path or its schema has it */
  named(thing: Members, id: unknown, path: Members): Members {
    const said = parametersIn(this.#shape.schema, path, this.#source)
    return this.#with({ ...said, ...thing }, this.#idPathOf(thing), id, this.#shape.schema)
  }

  /** The list in a body. */
  listIn(schema: Subschema): List | undefined {
    return this.#shape.listIn(schema)
  }

  /** The things in a body that lists them, by their ids. */
  listedIn(body: unknown, schema: Subschema): [string, Members][] {
    const { path, items } = this.listIn(schema) ?? {}
    const found = path && valueAt(body, path)
    return (Array.isArray(found) ? found : []).flatMap((item: unknown): [string, Members][] => {
      const thing = this.#shape.unwrapped(item, items)
      const id = thing && idTextOf(this.idOf(thing))
      return thing === undefined || id === undefined ? [] : [[id, thing]]
    })
  }

  /** The thing in the value of a schema. */
  shownIn(value: unknown, schema: Subschema): Members | undefined {
    return this.#shape.unwrapped(value, schema)
  }

  /** Whether a schema shows a thing, and not only what was done to it. */
  isShownBy(schema: Subschema): boolean {
    return this.#isSent && this.#shape.isThing(this.#shape.inside(schema))
  }

  /** The value of a schema that shows a thing, in its envelope if it has one. @throws NoGenerator */
  shown(thing: Members, schema: Subschema, plain: () => unknown): unknown {
    const envelope = this.#shape.envelopeIn(schema)
    const inner = this.#shape.inside(schema)
    if (this.#namesIn(inner).length === 0) return isReply(thing, schema, this.#source) ? thing : plain()
    // What says more than the thing, such as that it is deleted, says it of this one.
    const around = this.isShownBy(schema) ? {} : this.#shape.unwrapped(plain(), schema)
    const path = this.#idPathIn(inner)
    const all = { ...around, ...thing }
    const named = path === undefined ? all : this.#with(all, path, this.idOf(thing), inner)
    const shown = conform(named, inner, this.#source)
    if (envelope === undefined) return shown
    const value = replaced(plain(), [envelope], shown)
    return isReply(value, schema, this.#source) ? value : plain()
  }

  /** Draws an id as the schemas of a reply and of the path ask. @param index which one */
  newId(operation: ContractOperation, index: number): unknown {
    const reply = this.#shape.inside(replySchemaOf(operation) ?? {})
    const path = this.#idPathIn(reply)
    const schema = path === undefined ? {} : this.#schemaAt(path, reply)
    // An id may be a text in a reply and an integer in the path.
    const schemas = [{ allOf: [schema, this.#parameter] }, schema, this.#parameter]
    const draw = (each: Subschema) => attempt('', {}, () => plainValue(each, this.#source, index))
    return schemas.reduce<unknown>((found, each) => found ?? draw(each), undefined) ?? index + 1
  }

  /** A copy with the id at a path, as the schema has it. */
  #with(thing: Members, path: readonly string[], id: unknown, schema: Subschema): Members {
    const changed = replaced(thing, path, nameIn(this.#schemaAt(path, schema), id, this.#source) ?? id)
    return isObject(changed) ? changed : thing
  }

  /** Whether what an operation takes has members that are required. */
  #isNeedy(operation: ContractOperation): boolean {
    return flatten(this.#shape.inside(requestSchemaOf(operation) ?? {}), this.#source).required.length > 0
  }

  #namesIn(schema: Subschema): string[] {
    return Object.keys(membersIn(schema, this.#source))
  }

  #idPathOf(thing: Members): readonly string[] {
    return this.#idPath ?? idPathIn(this.resource, thing) ?? ['id']
  }

  #idPathIn(schema: Subschema): readonly string[] | undefined {
    const { parameter } = this.resource
    const skeleton = skeletonOf(schema, this.#source)
    const members = membersIn(schema, this.#source)
    // A parameter that is called as the thing is, such as `customer`, says nothing of a member.
    const usual = isNameOfOne(this.resource, parameter) ? [...ids, 'name'] : ids
    const names = usual.filter((name) => Object.hasOwn(members, name))
    const name = names.find((each) => this.#isOfParameter(members[each]!)) ?? names[0]
    return idPathIn(this.resource, skeleton) ?? (name === undefined ? undefined : [name])
  }

  /** Whether a member may have the values of the parameter. */
  #isOfParameter(schema: Subschema): boolean {
    const [types, given] = [schema, this.#parameter].map((each) => namedTypesOf(flatten(each, this.#source)))
    if (types === undefined || given === undefined) return true
    return [types, given].some(({ length }) => length === 0) || types.some((type) => given.includes(type))
  }

  #schemaAt(path: readonly string[], schema: Subschema): Subschema {
    return path.reduce((inner, name) => {
      const members = membersIn(inner, this.#source)
      return Object.hasOwn(members, name) ? members[name]! : {}
    }, schema)
  }
}

/** Whether lists have a name in common, in whatever style it is written. */
function isAnyIn(some: readonly string[], others: readonly string[]): boolean {
  const plain = new Set(others.map(plainName))
  return some.some((name) => plain.has(plainName(name)))
}

/** Merges as RFC 7396 says. */
function mergePatched(before: Members, patch: Members): Members {
  const merged = Object.entries(patch).map(([name, value]): [string, unknown] => {
    const inner = Object.hasOwn(before, name) ? before[name] : undefined
    return [name, isObject(value) ? mergePatched(isObject(inner) ? inner : {}, value) : value]
  })
  const all = Object.entries({ ...before, ...Object.fromEntries(merged) })
  return Object.fromEntries(all.filter(([name, value]) => value !== null || !Object.hasOwn(patch, name)))
}
