import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/**
 * Writes the contract as TypeScript types, `format: int64` as bigint.
 *
 * This is the only file that knows openapi-typescript, so that another generator can take its place.
 *
 * @param source the contract, as YAML or JSON text
 * @see https://openapi-ts.dev/node
 */
export async function writeTypes(source: string): Promise<string> {
  const nodes = await openapiTS(source, {
    alphabetize: true,
    silent: true,
    transform: (schema) => (schema.format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined),
  })
  return astToString(nodes)
}
