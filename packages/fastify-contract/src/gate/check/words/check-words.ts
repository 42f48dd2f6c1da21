import { lookUp } from '../../../json/pointer.ts'
import { type Schema, appliesTo, inPlace, isSchema, targetOf } from '../../../schema/schema-parts.ts'
import type { Finding } from '../findings.ts'
import { words } from './openapi-words.ts'
import type { Kind, Word, WordContext } from './verdicts.ts'

type Role = WordContext['role']

/** An object of a contract, and where it stands. */
export interface ContractObject {
  object: Record<string, unknown>
  kind: Kind
  /** The word that holds it, or its name in the map that a word holds. */
  name: string
  role: Role
  /** Whether it is the whole schema of a value, and not a part that applies to the same value. */
  isValue: boolean
}

/** The kind of the objects that a word of an object holds: one, or several in a list or a map; undefined for none. */
export function heldBy(kind: Kind, word: string): { kind: Kind; isOne: boolean } | undefined {
  const holds = wordOf(kind, word)?.holds
  if (holds === undefined) return undefined
  if (typeof holds === 'string') return { kind: holds, isOne: true }
  return { kind: Array.isArray(holds) ? holds[0] : holds.each, isOne: false }
}

/**
 * Lists the objects of a contract that the table of words knows. Each is listed once: an alias of YAML makes one object
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
      const held = heldBy(kind, word)
      if (held === undefined) continue
      const roleInside = roleOf(kind, word, role)
      const isWhole = isValueIn(held.kind, kind, word)
      if (held.isOne) visit(value, held.kind, word, roleInside, isWhole)
      else if (typeof value === 'object' && value !== null) {
        for (const [member, inside] of Object.entries(value)) visit(inside, held.kind, member, roleInside, isWhole)
      }
    }
  }

  visit(document, 'document', '', 'other', false)
  return found
}

/** Finds the references that lead to nothing: the linter does not look far into extensions. */
export function checkReferences(document: object): Finding[] {
  return objectsOf(document).flatMap(({ object }): Finding[] => {
    const { $ref: reference } = object
    if (typeof reference !== 'string' || lookUp(document, reference) !== undefined) return []
    const text = `the reference ${reference} leads to nothing`
    // What refers to a file is still there where bundling has failed, which is reported.
    return [{ at: { object, key: '$ref' }, text, isConsequence: !reference.startsWith('#') }]
  })
}

/**
 * Finds each word of a contract that is refused, each value that is refused of a word, and each member that is no word.
 *
 * @param document a bundled contract, whose structure need not be right
 */
export function checkWords(document: Record<string, unknown>): Finding[] {
  const components = isSchema(document['components']) ? document['components'] : {}
  // Only schema objects are followed, whatever else stands there.
  const schemas = (isSchema(components['schemas']) ? components['schemas'] : {}) as Record<string, Schema>
  const objects = objectsOf(document)
  const known = new Set<unknown>(objects.map(({ object }) => object))
  const isObject = (reference: string) => {
    const target = lookUp(document, reference)
    // What leads to nothing is reported as such.
    return target === undefined || known.has(target)
  }
  return objects.flatMap(({ object, kind, role, isValue }) => {
    const found = Object.entries(object).flatMap(([name, value]): Finding[] => {
      const at = { object, key: name }
      try {
        const text = problemOf(name, value, object, kind, { schemas, role, isObject })
        return text === undefined ? [] : [{ at, text }]
      } catch (error) {
        return [{ at, text: `${name}: ${unchecked(error)}`, isConsequence: true }]
      }
    })
    return isValue ? [...found, ...undeclaredProperties(object, schemas)] : found
  })
}

function problemOf(
  name: string,
  value: unknown,
  object: Record<string, unknown>,
  kind: Kind,
  context: WordContext,
): string | undefined {
  const word = wordOf(kind, name)
  if (word === undefined) return name.startsWith('x-') ? undefined : `${name} is no word of ${article(kind)}`
  const reason = word.verdict === 'refused' ? word.text : word.refuses?.(value, object, context)
  return reason === undefined ? undefined : `${name}: ${reason}`
}

/** Why a word cannot be checked: the structure is wrong, or a reference leads to nothing, or through all too many. */
function unchecked(error: unknown): string {
  if (error instanceof RangeError) return 'leads on through too many schemas to be checked; let fewer apply to a value'
  return `cannot be checked (${error instanceof Error ? error.message : String(error)}); write it as OpenAPI has it`
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
  } catch (error) {
    return [{ at: { object: schema }, text: unchecked(error), isConsequence: true }]
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

function wordOf(kind: Kind, name: string): Word | undefined {
  const ofKind = words[kind]
  return Object.hasOwn(ofKind, name) ? ofKind[name] : ofKind['*']
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
