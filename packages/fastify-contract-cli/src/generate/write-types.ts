import type { ContractDocument, ContractOperation } from 'fastify-contract/document'
import { isOfBigInts } from 'fastify-contract/json'
import { type Schema, schemasPointer } from 'fastify-contract/schema'
import { alternativesOf, requiredSchemesOf } from 'fastify-contract/security'
import { ts } from './compiler.ts'
import { type GlobalContext, type OpenAPI3, astToString, resolveRef } from 'openapi-typescript'
import { transformSchema, transformSchemaObject, tsIntersection, tsLiteral, tsUnion } from 'openapi-typescript'
import type { TypeNode } from 'typescript'
import type { CheckedContract } from '../model/read-contract.ts'
import { joinMethods } from './join-methods.ts'
import { type Note, note, prepareForTypes } from './prepare-for-types.ts'

/**
 * Writes the contract as TypeScript types, integers of 64 bits as bigint. Properties with `default`, `readOnly` or `writeOnly`
 * are marked, because their meaning depends on the message.
 *
 * Only this file uses openapi-typescript, so that another generator could replace it.
 *
 * @see https://openapi-ts.dev/node
 */
export function writeTypes({
  document,
  operations,
  unsatisfiable,
}: Pick<CheckedContract, 'document' | 'operations' | 'unsatisfiable'>): string {
  const { source, marks } = prepareForTypes(document, 'handlers', unsatisfiable)
  const written = transformed(source, {
    alphabetize: true,
    emptyObjectsUnknown: true,
    transform: (schema, options) => typeOf(schema, options),
    // Defaults within `anyOf` and `oneOf` are not applied.
    postTransform: (type, { path = '' }) =>
      marks.has('$Default') && /\/(?:anyOf|oneOf)\/\d+$/.test(path) && isCompound(type)
        ? marked('$Choice', type)
        : undefined,
  })
  // An index type would let a service have any operation.
  const types = written.replace('type operations = Record<string, never>;', 'interface operations {}')
  const declarations = [...marks, '$Choice', '$Binary']
    .filter((mark) => types.includes(`${mark}<`))
    .map((mark) => `export type ${mark}<T> = { readonly ${mark.toLowerCase()}: T };\n`)
  return [...declarations, types, writeSecurity(document, operations)].join('')
}

/**
 * Writes a contract as the types that openapi-typescript writes by default, mended where it misreads OpenAPI: a `const` of
 * null, `$defs`, items of a stream, what stands beside a reference or alternatives, other properties beside named ones,
 * properties of conditions, parameters with `content`, optional headers behind a reference, tuples, `required` of what
 * another part declares, constants of discriminators.
 *
 * @param written the contract as its author wrote it, with a checked structure
 */
export function writePlainTypes(written: object): string {
  // Its structure was checked.
  const { source } = prepareForTypes(written as ContractDocument, 'plain')
  return transformed(source, {
    defaultNonNullable: true,
    transform: (schema, options) => mendedTypeOf(schema, options),
  })
}

/** @param source a checked contract. The default export would lint and bundle it again. */
function transformed(source: unknown, options: Partial<GlobalContext>): string {
  // The copy of a contract is one.
  const contract = source as OpenAPI3
  const context: Partial<GlobalContext> = {
    injectFooter: [],
    // It would replace constants by the names of schemas.
    discriminators: { objects: {}, refsHandled: [] },
    // It would require properties of schemas that may be null, or of which only alternatives have them.
    resolve: ($ref) => ($ref.startsWith(schemasPointer) ? undefined : resolveRef(contract, $ref, { silent: true })),
    ...options,
  }
  // What it does not have is off.
  const types = astToString(joinMethods(transformSchema(contract, context as GlobalContext)))
  return types.includes('WithRequired<') ? withRequired(types.includes('$Choice<')) + types : types
}

/**
 * Writes the helper type of objects that have some properties, in each of the alternatives that are objects.
 *
 * @param hasChoices whether alternatives are marked
 */
function withRequired(hasChoices: boolean): string {
  const choice = hasChoices ? 'T extends $Choice<infer C> ? T & $Choice<WithRequired<C, K>> : ' : ''
  const required = 'T & Required<Pick<T, K & keyof T>> & { [P in Exclude<K, keyof T>]: unknown }'
  const object = `T extends readonly unknown[] ? T : T extends object ? ${required} : T`
  return `type WithRequired<T, K extends string> = ${choice}${object};\n`
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

/** What is read of a schema. The types of openapi-typescript have no symbol keys. */
interface Noted extends Pick<Schema, 'format' | 'minItems' | 'maxItems'> {
  type?: string | readonly string[]
  prefixItems?: readonly unknown[]
  items?: unknown
  [note]?: Note
}

type Options = Parameters<typeof transformSchemaObject>[1]

/** The type of a schema, if it differs from that of openapi-typescript. */
function typeOf(schema: Noted, options: Options): TypeNode | undefined {
  const { type, format } = schema
  const mended = mendedTypeOf(schema, options)
  if (mended !== undefined) return mended
  if (type === 'string' && format === 'binary') {
    return marked('$Binary', ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword))
  }
  if (type === 'integer' && isOfBigInts(format)) return ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
  return undefined
}

/** The type of a schema that openapi-typescript does not know or misreads. */
function mendedTypeOf(schema: Noted, options: Options): TypeNode | undefined {
  const { [note]: noted, type, prefixItems } = schema
  if (prefixItems !== undefined && [type].flat().includes('array')) return tupleOf(schema, options)
  if (noted === undefined) return undefined
  const { marks, required = [], content } = noted
  if (content === 'object') return ts.factory.createKeywordTypeNode(ts.SyntaxKind.ObjectKeyword)
  const inner = typeOfCopy(content, options)
  if (required.length === 0) return tsIntersection(marks.map((mark) => marked(mark, inner)))
  return ts.factory.createTypeReferenceNode('WithRequired', [inner, tsUnion(required.map((name) => tsLiteral(name)))])
}

/**
 * The type of a list with `prefixItems`. openapi-typescript takes each of them as required, and leaves out the others.
 */
function tupleOf(schema: Noted, options: Options): TypeNode {
  const { type, prefixItems = [], items, minItems = 0, maxItems = Infinity } = schema
  const typeOfItem = (item: unknown) => typeOfCopy(item === true ? {} : item, options)
  const first = prefixItems.map((item, index) =>
    index < minItems ? typeOfItem(item) : ts.factory.createOptionalTypeNode(typeOfItem(item)),
  )
  const others = ts.factory.createRestTypeNode(ts.factory.createArrayTypeNode(typeOfItem(items ?? true)))
  const isClosed = items === false || maxItems <= first.length
  const tuple = ts.factory.createTupleTypeNode(isClosed ? first : [...first, others])
  const isNullable = [type].flat().includes('null')
  return isNullable
    ? ts.factory.createUnionTypeNode([tuple, ts.factory.createLiteralTypeNode(ts.factory.createNull())])
    : tuple
}

function typeOfCopy(schema: unknown, options: Options): TypeNode {
  // The contract was checked.
  return transformSchemaObject(schema as Parameters<typeof transformSchemaObject>[0], options)
}

/** Whether a type may contain others. */
function isCompound(type: TypeNode): boolean {
  return (
    ts.isTypeLiteralNode(type) ||
    ts.isIndexedAccessTypeNode(type) ||
    ts.isTypeReferenceNode(type) ||
    ts.isUnionTypeNode(type) ||
    ts.isIntersectionTypeNode(type) ||
    ts.isArrayTypeNode(type) ||
    ts.isTupleTypeNode(type)
  )
}

function marked(mark: Note['marks'][number] | '$Choice' | '$Binary', type: TypeNode): TypeNode {
  return ts.factory.createTypeReferenceNode(mark, [type])
}
