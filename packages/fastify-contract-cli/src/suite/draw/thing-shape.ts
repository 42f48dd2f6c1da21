import { type ContractOperation, declaredResponse, isJson } from 'fastify-contract/document'
import type { Schema, Subschema } from 'fastify-contract/schema'
import { successOf } from '../ground/contract.ts'
import { type Members, isObject } from '../ground/members.ts'
import { type Resource, idPathIn, isNameOfOne } from '../ground/resources.ts'
import { type SchemaSource, flatten } from './flat-schema.ts'

/** A list in a body. */
export interface List {
  /** The names that lead to it; none where the body is the list. */
  path: readonly string[]
  items: Subschema
  maxItems: number | undefined
}

/** The words for what may be any thing. */
const anyThing = ['data', 'item', 'object', 'resource', 'result']

/** How the schemas of a contract show the things of a collection: alone, in an envelope, in a list. */
export class ThingShape<Kind extends Resource = Resource> {
  readonly resource: Kind
  /** The schema of one thing. */
  readonly schema: Subschema
  readonly #source: SchemaSource
  /** The member of `#shown` that holds the thing. */
  readonly #envelope: string | undefined
  /** The schema of the body that shows one thing. */
  readonly #shown: Schema | undefined

  constructor(resource: Kind, source: SchemaSource) {
    this.resource = resource
    this.#source = source
    const { get, put, patch } = resource.operations
    const { create, list } = resource
    const listed = (list === undefined ? [] : listsIn(replySchemaOf(list) ?? {}, source)).map(({ items }) => items)
    const shown = [get, create, put, patch].flatMap((each) => (each && replySchemaOf(each)) ?? [])
    this.#shown = shown[0]
    const [listedThing] = listed.filter((items) => Object.keys(membersIn(items, source)).length > 0)
    this.#envelope = this.#shown && this.#envelopeOf(this.#shown, listed)
    this.schema = this.#memberOf(this.#shown ?? listedThing ?? {}, this.#envelope)
  }

  /** The member of a body that holds the thing: the only one whose schema is that of the thing. */
  envelopeIn(schema: Subschema): string | undefined {
    if (this.#shown !== undefined && this.#isAlike(schema, this.#shown)) return this.#envelope
    const members = membersIn(schema, this.#source)
    const own = membersIn(this.schema, this.#source)
    if (Object.keys(members).some((name) => Object.hasOwn(own, name))) return undefined
    return Object.keys(members).find((name) => {
      const isNamed = name === this.#envelope || isNameOfOne(this.resource, name)
      const inner = Object.keys(membersIn(members[name]!, this.#source))
      return inner.length > 0 && (isNamed || targetOf(members[name]!, this.#source) === this.#target)
    })
  }

  /** The object that a body is, or has in its envelope. */
  unwrapped(body: unknown, schema: Subschema | undefined): Members | undefined {
    if (!isObject(body)) return undefined
    const name = schema === undefined ? undefined : this.envelopeIn(schema)
    const inner = name === undefined ? undefined : body[name]
    return isObject(inner) ? inner : body
  }

  /** The schema of a thing in a body. */
  inside(schema: Subschema): Subschema {
    return this.#memberOf(schema, this.envelopeIn(schema))
  }

  /** Whether a schema has the members of the thing, or some of them, or more. */
  isThing(schema: Subschema): boolean {
    return this.#isAlike(schema, this.schema)
  }

  /** The list of things in a body. */
  listIn(schema: Subschema): List | undefined {
    const lists = listsIn(schema, this.#source)
    const isOfObjects = ({ items }: List) => Object.keys(membersIn(items, this.#source)).length > 0
    const shared = ({ items }: List) => {
      const names = Object.keys(membersIn(this.inside(items), this.#source))
      return names.filter((name) => Object.hasOwn(membersIn(this.schema, this.#source), name)).length
    }
    const ofThings = lists.filter(({ items }) => this.isThing(this.inside(items)))
    return (
      ofThings.toSorted((a, b) => shared(b) - shared(a))[0] ??
      lists.find(({ items }) => this.#isNamed(items)) ??
      lists.find((list) => list.path.length === 0 || isOfObjects(list))
    )
  }

  #memberOf(schema: Subschema, name: string | undefined): Subschema {
    return name === undefined ? schema : membersIn(schema, this.#source)[name]!
  }

  get #target() {
    return targetOf(this.schema, this.#source) ?? 'none'
  }

  #envelopeOf(shown: Subschema, listed: readonly Subschema[]): string | undefined {
    if (this.#isNamed(shown) || listed.some((items) => this.#isAlike(shown, items))) return undefined
    const objects = Object.entries(membersIn(shown, this.#source)).filter(([, member]) => {
      return Object.keys(membersIn(member, this.#source)).length > 0
    })
    const [found] =
      objects.find(([, member]) => listed.some((items) => this.#isAlike(member, items))) ??
      objects.find(([name]) => isNameOfOne(this.resource, name)) ??
      objects.find(([name, member]) => anyThing.includes(name) && this.#isNamed(member)) ??
      []
    return found
  }

  #isNamed(schema: Subschema): boolean {
    return idPathIn(this.resource, skeletonOf(schema, this.#source)) !== undefined
  }

  #isAlike(one: Subschema, other: Subschema): boolean {
    const target = targetOf(one, this.#source)
    if (target !== undefined && target === targetOf(other, this.#source)) return true
    const [some, others] = [one, other].map((schema) => Object.keys(membersIn(schema, this.#source)))
    if (some === undefined || others === undefined || some.length === 0 || others.length === 0) return false
    return some.every((name) => others.includes(name)) || others.every((name) => some.includes(name))
  }
}

/** The schema of the JSON of a response, by default of a success. */
export function replySchemaOf(operation: ContractOperation, status = successOf(operation)): Schema | undefined {
  const { content = {} } = declaredResponse(operation.object.responses, status) ?? {}
  return Object.entries(content).find(([type]) => isJson(type))?.[1].schema
}

/** The schema of the body of a request, of JSON if there is some. */
export function requestSchemaOf({ object }: ContractOperation): Schema | undefined {
  const content = Object.entries(object.requestBody?.content ?? {})
  return (content.find(([type]) => isJson(type)) ?? content[0])?.[1].schema
}

/** The members that objects of a schema may have, by any of its alternatives. */
export function membersIn(schema: Subschema, source: SchemaSource, levels = 2): Readonly<Record<string, Subschema>> {
  const { properties, choices } = flatten(schema, source)
  const alternatives = levels === 0 ? [] : choices.flat().map((each) => membersIn(each, source, levels - 1))
  return Object.fromEntries([...alternatives, properties].flatMap(Object.entries<Subschema>))
}

/** The members of a schema, and those of `metadata` within it. */
export function skeletonOf(schema: Subschema, source: SchemaSource): Members {
  const { metadata, ...members } = membersIn(schema, source)
  return metadata === undefined ? members : { ...members, metadata: membersIn(metadata, source) }
}

/** The named schema that a schema refers to. */
function targetOf(schema: Subschema, source: SchemaSource): Schema | undefined {
  return flatten(schema, source).targets[0]
}

/** The lists in the values of a schema, those of fewer levels first. */
function listsIn(schema: Subschema, source: SchemaSource, path: readonly string[] = []): List[] {
  const { items, maxItems } = flatten(schema, source).assertions
  if (items !== undefined) return [{ path, items, maxItems }]
  if (path.length === 2) return []
  const members = Object.entries(membersIn(schema, source))
  const lists = members.flatMap(([name, member]) => listsIn(member, source, [...path, name]))
  return lists.toSorted((a, b) => a.path.length - b.path.length)
}
