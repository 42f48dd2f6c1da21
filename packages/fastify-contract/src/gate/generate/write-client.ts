import type { ContractDocument, ContractOperation } from '../../document/document.ts'
import { type Int64Schema, createInt64Schemas } from './int64-schemas.ts'

/**
 * Writes the operation table of the client: method, path, array parameters, media types, and the int64 values of JSON
 * bodies.
 *
 * @param document the contract, for its references
 * @param operations the operations of the contract
 */
export function writeClient(document: ContractDocument, operations: ContractOperation[]): string {
  const { of, referred } = createInt64Schemas(document)
  const table = literal(operations.map((operation): [string, unknown] => [operation.id, describe(operation, of)]))
  return [
    "import type { ClientOperation, Int64Schema } from 'fastify-contract/client'",
    '',
    '/** The schemas with an int64 that others refer to. */',
    `export const int64Schemas: Record<string, Int64Schema> = ${literal(referred())}`,
    '',
    '/** The operations of the contract, by operationId. */',
    `export const clientOperations = ${table} as const satisfies Record<string, ClientOperation>`,
    '',
  ].join('\n')
}

function describe(
  { method, path, parameters, security, object }: ContractOperation,
  int64Schema: (schema: unknown) => Int64Schema,
) {
  const commaSeparated = parameters.filter((each) => each.in === 'query' && each.explode === false)
  const [contentType] = Object.keys(object.requestBody?.content ?? {})
  const isPublic = security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0)
  const replies = Object.entries(object.responses).map(([status, { content }]) => {
    const media = Object.entries(content ?? {}).map(([type, { schema }]) => [type, int64Schema(schema)] as const)
    return [status, Object.fromEntries(media)] as const
  })
  return {
    method: method.toUpperCase(),
    path,
    ...(commaSeparated.length === 0 ? {} : { commaSeparated: commaSeparated.map(({ name }) => name) }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(isPublic ? { isPublic } : {}),
    replies: Object.fromEntries(replies),
  }
}

/** Writes an object with one entry on each line, sorted by name. */
function literal(entries: [string, unknown][]): string {
  const lines = entries.map(([name, value]) => `  ${keyOf(name)}: ${valueOf(value)},\n`)
  return lines.length === 0 ? '{}' : `{\n${lines.sort().join('')}}`
}

function valueOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueOf).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${keyOf(name)}: ${valueOf(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function keyOf(name: string): string {
  // In an object literal `__proto__:` sets the prototype.
  if (name === '__proto__') return '["__proto__"]'
  return /^(?:[A-Za-z_][A-Za-z0-9_]*|[1-9][0-9]{0,8})$/.test(name) ? name : JSON.stringify(name)
}
