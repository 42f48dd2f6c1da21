import { find } from '../../json/pointer.ts'

/** Follows the references of an object of OpenAPI, which lead to one of its own kind. */
export function resolve<Node>(document: unknown, node: Node): Node {
  // The checks of the structure say which members an object must have.
  const reference = (node as { $ref?: unknown } | undefined)?.$ref
  return typeof reference === 'string' ? resolve(document, find(document, reference) as Node) : node
}
