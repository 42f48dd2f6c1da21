import { type Schema, appliesTo, inPlace, isSchema, targetOf } from '../../../schema/schema-parts.ts'
import type { Finding } from '../findings.ts'
import type { AllowedKeyword, Keyword, Kind, KeywordContext } from './keyword.ts'
import { keywords } from './openapi-keywords.ts'

type Role = KeywordContext['role']

/** An object of a contract, and where it stands. */
export interface ContractObject {
  object: Record<string, unknown>
  kind: Kind
  /** The keyword that holds it, or its name in the map that a keyword holds. */
  name: string
  role: Role
  /** Whether it is the whole schema of a value, and not a part that applies to the same value. */
  isValue: boolean
}

/**
 * Lists the objects of a contract that the table of keywords knows. Each is listed once: an alias of YAML makes one object
 * stand in several places.
 *
 * @param document a bundled contract, whose structure need not be right
 */
export function objectsOf(document: object): ContractObject[] {
  const met = new Set<unknown>()
  const found: ContractObject[] = []

  function visit(object: unknown, kind: Kind, name: string, role: Role, isValue: boolean): void {
    if (!isSchema(object) || met.has(object)) return
    met.add(object)
    found.push({ object, kind, name, role, isValue })
    for (const [word, value] of Object.entries(object)) {
      const holds = allowedOf(kind, word)?.holds
      const roleInside = roleOf(kind, word, role)
      const visitInside = (inside: unknown, held: Kind, member: string) => {
        visit(inside, held, member, roleInside, isValueIn(held, kind, word))
      }
      if (typeof holds === 'string') visitInside(value, holds, word)
      else if (holds !== undefined && typeof value === 'object' && value !== null) {
        const each = Array.isArray(holds) ? holds[0] : holds.each
        for (const [member, inside] of Object.entries(value)) visitInside(inside, each, member)
      }
    }
  }

  visit(document, 'document', '', 'other', false)
  return found
}

/**
 * Finds each word of a contract that is refused, each value that is refused of a word, and each member that is no word.
 *
 * @param document a bundled contract, whose structure need not be right
 */
export function checkKeywords(document: Record<string, unknown>): Finding[] {
  const components = isSchema(document['components']) ? document['components'] : {}
  // Only schema objects are followed, whatever else stands there.
  const schemas = (isSchema(components['schemas']) ? components['schemas'] : {}) as Record<string, Schema>
  return objectsOf(document).flatMap(({ object, kind, role, isValue }) => {
    const found = Object.entries(object).flatMap(([name, value]) => {
      const text = problemOf(name, value, object, kind, { schemas, role })
      return text === undefined ? [] : [{ at: { object, key: name }, text }]
    })
    return isValue ? [...found, ...undeclaredProperties(object, schemas)] : found
  })
}

function problemOf(
  name: string,
  value: unknown,
  object: Record<string, unknown>,
  kind: Kind,
  context: KeywordContext,
): string | undefined {
  const keyword = keywordOf(kind, name)
  if (keyword === undefined) return name.startsWith('x-') ? undefined : `${name} is no word of ${article(kind)}`
  const reason = typeof keyword === 'string' ? keyword : refusal(keyword, value, object, context)
  return reason === undefined ? undefined : `${name}: ${reason}`
}

function refusal(
  { refuses }: AllowedKeyword,
  value: unknown,
  object: Record<string, unknown>,
  context: KeywordContext,
): string | undefined {
  try {
    return refuses?.(value, object, context)
  } catch {
    // The structure is wrong, or a reference leads to nothing; either is reported as such.
    return undefined
  }
}

/** Finds the properties that the schema of a value requires and that none of its schemas declares. */
function undeclaredProperties(schema: Schema, schemas: Record<string, Schema>): Finding[] {
  try {
    const all = inPlace(schema, schemas)
    const names = all.flatMap(({ properties }) => Object.keys(isSchema(properties) ? properties : {}))
    if (names.length === 0 || all.some((each) => openings.some((word) => word in each))) return []
    return alwaysInPlace(schema, schemas).flatMap((object) => {
      const required = Array.isArray(object['required']) ? (object['required'] as unknown[]) : []
      const undeclared = required.find((name) => typeof name === 'string' && !names.includes(name))
      const text = `required: ${String(undeclared)} is not among the properties, the only ones of a reply; add it`
      return undeclared === undefined ? [] : [{ at: { object, key: 'required' }, text }]
    })
  } catch {
    // A reference leads to nothing, which is reported as such.
    return []
  }
}

/** Words that let an object have properties that it does not name. */
const openings = ['additionalProperties', 'patternProperties', 'unevaluatedProperties']

/** Whether what a word holds is the whole schema of a value. A named schema may be a part of others. */
function isValueIn(held: Kind, kind: Kind, name: string): boolean {
  return held === 'schema' && kind !== 'components' && !(kind === 'schema' && appliesTo(name) === 'to the value')
}

/** A schema, and those that always apply with it: through `$ref` and `allOf`. */
function alwaysInPlace(schema: Schema, schemas: Record<string, Schema>, met = new Set<Schema>()): Schema[] {
  if (met.has(schema)) return []
  met.add(schema)
  const { allOf = [] } = schema as { allOf?: unknown[] }
  const next = [targetOf(schema, schemas), ...allOf].filter(isSchema)
  return [schema, ...next.flatMap((each) => alwaysInPlace(each, schemas, met))]
}

function keywordOf(kind: Kind, name: string): Keyword | undefined {
  const ofKind = keywords[kind]
  return Object.hasOwn(ofKind, name) ? ofKind[name] : ofKind['*']
}

function allowedOf(kind: Kind, name: string): AllowedKeyword | undefined {
  const keyword = keywordOf(kind, name)
  return typeof keyword === 'string' ? undefined : keyword
}

/** The role of the schemas that a word holds. */
function roleOf(kind: Kind, name: string, role: Role): Role {
  if (kind === 'components') return 'named'
  if (kind === 'parameter') return 'parameter'
  if (kind !== 'schema') return 'other'
  // allOf applies to the same property.
  return name === 'properties' ? 'property' : name === 'allOf' ? role : 'other'
}

function article(kind: Kind): string {
  return kind === 'document'
    ? 'an OpenAPI document'
    : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`
}
