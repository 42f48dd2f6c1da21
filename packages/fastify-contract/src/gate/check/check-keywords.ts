import { lookUp } from '../../json/pointer.ts'
import { type NamedSchemas, type Schema, inPlace, isSchema, targetOf } from '../../schema/schema-parts.ts'
import type { KeywordContext, Kind } from '../keywords/keyword.ts'
import { type ContractObject, keywordOf, objectsOf } from '../keywords/objects.ts'
import { idleBeside } from '../keywords/schema-keywords.ts'
import type { Finding } from './findings.ts'

/**
 * Finds each keyword of a contract that is refused, each value that is refused of a keyword, and each member that is
 * none.
 *
 * @param document a bundled contract, whose structure need not be right
 */
export function checkKeywords(document: Record<string, unknown>): Finding[] {
  const components = isSchema(document['components']) ? document['components'] : {}
  // Only schema objects are followed, whatever else stands there.
  const schemas = (isSchema(components['schemas']) ? components['schemas'] : {}) as NamedSchemas
  return objectsOf(document).flatMap(({ object, kind, role, isValue }) => {
    const found = Object.keys(object).flatMap((name): Finding[] => {
      const at = { object, key: name }
      try {
        const text = problemOf(name, object, kind, { schemas, role })
        return text === undefined ? [] : [{ at, text }]
      } catch (error) {
        return [{ at, text: `${name}: ${unchecked(error)}`, isConsequence: true }]
      }
    })
    return isValue ? [...found, ...undeclaredProperties(object, schemas)] : found
  })
}

function problemOf(name: string, object: Schema, kind: Kind, context: KeywordContext): string | undefined {
  const keyword = keywordOf(kind, name)
  if (keyword === undefined) return name.startsWith('x-') ? undefined : `${name} is no word of ${article(kind)}`
  const { refuses } = keyword
  const reason =
    typeof refuses === 'string'
      ? refuses
      : (idleBeside(object['type'], keyword) ?? refuses?.(object[name], object, context))
  return reason === undefined ? undefined : `${name}: ${reason}`
}

function article(kind: Kind): string {
  if (kind === 'document') return 'an OpenAPI document'
  const words = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${words}`
}

/** Why a keyword cannot be checked: the structure is wrong, or a reference leads to nothing, or through too many. */
function unchecked(error: unknown): string {
  if (error instanceof RangeError) return 'leads on through too many schemas to be checked; let fewer apply to a value'
  return `cannot be checked (${error instanceof Error ? error.message : String(error)}); write it as OpenAPI has it`
}

/** Finds the properties that the schema of a value requires and that none of its schemas declares. */
function undeclaredProperties(schema: Schema, schemas: NamedSchemas): Finding[] {
  try {
    const all = inPlace(schema, schemas)
    const names = all.flatMap(({ properties }) => Object.keys(isSchema(properties) ? properties : {}))
    if (names.length === 0 || all.some((one) => 'additionalProperties' in one)) return []
    return [...alwaysInPlace(schema, schemas)].flatMap((object) => {
      const required = Array.isArray(object['required']) ? (object['required'] as unknown[]) : []
      const undeclared = required.find((name) => typeof name === 'string' && !names.includes(name))
      const text = `required: ${String(undeclared)} is not among the properties, the only ones of a reply; add it`
      return undeclared === undefined ? [] : [{ at: { object, key: 'required' }, text }]
    })
  } catch (error) {
    return [{ at: { object: schema }, text: unchecked(error), isConsequence: true }]
  }
}

/** A schema, and those that always apply with it: through `$ref` and `allOf`. */
function alwaysInPlace(schema: Schema, schemas: NamedSchemas): Set<Schema> {
  const all = new Set([schema])
  // A set that grows while it is walked is walked to its end.
  for (const one of all) {
    const next: unknown[] = [
      targetOf(one, schemas),
      ...(Array.isArray(one['allOf']) ? (one['allOf'] as unknown[]) : []),
    ]
    for (const each of next) if (isSchema(each)) all.add(each)
  }
  return all
}

/** The generated types have what is below these. */
const typed = /^#\/(?:components|paths|webhooks)\//

/** Finds the references that lead to nothing, to an object of another kind, or back to themselves. */
export function checkReferences(document: object): Finding[] {
  const objects = objectsOf(document)
  const kinds = new Map<unknown, Kind>(objects.map(({ object, kind }) => [object, kind]))
  return objects.flatMap(({ object, kind }: ContractObject): Finding[] => {
    const { $ref: reference } = object
    // Elsewhere it is no keyword, or refused.
    if (typeof reference !== 'string' || kind === 'pathItem' || keywordOf(kind, '$ref') === undefined) return []
    const at = { object, key: '$ref' }
    try {
      const target = lookUp(document, reference)
      if (target === undefined) return [{ at, text: `the reference ${reference} leads to nothing` }]
      const length = lengthOfChain(document, object)
      if (length === Infinity) return [{ at, text: 'the reference leads back to itself; refer to an object' }]
      // Those before it are too long because of it.
      if (length === maxChain) {
        return [{ at, text: `the reference leads on over ${String(maxChain)} others; refer to the last` }]
      }
      // The table of keywords has the rule for schemas.
      if (length > maxChain || kind === 'schema' || (typed.test(reference) && kinds.get(target) === kind)) return []
      return [{ at, text: `$ref: ${reference} leads to no object of OpenAPI; move what is there under components` }]
    } catch (error) {
      return [{ at, text: `${error instanceof Error ? error.message : String(error)}; write % as %25` }]
    }
  })
}

/** The most references that lead on to one another. What reads a contract follows them by recursion. */
const maxChain = 100

/** How many references lead on from one, counted no further than beyond the most; Infinity where they lead back. */
function lengthOfChain(document: unknown, reference: object): number {
  const met = new Set<unknown>()
  let node: unknown = reference
  while (isSchema(node) && '$ref' in node && met.size <= maxChain) {
    if (met.has(node)) return Infinity
    met.add(node)
    node = lookUp(document, String(node['$ref']))
  }
  return met.size
}
