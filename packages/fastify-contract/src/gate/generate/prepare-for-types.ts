import { type ContractDocument, contractMethods, maps } from '../../document/document.ts'
import { SchemaRewriter } from '../../schema/rewrite-schema.ts'
import { inPlace, isSchema, schemaNameOf } from '../../schema/schema-parts.ts'

/** The types around the type of a property that has one of the keywords. `types/message-types.ts` reads them. */
export type Mark = (typeof markOf)[Marked]

type Marked = keyof typeof markOf

const markOf = { default: '$Default', readOnly: '$Read', writeOnly: '$Write' } as const

/** Members that hold values and no schemas. */
const values: readonly string[] = ['const', 'default', 'enum', 'example', 'examples', 'required']

/** What openapi-typescript writes into the comment of a property. */
const commented: readonly string[] = ['default', 'deprecated', 'description', 'example', 'summary', 'title']

/** A comment that begins with `@ts-expect-error` or `@ts-ignore` speaks to the compiler. */
export function withoutDirectives(text: string): string {
  return text.replaceAll('@ts-', '@\u200bts-')
}

/** The key of a note. A name, such as that of an extension, would be one that the author of a contract can write. */
export const note = Symbol('note')

/** What is to be written for a schema, where openapi-typescript would write something else. */
export interface Note {
  /** The name of a schema that contains itself. */
  alias?: string
  /** The marks of a property or a parameter. */
  marks?: Mark[]
  /** What is marked, or declared under the name. */
  content?: Record<string, unknown>
}

/**
 * Makes a contract into one whose types can be written, with notes on what openapi-typescript does not know. Elsewhere
 * integers that a double does not hold become text: the types have them in comments only. The operations of webhooks
 * lose their ids, because this service calls nobody.
 *
 * @param document a checked contract
 * @returns the changed copy, and the marks in it
 */
export function prepareForTypes(document: ContractDocument): { source: unknown; marks: Set<Mark> } {
  const marks = new Set<Mark>()
  const aliased = selfContainedSchemas(document)

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy)
    if (!isSchema(node)) return withoutBigInts(node)
    const name = schemaNameOf(node['$ref'])
    if (name !== undefined && aliased.has(name)) return noted({ alias: name })
    const object = Object.fromEntries(
      Object.entries(withoutLiterals(node)).map(([name, member]) => {
        if (name.startsWith('x-') || values.includes(name)) return [name, withoutBigInts(member)]
        if (typeof member === 'string' && commented.includes(name)) return [name, withoutDirectives(member)]
        return [name, maps.includes(name) && isSchema(member) ? mapValues(member, copy) : copy(member)]
      }),
    )
    const { in: place, properties, schema } = object
    if (typeof place === 'string' && isSchema(schema)) {
      return { ...object, schema: mark(schema, node['schema'], ['default']) }
    }
    const written = node['properties']
    if (!isSchema(properties) || !isSchema(written)) return withIndex(object, {})
    const marked = Object.entries(properties).map(([name, property]) => [
      name,
      mark(property, written[name], ['default', 'readOnly', 'writeOnly']),
    ])
    return withIndex(object, Object.fromEntries(marked) as Record<string, unknown>)
  }

  /** @param written the schema as the contract has it */
  function mark(schema: unknown, written: unknown, asked: readonly Marked[]): unknown {
    const borne = asked.filter((keyword) => carries(document, written, keyword)).map((keyword) => markOf[keyword])
    if (borne.length === 0 || !isSchema(schema)) return schema
    for (const each of borne) marks.add(each)
    const comments = Object.fromEntries(Object.entries(schema).filter(([name]) => commented.includes(name)))
    return { ...comments, ...noted({ marks: borne, content: schema }) }
  }

  const source = copy(withoutWebhookIds(document)) as ContractDocument
  const schemas = mapValues(source.components?.schemas, (schema, name) =>
    aliased.has(name) && isSchema(schema) ? noted({ alias: name, content: schema }) : schema,
  )
  return { source: aliased.size === 0 ? source : { ...source, components: { ...source.components, schemas } }, marks }
}

interface Noted extends Record<string, unknown> {
  [note]?: Note
}

/** A schema with a note. Its type makes openapi-typescript ask how it is to be written. */
function noted(content: Note): Noted {
  return { type: 'object', [note]: content }
}

/**
 * Finds the named schemas that contain themselves without an object in between, such as an array of itself. TypeScript
 * resolves the properties of an object type when they are asked for, and everything else at once.
 *
 * @returns their names
 */
function selfContainedSchemas({ components }: ContractDocument): Set<string> {
  const schemas = components?.schemas ?? {}
  const contained = new Map(Object.entries(schemas).map(([name, schema]) => [name, namesIn(schema)]))
  const reaches = (from: string, to: string, met: Set<string>): boolean =>
    (contained.get(from) ?? []).some((name) => {
      if (name === to) return true
      if (met.has(name)) return false
      return reaches(name, to, met.add(name))
    })
  return new Set([...contained.keys()].filter((name) => reaches(name, name, new Set())))
}

function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (typeof schema !== 'object' || schema === null) return []
  const { $ref, items, allOf, anyOf, oneOf } = schema as Record<string, unknown>
  const name = schemaNameOf($ref)
  return [...(name === undefined ? [] : [name]), ...[items, allOf, anyOf, oneOf].flatMap(namesIn)]
}

/** Whether a schema has a keyword, or one that applies to the same value has it, as `SchemaRewriter` reads them. */
function carries({ components }: ContractDocument, schema: unknown, keyword: Marked): boolean {
  if (!isSchema(schema)) return false
  const schemas = components?.schemas ?? {}
  return keyword === 'default'
    ? new SchemaRewriter(schemas, 'request').defaultOf(schema) !== undefined
    : inPlace(schema, schemas).some((each) => each[keyword] === true)
}

/**
 * The properties of a schema, and the type of those that it does not name. TypeScript wants an index to hold for the
 * properties that have a name, too.
 */
function withIndex(schema: Record<string, unknown>, properties: Record<string, unknown>): unknown {
  const { additionalProperties: others, ...rest } = schema
  const named = Object.values(properties).filter(isSchema)
  if (named.length > 0) rest['properties'] = properties
  if (named.length === 0 || !isSchema(others)) return { ...schema, ...rest }
  return { ...rest, additionalProperties: { anyOf: [others, ...named] } }
}

/** The document without the ids of webhooks' operations: openapi-typescript lists each operation with an id. */
function withoutWebhookIds({ webhooks, ...document }: ContractDocument): Record<string, unknown> {
  const withoutId = (member: unknown, name: string) => {
    if (!isSchema(member) || !contractMethods.some((method) => method === name)) return member
    const { operationId: _, ...operation } = member
    return operation
  }
  return { ...document, ...(webhooks ? { webhooks: mapValues(webhooks, (item) => mapValues(item, withoutId)) } : {}) }
}

/** Null as a type, and an int64 without the values that it may have: openapi-typescript would write them as numbers. */
function withoutLiterals(schema: Record<string, unknown>): Record<string, unknown> {
  const { enum: listed, const: only, ...others } = schema
  if (only === null) return { ...others, type: 'null' }
  const isInt64 = schema['format'] === 'int64' && [schema['type']].flat().includes('integer')
  return isInt64 && (listed ?? only) !== undefined ? others : schema
}

/** Integers that a double does not hold, as text, so that they keep their digits. */
function withoutBigInts(node: unknown): unknown {
  if (typeof node === 'bigint') return String(node)
  if (Array.isArray(node)) return node.map(withoutBigInts)
  return isSchema(node) ? mapValues(node, withoutBigInts) : node
}

function mapValues(object: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (!isSchema(object)) return object
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member, name)]))
}
