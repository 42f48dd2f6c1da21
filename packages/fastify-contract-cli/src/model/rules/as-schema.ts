import type { Schema, Subschema } from 'fastify-contract/schema'
import type { Node } from '../yaml/node.ts'

/** Reads a schema before its structure is checked. What is done with it may throw, and runs within `attempt`. */
export function asSchema(node: Node): Schema
export function asSchema(value: unknown): Subschema
export function asSchema(value: unknown): unknown {
  return value
}
