import type { Subschema } from 'fastify-contract/schema'

/** Reads a schema before its structure is checked. What is done with it may throw, and runs within `attempt`. */
export function asSchema(value: unknown): Subschema {
  return value as Subschema
}
