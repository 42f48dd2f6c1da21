import { lookUp } from '../../json/pointer.ts'
import { type NamedSchemas, type Schema } from '../../schema/schema-parts.ts'
import { inPlace, isSchema, subschemasOf, targetOf } from '../../schema/schema-parts.ts'
import type { KeywordContext, Kind } from '../keywords/keyword.ts'
import { keywordOf, objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/**
 * Finds each keyword of a contract that is refused, each value that is refused of a keyword, and each member that is
 * no keyword.
 *
 * @param document a bundled contract, whose structure need not be right
 */
export function checkKeywords(document: Record<string, unknown>): Finding[] {
  const schemas = namedSchemas(document)
  return objectsOf(document).flatMap(({ object, kind, role, isValue }) => {
    const found = Object.keys(object).flatMap((key) =>
      checked({ object, key }, () => problemOf(key, object, kind, { schemas, role })),
    )
    const undeclared = isValue ? checked({ object, key: 'required' }, () => undeclaredProperty(object, schemas)) : []
    return [...found, ...undeclared]
  })
}

function namedSchemas({ components }: Record<string, unknown>): NamedSchemas {
  // Only schema objects are followed, whatever else stands there.
  return (isSchema(components) && isSchema(components['schemas']) ? components['schemas'] : {}) as NamedSchemas
}

/** The finding of a check. What it cannot read, as where the structure is wrong, may come of another problem. */
function checked(at: { object: Schema; key: string }, check: () => string | undefined): Finding[] {
  try {
    const text = check()
    return text === undefined ? [] : [{ at, text: `${at.key}: ${text}` }]
  } catch (error) {
    if (error instanceof RangeError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    return [{ at, text: `${at.key}: cannot be checked (${reason}); write it as OpenAPI has it`, isConsequence: true }]
  }
}

function problemOf(name: string, object: Schema, kind: Kind, context: KeywordContext): string | undefined {
  const keyword = keywordOf(kind, name)
  if (keyword === undefined) return name.startsWith('x-') ? undefined : `is no keyword of ${inWords(kind)}; remove it`
  const { refuses } = keyword
  return typeof refuses === 'string' ? refuses : refuses?.(object[name], object, context)
}

function inWords(kind: Kind): string {
  const words = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${words}`
}

/** A property that the schema of a value requires and that none of its schemas declares: no reply can have it. */
function undeclaredProperty(schema: Schema, schemas: NamedSchemas): string | undefined {
  const all = inPlace(schema, schemas)
  const names = all.flatMap(({ properties }) => Object.keys(isSchema(properties) ? properties : {}))
  if (names.length === 0 || all.some((one) => 'additionalProperties' in one)) return undefined
  const required = inPlace(schema, schemas, 'always').flatMap((one) => (one['required'] as unknown[] | undefined) ?? [])
  const undeclared = required.filter((name) => typeof name === 'string').find((name) => !names.includes(name))
  return undeclared === undefined
    ? undefined
    : `${undeclared} is not among the properties, the only ones of a reply; add it`
}

/** The generated types have what is below these. */
const typed = /^#\/(?:components|paths|webhooks)\//

/**
 * Finds the references that lead to nothing, to an object of another kind, or back to themselves, and the schemas that
 * apply themselves to the same value.
 */
export function checkReferences(document: Record<string, unknown>): Finding[] {
  const objects = objectsOf(document)
  const kinds = new Map<unknown, Kind>(objects.map(({ object, kind }) => [object, kind]))
  const found = objects.flatMap(({ object, kind }): Finding[] => {
    const { $ref: reference } = object
    // Elsewhere it is no keyword, or refused.
    if (typeof reference !== 'string' || kind === 'pathItem' || keywordOf(kind, '$ref') === undefined) return []
    const text = referenceProblem(document, object, reference, kind, kinds)
    return text === undefined ? [] : [{ at: { object, key: '$ref' }, text }]
  })
  if (found.length > 0) return found
  const text = 'the schema refers to itself for the same value; refer to it from a part'
  const schemas = objects.flatMap(({ object, kind }) => (kind === 'schema' ? [object] : []))
  return endlessSchemas(schemas, namedSchemas(document)).map((object) => ({ at: { object }, text }))
}

function referenceProblem(
  document: unknown,
  object: object,
  reference: string,
  kind: Kind,
  kinds: Map<unknown, Kind>,
): string | undefined {
  try {
    const met = new Set<unknown>([object])
    let target = lookUp(document, reference)
    if (target === undefined) return `the reference ${reference} leads to nothing; write the name of an object`
    // The table of keywords has the rule for schemas.
    if (kind !== 'schema' && (!typed.test(reference) || kinds.get(target) !== kind))
      return `$ref: ${reference} leads to no object of OpenAPI; move what is there under components`
    for (; isSchema(target) && typeof target['$ref'] === 'string'; target = lookUp(document, target['$ref'])) {
      if (met.has(target)) return 'the reference leads back to itself; refer to an object'
      met.add(target)
    }
    return undefined
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}; write % as %25`
  }
}

/** The schemas that apply themselves to the same value: no validator would come to an end. */
function endlessSchemas(schemas: Schema[], named: NamedSchemas): Schema[] {
  const [open, done] = [new Set<Schema>(), new Set<Schema>()]
  function visit(schema: Schema): Schema[] {
    if (open.has(schema)) return [schema]
    if (done.has(schema)) return []
    open.add(schema)
    const inside = subschemasOf(schema).flatMap((part) => (part.applies === 'to the value' ? [part.schema] : []))
    const found = [targetOf(schema, named) ?? [], ...inside].flat().flatMap(visit)
    open.delete(schema)
    done.add(schema)
    return found
  }
  return schemas.flatMap(visit)
}
