import openapiTS, { type OpenAPI3, astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { ContractDocument } from '../../../src/contract/document.ts'

/**
 * Writes the contract as TypeScript types, `format: int64` as bigint.
 *
 * This is the only file that knows openapi-typescript, so that another generator can take its place.
 *
 * @see https://openapi-ts.dev/node
 */
export async function writeTypes(document: ContractDocument): Promise<string> {
  const nodes = await openapiTS(withoutBigInts(document) as OpenAPI3, {
    alphabetize: true,
    silent: true,
    transform: (schema) =>
      schema.format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  })
  return astToString(nodes)
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
