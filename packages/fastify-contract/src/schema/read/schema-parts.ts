import { isObject } from '../../json/json.ts'
import { unescapeName } from '../../json/pointer.ts'
import type { ApplicatorName, Applies, Keywords, NameOf, NamedSchemas, Schema, Subschema } from './schema.ts'
import { applicatorOf, isApplicator, keywordNames, keywordOf } from './schema.ts'

/** The start of every reference to a named schema. */
export const schemasPointer = '#/components/schemas/'

/** The name in a reference to a named schema; undefined for any other reference. */
export function schemaNameOf(reference: unknown): string | undefined {
  if (typeof reference !== 'string' || !reference.startsWith(schemasPointer)) return undefined
  const name = reference.slice(schemasPointer.length)
  return name.includes('/') ? undefined : unescapeName(decodeURIComponent(name))
}

/** The target of a keyword's subschemas; undefined if it has none. */
export function appliesTo(keyword: string): Applies | undefined {
  return isApplicator(keyword) ? applicatorOf(keyword).applies : undefined
}

/** Whether a keyword asserts nothing. */
export function isAnnotation(keyword: string): boolean {
  return keywordOf(keyword)?.is === 'annotation' || keyword.startsWith('x-')
}

const dataNames: readonly string[] = keywordNames({ isData: true })

/** Whether the value of a keyword is data, in which nothing is a schema. */
export function isData(keyword: string): boolean {
  return dataNames.includes(keyword) || keyword.startsWith('x-')
}

export function withoutAnnotations(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword)))
}

/**
 * Copies a schema and replaces its direct subschemas.
 *
 * @param replace receives a subschema, its target, its keyword, and its name or index in a map or list
 */
export function withSubschemas<Part>(
  schema: Schema,
  replace: (subschema: Subschema, applies: Applies, keyword: ApplicatorName, name: string) => Part,
): Keywords<Part> {
  const copied = Object.entries<unknown>({ ...schema }).map(([keyword, value]): [string, unknown] => {
    if (!isApplicator(keyword)) return [keyword, value]
    const { applies, holds } = applicatorOf(keyword)
    const parts = heldBy(schema, keyword).map(([name, each]) => [name, replace(each, applies, keyword, name)] as const)
    if (holds === 'a map') return [keyword, Object.fromEntries(parts)]
    const list = parts.map(([, part]) => part)
    return [keyword, holds === 'one' ? list[0] : list]
  })
  return Object.fromEntries(copied)
}

/** The subschemas of a keyword, by their names or indices. */
function heldBy(schema: Schema, keyword: ApplicatorName): (readonly [name: string, subschema: Subschema])[] {
  if (!isAlone(keyword)) return Object.entries(schema[keyword] ?? {})
  const { [keyword]: subschema } = schema
  return subschema === undefined ? [] : [['', subschema]]
}

function isAlone(keyword: ApplicatorName): keyword is NameOf<{ holds: 'one' }> {
  return applicatorOf(keyword).holds === 'one'
}

/** A direct subschema, and its keyword. */
export interface Part {
  keyword: ApplicatorName
  applies: Applies
  /** Whether a value that does not match it may be valid, or one that does may be invalid. */
  isTest: boolean
  schema: Schema
}

/** Lists the direct subschemas of a schema. */
export function subschemasOf(schema: Schema): Part[] {
  return Object.keys(schema)
    .filter(isApplicator)
    .flatMap((keyword) => {
      const { applies, isTest = false } = applicatorOf(keyword)
      const parts = heldBy(schema, keyword).map(([, part]) => part)
      return parts.filter(isSchema).map((part) => ({ keyword, applies, isTest, schema: part }))
    })
}

/** Whether a schema is an object rather than `true` or `false`. */
export function isSchema(member: Subschema | undefined): member is Schema
export function isSchema(member: unknown): member is Record<string, unknown>
export function isSchema(member: unknown): boolean {
  return isObject(member)
}

const always = keywordNames({ describes: 'always' })
/** The keywords whose subschemas describe the same value, always or sometimes. */
const compositions = { always, sometimes: [...always, ...keywordNames({ describes: 'sometimes' })] }

/**
 * Lists a schema and every schema that describes the same value, through references and compositions. `true` and `false`
 * have none.
 *
 * @param when `always` leaves out alternatives
 */
export function inPlace(
  schema: Subschema | undefined,
  schemas: NamedSchemas,
  when: keyof typeof compositions = 'sometimes',
): Schema[] {
  const found = new Set<Schema>()
  const open = [schema].filter(isSchema)
  // Without recursion: a chain may be as long as the contract has schemas.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const of: Schema = next
    if (found.has(of)) continue
    found.add(of)
    const composed = compositions[when].flatMap((keyword) => heldBy(of, keyword).map(([, part]) => part))
    open.push(...[targetOf(of, schemas), ...composed].filter(isSchema).reverse())
  }
  return [...found]
}

/** The target of `$ref`; undefined without a reference. */
export function targetOf({ $ref: reference }: Schema, schemas: NamedSchemas): Schema | undefined {
  const name = schemaNameOf(reference)
  if (name === undefined) return undefined
  if (!Object.hasOwn(schemas, name)) throw new Error(`the reference ${String(reference)} leads to nothing`)
  const { [name]: target } = schemas
  return isSchema(target) ? target : undefined
}
