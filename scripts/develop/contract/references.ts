import { type ContractDocument, replaceReferences } from '../../../src/contract/document.ts'
import { find, unescapeName } from '../../../src/json/pointer.ts'

/** The names of a JSON pointer in a URI fragment, such as `#/paths/~1plants/get` (RFC 6901, section 6). */
export function namesOf(pointer: string): string[] {
  return pointer
    .replace(/^#?\/?/, '')
    .split('/')
    .map(unescapeName)
}

/** The value at a JSON pointer of a document; undefined where there is none. */
export function follow(document: unknown, pointer: string): unknown {
  return namesOf(pointer).reduce(memberOf, document)
}

/** A member of an object or an array; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  // An object has string keys, and an array's indices are strings, too.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** Members whose own members have names that the contract's author chose. */
export const maps: readonly string[] = [
  '$defs',
  'callbacks',
  'content',
  'dependentSchemas',
  'headers',
  'parameters',
  'pathItems',
  'paths',
  'patternProperties',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
  'securitySchemes',
  'webhooks',
]

/**
 * Follows the references of an object that is not a schema to the object that they lead to. An extension can be null,
 * which has no members.
 */
export function resolve<Node>(document: unknown, node: Node, seen = new Set<string>()): Node {
  // The checks of the structure say which members an object must have.
  if (node === null) return {} as Node
  const reference = (node as { $ref?: unknown } | undefined)?.$ref
  if (typeof reference !== 'string') return node
  if (seen.has(reference)) throw new Error(`the reference ${reference} leads back to itself`)
  seen.add(reference)
  // An object of OpenAPI refers to one of its own kind.
  return resolve(document, find(document, reference) as Node, seen)
}

/**
 * Replaces every local reference by what it refers to, schemas too. A schema that contains itself keeps the reference
 * that leads back.
 *
 * @returns a document in which equal references are one shared object
 */
export function inlineReferences(document: unknown): ContractDocument {
  return replaceReferences(document, {
    standIn: ({ $ref: _reference, ...siblings }, resolve, copy) => {
      const target = resolve()
      const described = Object.keys(siblings).filter((name) => name !== 'description' && name !== 'summary')
      // OpenAPI lets a reference carry a description of its own; JSON Schema 2020-12 lets it carry more assertions.
      return described.length === 0 ? target : { allOf: [target, copy(siblings)] }
    },
    leadingBack: (reference) => ({ $ref: reference }),
  })
}
