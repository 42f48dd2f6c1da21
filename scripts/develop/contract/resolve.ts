import { find } from '../../../src/json/pointer.ts'

/** Follows the references of an object that is not a schema to the object that they lead to. */
export function resolve<Node>(document: unknown, node: Node, seen = new Set<string>()): Node {
  const { $ref: reference } = (node ?? {}) as { $ref?: unknown }
  if (typeof reference !== 'string') return node
  if (seen.has(reference)) throw new Error(`the reference ${reference} leads back to itself`)
  seen.add(reference)
  // An object of OpenAPI refers to one of its own kind.
  return resolve(document, find(document, reference) as Node, seen)
}
