import type { ContractOperation } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { type SchemaSource, flatten, namedTypesOf } from '../suite/draw/flat-schema.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import { ThingShape, membersIn, replySchemaOf, requestSchemaOf, skeletonOf } from '../suite/draw/thing-shape.ts'
import { type Members, isObject, replaced, valueAt } from '../suite/ground/members.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { type Resource, idPathIn, idTextOf, ids, isNameOfOne } from '../suite/ground/resources.ts'
import { conform, isReply } from './conform.ts'

/** The things of a collection: what names them, and how bodies show them. */
export class Things {
  readonly resource: Resource
  readonly #source: SchemaSource
  readonly #shape: ThingShape
  readonly #parameter: Subschema
  /** Where the schema of a thing has what names it. */
  readonly #idPath: readonly string[] | undefined

  constructor(resource: Resource, source: SchemaSource) {
    this.resource = resource
    this.#source = source
    this.#shape = new ThingShape(resource, source)
    const parameters = Object.values(resource.operations).flatMap((operation) => operation?.parameters ?? [])
    const inPath = parameters.find(({ name, in: place }) => name === resource.parameter && place === 'path')
    this.#parameter = inPath?.schema ?? {}
    this.#idPath = this.#idPathIn(this.#shape.schema)
  }

  /** The thing that a body sends. */
  sentIn(operation: ContractOperation, body: unknown): Members | undefined {
    return this.#shape.unwrapped(body, requestSchemaOf(operation))
  }

  /** The value that names a thing. */
  idOf(thing: Members): unknown {
    return valueAt(thing, this.#idPathOf(thing))
  }

  /** A thing with another name. @param id as its path or its schema has it */
  withId(thing: Members, id: unknown): Members {
    const path = this.#idPathOf(thing)
    const text = String(id)
    const values = /^-?\d+$/.test(text) ? [id, text, BigInt(text)] : [id, text]
    const schema = this.#schemaAt(path, this.#shape.schema)
    const value = values.find((each) => isReply(each, schema, this.#source)) ?? id
    const changed = replaced(thing, path, value)
    return isObject(changed) ? changed : thing
  }

  /** The list in a body. */
  listIn(schema: Subschema) {
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

  /** The value of a schema that shows a thing, in its envelope if it has one. @throws NoGenerator */
  shown(thing: Members, schema: Subschema, plain: () => unknown): unknown {
    const envelope = this.#shape.envelopeIn(schema)
    const inner = this.#shape.inside(schema)
    if (Object.keys(membersIn(inner, this.#source)).length === 0)
      return isReply(thing, schema, this.#source) ? thing : plain()
    // What says more than the thing, such as that it is deleted, says it of this one.
    const around = this.#shape.isThing(inner) ? {} : this.#shape.unwrapped(plain(), schema)
    const shown = conform({ ...around, ...thing }, inner, this.#source)
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
