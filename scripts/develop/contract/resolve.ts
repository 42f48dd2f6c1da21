import { find } from '../../../src/json/pointer.ts'

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
