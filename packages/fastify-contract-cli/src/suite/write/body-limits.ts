import type { ContractOperation } from 'fastify-contract/document'
import { maxBytesOf } from 'fastify-contract/schema'
import { type TestedContract, declaredType, routeOf } from '../ground/contract.ts'
import { contentTypeOf } from './bodies.ts'
import { bodyParts } from './part.ts'

/** The most bytes of a body that a server takes. */
export interface BodyLimit {
  type: string
  limit: number
}

/** In bytes. Longer bodies are not sent. */
const longestSent = 16 * 1_024 * 1_024

/**
 * The known limits of an operation's bodies, by media type.
 *
 * @param bodyLimit that of the server, for bodies of which the contract does not say one
 */
export function bodyLimitsOf(
  operation: ContractOperation,
  { schemas, skippedParts }: TestedContract & { skippedParts?: Set<string> },
  bodyLimit?: number,
): BodyLimit[] {
  const parts = bodyParts(operation)
  const types = parts.map(({ type }) => type)
  return parts.flatMap(({ type, as, schema }): BodyLimit[] => {
    const limit = (as === 'bytes' ? maxBytesOf(schema, schemas) : undefined) ?? bodyLimit
    // What is sent for a range may be declared by itself.
    if (limit === undefined || declaredType(types, contentTypeOf(type)) !== type) return []
    if (limit <= longestSent) return [{ type, limit }]
    skippedParts?.add(`${routeOf(operation)}: body: none of ${String(limit)} bytes is sent`)
    return []
  })
}
