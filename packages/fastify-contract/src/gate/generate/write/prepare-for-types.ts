import { type ContractDocument, contractMethods, maps } from '../../../document/document.ts'
import { SchemaRewriter } from '../../../schema/rewrite-schema.ts'
import { inPlace, schemaNameOf } from '../../../schema/schema-parts.ts'

/** The types around the type of a property that has one of the words. `src/client/message-types.ts` reads them. */
export type Mark = (typeof markOf)[Word]

type Word = (typeof words)[number]

const words = ['default', 'readOnly', 'writeOnly'] as const

const markOf = { default: '$Default', readOnly: '$Read', writeOnly: '$Write' } as const

/** Members that hold values and no schemas. */
const values: readonly string[] = ['const', 'default', 'enum', 'example', 'examples', 'required']

/** What openapi-typescript writes into the comment of a property. */
const commented: readonly string[] = ['default', 'deprecated', 'description', 'example', 'summary', 'title']

/** A comment that begins with `@ts-expect-error` or `@ts-ignore` speaks to the compiler. */
export function withoutDirectives(text: string): string {
  return text.replaceAll('@ts-', '@\u200bts-')
}

/** The key of a note. No document has it: a word, such as an extension, would be one that an author can write. */
export const note = Symbol('note')

/** What is to be written for a schema, where openapi-typescript would write something else. */
export interface Note {
  /** The name of a schema that contains itself. */
  alias?: string
  /** The marks of a property or a parameter. */
  marks?: Mark[]
  /** What is marked, or declared under the name. */
  content?: Record<string, unknown>
  /** The values of an `enum` or a `const` of int64, as digits. */
  integers?: string[]
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
    if (!isObject(node)) return withoutBigInts(node)
    const name = schemaNameOf(node['$ref'])
    if (name !== undefined && aliased.has(name)) return noted({ alias: name })
    const { [note]: ofIntegers, ...members } = withIntegers(node)
    const object = Object.fromEntries(
      Object.entries(members).map(([name, member]) => {
        if (name.startsWith('x-') || values.includes(name)) return [name, withoutBigInts(member)]
        if (typeof member === 'string' && commented.includes(name)) return [name, withoutDirectives(member)]
        return [name, maps.includes(name) && isObject(member) ? mapValues(member, copy) : copy(member)]
      }),
    )
    if (ofIntegers !== undefined) return { ...object, ...noted(ofIntegers, 'integer') }
    const { in: place, properties, schema } = object
    if (typeof place === 'string' && isObject(schema)) {
      return { ...object, schema: mark(schema, node['schema'], ['default']) }
    }
    const written = node['properties']
    if (!isObject(properties) || !isObject(written)) return withIndex(object, {})
    const marked = Object.entries(properties).map(([name, property]) => [name, mark(property, written[name], words)])
    return withIndex(object, Object.fromEntries(marked) as Record<string, unknown>)
  }

  /** @param written the schema as the contract has it */
  function mark(schema: unknown, written: unknown, asked: readonly Word[]): unknown {
    const borne = asked.filter((word) => carries(document, written, word)).map((word) => markOf[word])
    if (borne.length === 0 || !isObject(schema)) return schema
    for (const each of borne) marks.add(each)
    const comments = Object.fromEntries(Object.entries(schema).filter(([name]) => commented.includes(name)))
    return { ...comments, ...noted({ marks: borne, content: schema }) }
  }

  const source = copy(withServedOperations(document)) as ContractDocument
  const schemas = mapValues(source.components?.schemas, (schema, name) =>
    aliased.has(name) && isObject(schema) ? noted({ alias: name, content: schema }) : schema,
  )
  return { source: aliased.size === 0 ? source : { ...source, components: { ...source.components, schemas } }, marks }
}

interface Noted extends Record<string, unknown> {
  [note]?: Note
}

/** A schema with a note. Its type makes openapi-typescript ask how it is to be written. */
function noted(content: Note, type = 'object'): Noted {
  return { type, [note]: content }
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
  const { $ref, items, prefixItems, allOf, anyOf, oneOf } = schema as Record<string, unknown>
  const name = schemaNameOf($ref)
  return [...(name === undefined ? [] : [name]), ...[items, prefixItems, allOf, anyOf, oneOf].flatMap(namesIn)]
}

/** Whether a schema has a word, or one that applies to the same value has it, as `SchemaRewriter` reads them. */
function carries({ components }: ContractDocument, schema: unknown, word: Word): boolean {
  if (!isObject(schema)) return false
  const schemas = components?.schemas ?? {}
  return word === 'default'
    ? new SchemaRewriter(schemas, 'request').defaultOf(schema) !== undefined
    : inPlace(schema, schemas).some((each) => each[word] === true)
}

/**
 * The properties of a schema, and the type of those that it does not name. TypeScript wants an index to hold for the
 * properties that have a name, too.
 */
function withIndex(schema: Record<string, unknown>, properties: Record<string, unknown>): unknown {
  const { additionalProperties: others, patternProperties, unevaluatedProperties, ...rest } = schema
  const named = Object.values(properties).filter(isObject)
  const index = [others, ...(isObject(patternProperties) ? Object.values(patternProperties) : [])].filter(isObject)
  if (named.length > 0) rest['properties'] = properties
  if (others === undefined && unevaluatedProperties !== undefined && unevaluatedProperties !== false) {
    return { ...rest, additionalProperties: true }
  }
  if (named.length === 0 || index.length === 0 || others === true) return { ...schema, ...rest }
  return { ...rest, additionalProperties: { anyOf: [...index, ...named] } }
}

/** The document without the ids of operations that no path has: openapi-typescript lists each operation with an id. */
function withServedOperations(document: ContractDocument): Record<string, unknown> {
  const { webhooks, components, paths } = document
  const referred = Object.values(paths ?? {}).map((item) => (item as { $ref?: unknown }).$ref)
  const pathItems = mapValues(components?.['pathItems'], (item, name) =>
    referred.includes(`#/components/pathItems/${name}`) ? item : withoutIds(item),
  )
  return {
    ...document,
    ...(isObject(webhooks) ? { webhooks: mapValues(webhooks, withoutIds) } : {}),
    ...(isObject(components) ? { components: { ...components, pathItems } } : {}),
  }
}

function withoutIds(item: unknown): unknown {
  return mapValues(item, (member, name) => {
    if (!isObject(member) || !contractMethods.some((method) => method === name)) return member
    const { operationId: _, ...operation } = member
    return operation
  })
}

/** The values of an int64 as digits, and null as a type; the schema as it is where it lists none. */
function withIntegers(schema: Noted): Noted {
  const { type, format, enum: listed, const: only, ...others } = schema
  if (only === null) return { ...others, type: 'null' }
  if (format !== 'int64' || (listed === undefined && only === undefined)) return schema
  const members = Array.isArray(listed) ? (listed as unknown[]) : [only]
  const types = [type].flat()
  const digits = members.filter((member) => typeof member === 'bigint' || Number.isInteger(member)).map(String)
  const integer = { ...others, ...noted({ integers: digits }, 'integer') }
  if (!types.includes('integer')) return schema
  const rest = members.filter((member) => typeof member !== 'bigint' && !Number.isInteger(member))
  return rest.length === 0 ? integer : { anyOf: [integer, { enum: rest }] }
}

/** Integers that a double does not hold, as text, so that they keep their digits. */
function withoutBigInts(node: unknown): unknown {
  if (typeof node === 'bigint') return String(node)
  if (Array.isArray(node)) return node.map(withoutBigInts)
  return isObject(node) ? mapValues(node, withoutBigInts) : node
}

function mapValues(object: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (!isObject(object)) return object
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member, name)]))
}

function isObject(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && !Array.isArray(node)
}
