import type { ContractDocument, ContractOperation } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { alternativesOf, requiredSchemesOf } from 'fastify-contract/security'
import { type GlobalContext, type OpenAPI3, astToString, resolveRef } from 'openapi-typescript'
import { transformSchema, transformSchemaObject, tsIntersection, tsIsPrimitive } from 'openapi-typescript'
import ts from 'typescript'
import { type Mark, type Note, note, prepareForTypes } from './prepare-for-types.ts'

/**
 * Writes the contract as TypeScript types, `format: int64` as bigint. Properties with `default`, `readOnly` or `writeOnly`
 * are marked, because their meaning depends on the message.
 *
 * Only this file uses openapi-typescript, so that another generator could replace it.
 *
 * @see https://openapi-ts.dev/node
 */
export function writeTypes(document: ContractDocument, operations: ContractOperation[]): string {
  const prepared = prepareForTypes(document)
  const { marks } = prepared
  // A checked contract.
  const source = prepared.source as OpenAPI3
  const context: Partial<GlobalContext> = {
    alphabetize: true,
    // openapi-typescript would replace constants by the names of `mapping`.
    discriminators: { objects: {}, refsHandled: [] },
    emptyObjectsUnknown: true,
    injectFooter: [],
    resolve: ($ref) => resolveRef(source, $ref, { silent: true }),
    // The types of openapi-typescript have no symbol keys.
    transform: (schema, options) => typeOf(schema as Schema & { [note]?: Note }, options),
    // Defaults within `anyOf` and `oneOf` are not applied.
    postTransform: (type, { path = '' }) =>
      marks.has('$Default') && /\/(?:anyOf|oneOf)\/\d+$/.test(path) && !tsIsPrimitive(type)
        ? marked('$Choice', type)
        : undefined,
  }
  // The default export would lint and bundle the contract again. Omitted options are off.
  const nodes = transformSchema(source, context as GlobalContext)
  const types = astToString(nodes)
  const declarations = [...marks, '$Choice', '$Binary']
    .filter((mark) => types.includes(`${mark}<`))
    .map((mark) => `export type ${mark}<T> = { readonly ${mark.toLowerCase()}: T };\n`)
  return [...declarations, types, writeSecurity(document, operations)].join('')
}

/** Writes the contract's security, which openapi-typescript omits. */
function writeSecurity(document: ContractDocument, operations: ContractOperation[]): string {
  const schemes = [...requiredSchemesOf(document, operations)].map(([name, { kind, asksForScopes }]) => {
    const credentials = kind === 'basic' ? '{ user: string; password: string }' : 'string'
    return `    ${JSON.stringify(name)}: { credentials: ${credentials}; scopes: ${String(asksForScopes)} };\n`
  })
  const alternatives = operations.map((operation) => {
    const lists = alternativesOf(operation).map((required) => JSON.stringify(required.map(({ scheme }) => scheme)))
    return `    ${JSON.stringify(operation.id)}: ${[...new Set(lists)].join(' | ') || '[]'};\n`
  })
  return `/** The credentials of each security scheme, and whether an operation asks for scopes. */
export interface schemes {
${schemes.sort().join('')}}
/** The alternatives of the security of each operation. */
export interface security {
${alternatives.sort().join('')}}
`
}

type Transformed = Parameters<typeof transformSchemaObject>[0]
type Options = Parameters<typeof transformSchemaObject>[1]

/** The type of a schema, if it differs from that of openapi-typescript. */
function typeOf(schema: Schema & { [note]?: Note }, options: Options): ts.TypeNode | undefined {
  const { type, format, [note]: noted } = schema
  if (noted !== undefined) {
    // The contract was checked.
    const inner = transformSchemaObject(noted.content as Transformed, options)
    return tsIntersection(noted.marks.map((mark) => marked(mark, inner)))
  }
  if (type === 'string' && format === 'binary') {
    return marked('$Binary', ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword))
  }
  if (type === 'integer' && format === 'int64') return ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
  return undefined
}

function marked(mark: Mark | '$Choice' | '$Binary', type: ts.TypeNode): ts.TypeNode {
  return ts.factory.createTypeReferenceNode(mark, [type])
}
