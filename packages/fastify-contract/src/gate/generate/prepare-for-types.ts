import { type ContractDocument, maps } from '../../document/document.ts'
import { SchemaRewriter } from '../../schema/rewrite-schema.ts'
import { inPlace, isSchema } from '../../schema/schema-parts.ts'

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
  /** The marks of a property or a parameter. */
  marks: Mark[]
  /** The schema that is marked. */
  content: Record<string, unknown>
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

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy)
    if (!isSchema(node)) return withoutBigInts(node)
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
    // The type makes openapi-typescript ask how the schema is written.
    return { ...comments, type: 'object', [note]: { marks: borne, content: schema } satisfies Note }
  }

  // This service calls nobody, and openapi-typescript would list the webhooks among the operations.
  const { webhooks: _, ...served } = document
  return { source: copy(served), marks }
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
