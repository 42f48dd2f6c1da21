import { type GlobalContext, type OpenAPI3, astToString, resolveRef } from 'openapi-typescript'
import { transformSchema, transformSchemaObject, tsIntersection, tsIsPrimitive } from 'openapi-typescript'
import ts from 'typescript'
import type { ContractDocument, ContractOperation } from '../../document/document.ts'
import { callerKindOf } from '../../document/security.ts'
import type { Schema } from '../../schema/schema-parts.ts'
import { type Mark, type Note, note, prepareForTypes } from './prepare-for-types.ts'

/**
 * Writes the contract as TypeScript types, `format: int64` as bigint. A property with `default`, `readOnly` or
 * `writeOnly` is marked, because what it means depends on the message that it stands in. `callers` says by operationId
 * whether requests have a caller.
 *
 * This is the only file that knows openapi-typescript, so that another generator can take its place.
 *
 * @see https://openapi-ts.dev/node
 */
export function writeTypes(document: ContractDocument, operations: ContractOperation[]): string {
  const prepared = prepareForTypes(document)
  const { marks } = prepared
  // The checks of this project have found it to be one.
  const source = prepared.source as OpenAPI3
  const context: Partial<GlobalContext> = {
    alphabetize: true,
    // Each alternative has a const or an enum. openapi-typescript would replace it by the names of `mapping`.
    discriminators: { objects: {}, refsHandled: [] },
    emptyObjectsUnknown: true,
    injectFooter: [],
    resolve: ($ref) => resolveRef(source, $ref, { silent: true }),
    // A key that is no text is in no type of openapi-typescript.
    transform: (schema, options) => typeOf(schema as Schema & { [note]?: Note }, options),
    // No default of an `anyOf` or a `oneOf` is applied.
    postTransform: (type, { path = '' }) =>
      marks.has('$Default') && /\/(?:anyOf|oneOf)\/\d+$/.test(path) && !tsIsPrimitive(type)
        ? marked('$Choice', type)
        : undefined,
  }
  // Its default export would lint and bundle the contract once more. The options that are left out are off.
  const nodes = transformSchema(source, context as GlobalContext)
  const types = astToString(nodes)
  const declarations = [...marks, '$Choice']
    .filter((mark) => types.includes(`${mark}<`))
    .map((mark) => `export type ${mark}<T> = { readonly ${mark.toLowerCase()}: T };\n`)
  return [...declarations, types, writeCallers(operations)].join('')
}

/** Writes what openapi-typescript leaves out of the contract's security. */
function writeCallers(operations: ContractOperation[]): string {
  const members = operations
    .map(({ id, security }) => `    ${JSON.stringify(id)}: "${callerKindOf(security)}";\n`)
    .sort()
  const comment = '/** Whether the requests of an operation have a caller. */'
  return `${comment}\nexport interface callers {\n${members.join('')}}\n`
}

type Transformed = Parameters<typeof transformSchemaObject>[0]
type Options = Parameters<typeof transformSchemaObject>[1]

/** The type of a schema where it is not the one that openapi-typescript gives it. */
function typeOf(schema: Schema & { [note]?: Note }, options: Options): ts.TypeNode | undefined {
  const { type, format, [note]: noted } = schema
  if (noted !== undefined) {
    // The contract was checked.
    const inner = transformSchemaObject(noted.content as Transformed, options)
    return tsIntersection(noted.marks.map((mark) => marked(mark, inner)))
  }
  if (type === 'integer' && format === 'int64') return ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
  return undefined
}

function marked(mark: Mark | '$Choice', type: ts.TypeNode): ts.TypeNode {
  return ts.factory.createTypeReferenceNode(mark, [type])
}
