import { type ContractDocument, isJson, maps } from 'fastify-contract/document'
import { find } from 'fastify-contract/json'
import { inPlace, isSchema } from 'fastify-contract/schema'

/** The marker types of properties with these keywords. `types/message-types.ts` interprets them. */
export type Mark = (typeof markOf)[Marked]

type Marked = keyof typeof markOf

const markOf = { default: '$Default', readOnly: '$Read', writeOnly: '$Write' } as const

/** Members that are values rather than schemas. */
const values: readonly string[] = ['const', 'default', 'enum', 'example', 'examples', 'required']

/** The members that openapi-typescript writes to the comment of a property. */
const commented: readonly string[] = ['default', 'deprecated', 'description', 'example', 'summary', 'title']

/** Disables `@ts-expect-error` and `@ts-ignore`, which the compiler obeys in comments. */
function withoutDirectives(text: string): string {
  return text.replaceAll('@ts-', '@\u200bts-')
}

/** The key of a note. A symbol, because a contract may have any name. */
export const note = Symbol('note')

/** An instruction that openapi-typescript does not know. */
export interface Note {
  /** The marks of a property or a parameter. */
  marks: Mark[]
  /** The schema that is marked. */
  content: Record<string, unknown>
}

/**
 * Prepares a contract for openapi-typescript, with notes for what it does not know. Integers beyond a double become text,
 * because types have them only in comments.
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
        // What only documents the contract is not checked.
        if (/^(?:description|summary|title)$/.test(name)) return [name, undefined]
        // openapi-typescript takes every alternative as an object.
        if (/^(?:all|any|one)Of$/.test(name) && Array.isArray(member))
          return [name, member.map((each: unknown) => copy(typeof each === 'boolean' ? {} : each))]
        if (!maps.includes(name) || !isSchema(member)) return [name, copy(member)]
        return [name, mapValues(member, name === 'headers' ? copyHeader : copy)]
      }),
    )
    const { in: place, properties, schema, content } = object
    // openapi-typescript takes a parameter with `content` as a string.
    if (typeof place === 'string' && isSchema(content)) {
      const json = Object.entries(content).find(([type]) => isJson(type))?.[1]
      return { ...object, content: undefined, schema: isSchema(json) ? (json['schema'] ?? {}) : { type: 'string' } }
    }
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

  /** Copies the target of a reference to an optional header: openapi-typescript takes referenced headers as required. */
  function copyHeader(header: unknown): unknown {
    if (!isSchema(header) || typeof header['$ref'] !== 'string') return copy(header)
    const target = copyHeader(find(document, header['$ref']))
    const isOptional = isSchema(target) && target['$ref'] === undefined && target['required'] !== true
    return isOptional ? { schema: target['schema'] } : header
  }

  /** @param written the schema of the contract */
  function mark(schema: unknown, written: unknown, asked: readonly Marked[]): unknown {
    const borne = asked.filter((keyword) => carries(document, written, keyword)).map((keyword) => markOf[keyword])
    if (borne.length === 0 || !isSchema(schema)) return schema
    for (const each of borne) marks.add(each)
    const comments = Object.fromEntries(Object.entries(schema).filter(([name]) => commented.includes(name)))
    // With a type, openapi-typescript calls `transform`.
    return { ...comments, type: 'object', [note]: { marks: borne, content: schema } satisfies Note }
  }

  // A server receives no webhooks, and openapi-typescript would list them among the operations.
  const { webhooks: _, ...served } = document
  return { source: copy(served), marks }
}

/** Whether a schema has a keyword, also through schemas for the same value. Defaults of alternatives are not applied. */
function carries({ components }: ContractDocument, schema: unknown, keyword: Marked): boolean {
  if (!isSchema(schema)) return false
  const schemas = components?.schemas ?? {}
  return keyword === 'default'
    ? inPlace(schema, schemas, 'always').some((each) => each['default'] !== undefined)
    : inPlace(schema, schemas).some((each) => each[keyword] === true)
}

/**
 * Combines the properties of a schema with `additionalProperties`. In TypeScript an index must also fit the named
 * properties.
 */
function withIndex(schema: Record<string, unknown>, properties: Record<string, unknown>): unknown {
  const { additionalProperties: others, ...rest } = schema
  const named = Object.values(properties).filter(isSchema)
  if (named.length > 0) rest['properties'] = properties
  if (named.length === 0 || !isSchema(others)) return { ...schema, ...rest }
  return { ...rest, additionalProperties: { anyOf: [others, ...named] } }
}

/** Replaces `const: null` by a type, and drops the constants of an int64, which would become numbers. */
function withoutLiterals(schema: Record<string, unknown>): Record<string, unknown> {
  const { enum: listed, const: only, ...others } = schema
  if (only === null) return { ...others, type: 'null' }
  const isInt64 = schema['format'] === 'int64' && [schema['type']].flat().includes('integer')
  return isInt64 && (listed ?? only) !== undefined ? others : schema
}

/** Converts bigints to text, which keeps their digits. */
function withoutBigInts(node: unknown): unknown {
  if (typeof node === 'bigint') return String(node)
  if (Array.isArray(node)) return node.map(withoutBigInts)
  return isSchema(node) ? mapValues(node, withoutBigInts) : node
}

function mapValues(object: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (!isSchema(object)) return object
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member, name)]))
}
