import { unescapeName } from '../json/pointer.ts'

/** A schema object of JSON Schema 2020-12. The boolean schemas `true` and `false` are not included. */
export type Schema = Record<string, unknown>

/** The start of every reference to a named schema. */
export const schemasPointer = '#/components/schemas/'

/** The name in a reference to a named schema; undefined for any other reference. */
export function schemaNameOf(reference: unknown): string | undefined {
  if (typeof reference !== 'string' || !reference.startsWith(schemasPointer)) return undefined
  const name = reference.slice(schemasPointer.length)
  return name.includes('/') ? undefined : unescapeName(decodeURIComponent(name))
}

/** The named schemas of a contract, by name. */
export type NamedSchemas = Record<string, Schema>

/** The target of a subschema: the same value as its parent, a part of that value, or the name of a property. */
export type Applies = 'to the value' | 'to a part' | 'to a name'

/** A keyword with subschemas (JSON Schema 2020-12, core, sections 10 and 11). */
interface Applicator {
  applies: Applies
  /** When they describe the same value. */
  describes?: 'always' | 'sometimes'
  /** Whether a value that does not match one may be valid, or one that does may be invalid. */
  isTest?: true
  /** Whether its value is a map of subschemas. */
  isMap?: true
}

const applicators: Readonly<Record<string, Applicator>> = {
  allOf: { applies: 'to the value', describes: 'always' },
  anyOf: { applies: 'to the value', describes: 'sometimes' },
  oneOf: { applies: 'to the value', describes: 'sometimes', isTest: true },
  not: { applies: 'to the value', isTest: true },
  if: { applies: 'to the value', describes: 'sometimes', isTest: true },
  then: { applies: 'to the value', describes: 'sometimes' },
  else: { applies: 'to the value', describes: 'sometimes' },
  dependentSchemas: { applies: 'to the value', describes: 'sometimes', isMap: true },
  prefixItems: { applies: 'to a part' },
  items: { applies: 'to a part' },
  contains: { applies: 'to a part', isTest: true },
  unevaluatedItems: { applies: 'to a part' },
  properties: { applies: 'to a part', isMap: true },
  patternProperties: { applies: 'to a part', isMap: true },
  additionalProperties: { applies: 'to a part' },
  unevaluatedProperties: { applies: 'to a part' },
  propertyNames: { applies: 'to a name' },
}

function applicatorOf(keyword: string): Applicator | undefined {
  return Object.hasOwn(applicators, keyword) ? applicators[keyword] : undefined
}

/** The target of a keyword's subschemas; undefined if it has none. */
export function appliesTo(keyword: string): Applies | undefined {
  return applicatorOf(keyword)?.applies
}

const annotations: ReadonlySet<string> = new Set([
  ...['title', 'description', 'deprecated', 'readOnly', 'writeOnly', 'example', 'examples', 'default', '$comment'],
  ...['$defs', 'xml', 'externalDocs', 'discriminator'],
])

/** Whether a keyword asserts nothing. */
export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-')
}

export function withoutAnnotations(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword)))
}

/**
 * Copies a schema and replaces its direct subschemas.
 *
 * @param replace receives a subschema, its target, its keyword, and its name or index there
 */
export function withSubschemas(
  schema: Schema,
  replace: (subschema: unknown, applies: Applies, keyword: string, name?: string) => unknown,
): Schema {
  const copy: Schema = {}
  for (const [keyword, member] of Object.entries(schema)) {
    const { applies, isMap = false } = applicatorOf(keyword) ?? {}
    if (applies === undefined) copy[keyword] = member
    else if (Array.isArray(member)) {
      copy[keyword] = member.map((each, index) => replace(each, applies, keyword, String(index)))
    } else if (isMap && isSchema(member)) {
      const members = Object.entries(member)
      copy[keyword] = Object.fromEntries(members.map(([name, each]) => [name, replace(each, applies, keyword, name)]))
    } else copy[keyword] = replace(member, applies, keyword)
  }
  return copy
}

/** A direct subschema, and its keyword. */
export interface Subschema {
  keyword: string
  applies: Applies
  /** Whether a value that does not match it may be valid, or one that does may be invalid. */
  isTest: boolean
  schema: Schema
}

/** Lists the direct subschemas of a schema. */
export function subschemasOf(schema: Schema): Subschema[] {
  const found: Subschema[] = []
  withSubschemas(schema, (subschema, applies, keyword) => {
    if (isSchema(subschema)) {
      found.push({ keyword, applies, isTest: applicatorOf(keyword)?.isTest === true, schema: subschema })
    }
    return subschema
  })
  return found
}

/** Whether a schema is an object rather than `true` or `false`. */
export function isSchema(member: unknown): member is Schema {
  return typeof member === 'object' && member !== null && !Array.isArray(member)
}

const describing = Object.keys(applicators).filter((keyword) => applicators[keyword]?.describes !== undefined)
/** The keywords whose subschemas describe the same value, always or sometimes. */
const compositions = {
  always: describing.filter((keyword) => applicators[keyword]?.describes === 'always'),
  sometimes: describing,
} as const

/**
 * Lists a schema and every schema that describes the same value, through references and compositions. `true` and `false`
 * have none.
 *
 * @param when `always` leaves out alternatives
 */
export function inPlace(
  schema: unknown,
  schemas: NamedSchemas,
  when: keyof typeof compositions = 'sometimes',
): Schema[] {
  const found = new Set<Schema>()
  const open = [schema].filter(isSchema)
  // Without recursion: a chain may be as long as the contract has schemas.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue
    found.add(next)
    const of: Schema = next
    const composed = compositions[when].flatMap((keyword): unknown => {
      const member = of[keyword] ?? []
      return applicators[keyword]?.isMap === true ? Object.values(member) : member
    })
    open.push(...[targetOf(next, schemas), ...composed].filter(isSchema).reverse())
  }
  return [...found]
}

/** The target of `$ref`; undefined without a reference. */
export function targetOf({ $ref: reference }: Schema, schemas: NamedSchemas): Schema | undefined {
  const name = schemaNameOf(reference)
  if (name === undefined) return undefined
  if (!Object.hasOwn(schemas, name)) throw new Error(`the reference ${String(reference)} leads to nothing`)
  const target: unknown = schemas[name]
  return isSchema(target) ? target : undefined
}
