import type { ContractDocument } from 'fastify-contract/document'
import {
  type JsonType,
  type NamedSchemas,
  type Schema,
  type Subschema,
  choiceNames,
  createValueChecks,
  inPlace,
  isAnnotation,
  isMarked,
  isSchema,
  keywordNames,
  propertiesOf,
  requiredBy,
  typesOf,
} from 'fastify-contract/schema'
import { type Clash, type Member, type RequiredBy, clashOf, clashingBounds, isNever } from './bounds.ts'
import type { ContractObject } from '../mend/visit.ts'

/** A schema, and what is asked of it. */
interface Subject {
  schema: Schema
  /** All that describe the same value. */
  parts: readonly Schema[]
  types: ReadonlySet<JsonType>
  required: RequiredBy
  typesOf: (part: Subschema | undefined) => ReadonlySet<JsonType>
  checkOf: ReturnType<typeof createValueChecks>
  schemas: NamedSchemas
}

/**
 * Finds words of schemas that together leave nothing, or nothing of a type. They are enforced as they are written.
 *
 * @param objects those of an adopted contract with a checked structure and checked references
 * @returns a warning for each, and the schemas that nothing satisfies
 */
export function checkSatisfiable(objects: readonly ContractObject[], { components }: ContractDocument) {
  const schemas = components?.schemas ?? {}
  const typeSets = new Map<Schema, Set<JsonType>>()
  const typesOfPart: Subject['typesOf'] = (part) => typesOf(part, schemas, typeSets)
  const checkOf = createValueChecks(schemas, undefined)
  const clashes: Clash[] = []
  const unsatisfiable = new Set<object>()
  for (const { object } of objects.filter(({ kind }) => kind === 'schema')) {
    const parts = inPlace(object, schemas, 'always')
    const types = typesOfPart(object)
    const required = requiredWithin(object, schemas)
    const subject: Subject = { schema: object, parts, types, required, typesOf: typesOfPart, checkOf, schemas }
    const found =
      types.size === 0
        ? clashingTypes(subject)
        : [
            ...clashingBounds(parts, types, required),
            ...brokenConstants(subject),
            ...(types.has('object') ? [...excludedProperties(subject), ...clashingProperties(subject)] : []),
          ]
    clashes.push(...found)
    if (types.size === 0 || found.some(({ isWhole }) => isWhole)) unsatisfiable.add(object)
  }
  return { clashes, unsatisfiable }
}

/** Some messages leave out what is `readOnly` or `writeOnly`. */
function requiredWithin(schema: Schema, schemas: NamedSchemas): RequiredBy {
  let properties: ReadonlyMap<string, Subschema> | undefined
  const isLeftOut = (name: string) => {
    properties ??= propertiesOf(schema, schemas)
    return (['readOnly', 'writeOnly'] as const).some((mark) => isMarked(properties!.get(name), schemas, mark))
  }
  return (part) => requiredBy(part).filter((name) => !isLeftOut(name))
}

interface Source extends Member {
  types: ReadonlySet<JsonType>
}

/** Those that limit the types of values by themselves. */
const typing = keywordNames({ about: 'any value' })

/** Two keywords that have no type in common. */
function clashingTypes({ parts, typesOf }: Subject): Clash[] {
  const sources = parts.flatMap((object): Source[] =>
    [...typing, ...choiceNames].flatMap((key) =>
      key in object ? [{ object, key, types: typesOf({ [key]: object[key] }) }] : [],
    ),
  )
  return disjointOf(sources).map(({ at, beside }) => {
    const text = `${at.key}: has no type in common with ${beside.key}, so that nothing is valid; correct one of them`
    return clashOf(at, beside, text)
  })
}

/** The first that leaves no type, and one before it; none where there is a type for all. */
function disjointOf(sources: readonly Source[]): { at: Source; beside: Source }[] {
  // What allows nothing by itself is warned of there.
  if (sources.some(({ types }) => types.size === 0)) return []
  let left: ReadonlySet<JsonType> = new Set(sources[0]?.types)
  for (const [index, at] of sources.entries()) {
    left = left.intersection(at.types)
    if (left.size > 0) continue
    const before = sources.slice(0, index)
    return [{ at, beside: before.find(({ types }) => types.isDisjointFrom(at.types)) ?? before.at(-1)! }]
  }
  return []
}

/** What is not valid where no object is. */
function withoutObjects(types: ReadonlySet<JsonType>): string {
  return types.size === 1 ? 'nothing is valid' : 'no object is valid'
}

/** Required properties that parts declare with no type in common. */
function clashingProperties({ parts, types, required, typesOf }: Subject): Clash[] {
  const declaring = parts.map(({ properties }) => properties).filter((each) => each !== undefined)
  if (declaring.length < 2) return []
  return [...new Set(parts.flatMap(required))].flatMap((name) => {
    const sources = declaring.flatMap((object): Source[] =>
      Object.hasOwn(object, name) ? [{ object, key: name, types: typesOf(object[name]) }] : [],
    )
    return disjointOf(sources).map(({ at, beside }): Clash => {
      const text = `properties: ${name} is required, and has no type in common with another ${name}, so that ${withoutObjects(types)}; correct one of them`
      return { ...clashOf(at, beside, text, types.size === 1), kind: 'clash of properties' }
    })
  })
}

/** Constants none of which meets the other assertions. */
function brokenConstants({ schema, parts, checkOf }: Subject): Clash[] {
  const listed = parts.flatMap((object) =>
    (['const', 'enum'] as const).flatMap((key) =>
      key in object ? [{ object, key, values: [object[key]].flat() }] : [],
    ),
  )
  const [at, beside] = listed
  const isAsserting = (name: string) => !isAnnotation(name) && !['$ref', 'allOf', ...typing].includes(name)
  const asserting = parts.find((part) => Object.keys(part).some(isAsserting))
  if (at === undefined || (beside === undefined && asserting === undefined)) return []
  const constants = at.key === 'const' ? [at.object.const] : at.values
  const check = checkOf(schema)
  // One that cannot be compiled is refused elsewhere.
  if (typeof check === 'string') return []
  const problems = constants.map(check)
  const first = problems[0]
  if (first === undefined || problems.some((each) => each === undefined || each.isOnlyUndeclared)) return []
  const text = `${at.key}: no value fits the other keywords (it ${first.problem}), so that nothing is valid; correct one of them`
  const other = beside ?? { object: asserting!, key: Object.keys(asserting!).find(isAsserting)! }
  return [clashOf(at, other, text)]
}

/** Properties that one part requires and another forbids. */
function excludedProperties({ parts, types, required, checkOf, schemas }: Subject): Clash[] {
  const isWhole = types.size === 1
  const then = withoutObjects(types)
  const names = new Set(parts.flatMap(required))
  return parts.flatMap((part) =>
    required(part).flatMap((name): Clash[] => {
      const at = { object: part, key: 'required' }
      for (const other of parts) {
        const forbidding = forbiddenIn(other, name, names, checkOf)
        if (forbidding !== undefined) {
          const text = `required: ${name} is not allowed, so that ${then}; correct one of them`
          return [clashOf(at, forbidding, text, isWhole)]
        }
        const closing = (['additionalProperties', 'unevaluatedProperties'] as const).find((key) =>
          isNever(other[key] ?? true),
        )
        if (closing === undefined || allows(other, name, closing, schemas)) continue
        const text = `required: another branch forbids ${name} (${closing}: false), so that ${then}; use unevaluatedProperties: false beside allOf`
        return [clashOf(at, { object: other, key: closing }, text, isWhole)]
      }
      return []
    }),
  )
}

/** The word by which a schema forbids a property of an object that has all these; undefined if it allows it. */
function forbiddenIn(
  part: Schema,
  name: string,
  names: ReadonlySet<string>,
  checkOf: Subject['checkOf'],
): Member | undefined {
  const { properties, patternProperties: patterns, propertyNames, not } = part
  if (isSchema(properties) && Object.hasOwn(properties, name) && isNever(properties[name]))
    return { object: properties, key: name }
  const isValid = (schema: Subschema) => {
    const check = checkOf(schema)
    // One that cannot be compiled is refused elsewhere.
    return typeof check === 'string' ? undefined : check(name) === undefined
  }
  if (propertyNames !== undefined && isValid(propertyNames) === false) return { object: part, key: 'propertyNames' }
  if (isSchema(not) && requiredBy(not).includes(name) && isMet(not, names)) return { object: part, key: 'not' }
  for (const [pattern, schema] of Object.entries(isSchema(patterns) ? patterns : {}))
    if (isNever(schema) && isValid({ pattern }) === true) return { object: patterns as Schema, key: pattern }
  return undefined
}

/** Whether a schema asks an object for nothing but some properties, all of which it has. */
function isMet(schema: Schema, names: ReadonlySet<string>): boolean {
  const isKnown = (key: string) =>
    key === 'required' || isAnnotation(key) || (key === 'type' && [schema['type']].flat().includes('object'))
  return Object.keys(schema).every(isKnown) && requiredBy(schema).every((name) => names.has(name))
}

/** Whether a closed object declares a property. `unevaluatedProperties` sees those of its compositions. */
function allows(closed: Schema, name: string, closing: string, schemas: NamedSchemas): boolean {
  const parts = closing === 'unevaluatedProperties' ? inPlace(closed, schemas) : [closed]
  return parts.some(({ properties, patternProperties, additionalProperties = false }) => {
    if (isSchema(properties) && Object.hasOwn(properties, name)) return true
    return !isNever(additionalProperties) || patternProperties !== undefined
  })
}
