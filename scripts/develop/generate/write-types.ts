import openapiTS, { type OpenAPI3, astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { ContractDocument, ContractOperation } from '../../../src/contract/document.ts'
import { callerKindOf } from '../../../src/contract/security.ts'

/**
 * Writes the contract as TypeScript types, `format: int64` as bigint, and `callers` by operationId.
 *
 * This is the only file that knows openapi-typescript, so that another generator can take its place.
 *
 * @see https://openapi-ts.dev/node
 */
export async function writeTypes(document: ContractDocument, operations: ContractOperation[]): Promise<string> {
  const nodes = await openapiTS(withoutBigInts(document) as OpenAPI3, {
    alphabetize: true,
    silent: true,
    transform: (schema) =>
      schema.format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  })
  return `${astToString(nodes)}${writeCallers(operations)}`
}

/** Writes what openapi-typescript leaves out of the contract's security. */
function writeCallers(operations: ContractOperation[]): string {
  const members = operations.map(({ id, security }) => `    ${id}: "${callerKindOf(security)}";\n`).sort()
  return `/** Whether the requests of an operation have a caller. */\nexport interface callers {\n${members.join('')}}\n`
}

/**
 * Integers that a double does not hold, as text: the types have them in comments only, and there they keep their
 * digits.
 */
function withoutBigInts(node: unknown): unknown {
  if (typeof node === 'bigint') return String(node)
  if (Array.isArray(node)) return node.map(withoutBigInts)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, withoutBigInts(member)]))
}
