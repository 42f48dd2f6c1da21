import { BrokenReference, lookUp } from 'fastify-contract/json'
import { isSchema } from 'fastify-contract/schema'

/** An object, or the one at the end of its references; undefined if there is none, or a reference cannot be read. */
export function resolvedIn(document: object, object: unknown): Record<string, unknown> | undefined {
  const { end } = follow(document, object)
  return isSchema(end) ? end : undefined
}

/** Follows the references of an object. @returns what is at their end, or why there is nothing */
export function follow(document: object, object: unknown): { end?: unknown; problem?: string } {
  const met = new Set<unknown>()
  let end = object
  while (isSchema(end) && typeof end['$ref'] === 'string') {
    const { $ref: reference } = end
    if (met.has(end)) return { problem: 'the reference leads back to itself; refer to an object' }
    met.add(end)
    try {
      end = lookUp(document, reference)
    } catch (error) {
      if (!(error instanceof BrokenReference)) throw error
      return { problem: `${error.message}; write % as %25` }
    }
    if (end === undefined) return { problem: `the reference ${reference} leads to nothing; correct the name` }
  }
  return { end }
}
