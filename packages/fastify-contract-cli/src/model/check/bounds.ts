import { integerRanges, isIntegerFormat } from 'fastify-contract/json'
import { type KeywordName, type Schema, decimalOf, isSchema, subschemasOf } from 'fastify-contract/schema'
import type { Finding } from '../yaml/findings.ts'

/** Words that leave nothing, or nothing of a type. */
export interface Clash extends Finding {
  /** Whether nothing is valid. */
  isWhole: boolean
}

/** What a keyword asks for at least, or allows at most. */
interface Bound {
  object: Schema
  key: string
  value: number | bigint
  isExclusive: boolean
}

type BoundsOf = (part: Schema) => Omit<Bound, 'object' | 'isExclusive'>[]

interface Counted {
  type: 'string' | 'array' | 'object'
  lower: BoundsOf
  upper: BoundsOf
}

/** The properties that a schema requires in every message. */
export type RequiredBy = (part: Schema) => string[]

/** The counts of characters, items and properties. */
const counts = (requiredBy: RequiredBy): readonly Counted[] => [
  { type: 'string', lower: numbersOf('minLength'), upper: numbersOf('maxLength') },
  {
    type: 'array',
    lower: (part) => [...numbersOf('minItems')(part), ...leastContained(part)],
    upper: (part) => [...numbersOf('maxItems')(part), ...lastItem(part)],
  },
  {
    type: 'object',
    lower: (part) => [
      ...numbersOf('minProperties')(part),
      ...('required' in part ? [{ key: 'required', value: new Set(requiredBy(part)).size }] : []),
    ],
    upper: numbersOf('maxProperties'),
  },
  // What is required and not declared is said to be excluded.
  { type: 'object', lower: numbersOf('minProperties'), upper: namedAlone },
]

/**
 * Finds bounds that leave nothing between them.
 *
 * @param parts the schemas that describe one value
 * @param types the types that they allow
 */
export function clashingBounds(parts: readonly Schema[], types: ReadonlySet<string>, requiredBy: RequiredBy): Clash[] {
  const countClashes = counts(requiredBy).flatMap(({ type, lower, upper }) => {
    const low = types.has(type) ? tightest(parts, lower, 1) : undefined
    if (low === undefined) return []
    // Greater counts have become this one.
    if (low.value >= Number.MAX_SAFE_INTEGER)
      return [clash(low, undefined, `asks for more than any ${type} has`, types, [type])]
    const high = tightest(parts, upper, -1)
    return high === undefined || low.value <= high.value
      ? []
      : [clash(low, high, `asks for more than ${high.key} allows`, types, [type])]
  })
  // Those of another schema count other items.
  const containsClashes = parts.flatMap((object) => {
    const { contains, minContains = 1, maxContains } = object
    if (contains === undefined || !isNumber(minContains) || !isNumber(maxContains) || minContains <= maxContains)
      return []
    const at = { object, key: 'minContains' in object ? 'minContains' : 'contains' }
    return [clash(at, { object, key: 'maxContains' }, 'asks for more than maxContains allows', types, ['array'])]
  })
  return [...countClashes, ...(types.has('array') ? containsClashes : []), ...clashingNumbers(parts, types)]
}

const numberTypes = ['number', 'integer']

function clashingNumbers(parts: readonly Schema[], types: ReadonlySet<string>): Clash[] {
  if (!numberTypes.some((type) => types.has(type))) return []
  const isInteger = !types.has('number')
  const formatBound = ({ format }: Schema, end: 'minimum' | 'maximum') =>
    isInteger && isIntegerFormat(format) ? [{ key: 'format', value: integerRanges[format][end] }] : []
  const [lowerOf, upperOf] = [numbersOf('minimum', 'exclusiveMinimum'), numbersOf('maximum', 'exclusiveMaximum')]
  const low = tightest(parts, (part) => [...lowerOf(part), ...formatBound(part, 'minimum')], 1)
  const high = tightest(parts, (part) => [...upperOf(part), ...formatBound(part, 'maximum')], -1)
  if (low === undefined || high === undefined) return []
  const problem = numberProblem(low, high, parts, isInteger)
  if (problem === undefined) return []
  const [at, beside] = low.key === 'format' ? [high, low] : [low, high]
  const other = beside.key === 'format' ? `every ${String(beside.object['format'])}` : beside.key
  return [clash(at, beside, `${problem} ${other}`, types, numberTypes)]
}

function numberProblem(low: Bound, high: Bound, parts: readonly Schema[], isInteger: boolean): string | undefined {
  if (low.value > high.value) return low.key === 'format' ? 'is below' : 'is above'
  if (low.value === high.value && (low.isExclusive || high.isExclusive)) return 'is not below'
  const divisors = parts.flatMap((part) => numbersOf('multipleOf')(part)).map(({ value }) => value)
  const steps = isInteger ? [1, ...divisors] : divisors
  if (steps.length === 0 || !steps.every((each) => each > 0) || hasMultiple(low, high, steps)) return undefined
  return `no ${divisors.length === 0 ? 'integer' : `multiple of ${divisors.join(' and ')}`} is between it and`
}

/** Whether a number between two bounds is a multiple of all steps. */
function hasMultiple(low: Bound, high: Bound, steps: (number | bigint)[]): boolean {
  const decimals = [low.value, high.value, ...steps].map(decimalOf)
  const lowestExponent = Math.min(...decimals.map(([, exponent]) => exponent))
  const [from = 0n, to = 0n, ...divisors] = decimals.map(
    ([digits, exponent]) => digits * 10n ** BigInt(exponent - lowestExponent),
  )
  const step = divisors.reduce((all, each) => (all * each) / greatestDivisor(all, each))
  const [first, last] = [from + (low.isExclusive ? 1n : 0n), to - (high.isExclusive ? 1n : 0n)]
  const rest = ((last % step) + step) % step
  return last - rest >= first
}

function greatestDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestDivisor(other, one % other)
}

/** A keyword of a schema. */
export type Member = Pick<Bound, 'object' | 'key'>

/** @param of those of the types that the bounds are about */
function clash(
  at: Member,
  beside: Member | undefined,
  problem: string,
  types: ReadonlySet<string>,
  of: readonly string[],
): Clash {
  const isWhole = types.isSubsetOf(new Set(of))
  const then = isWhole ? 'nothing is valid' : `no ${of[0] ?? ''} is valid`
  const remedy = beside === undefined ? 'correct it' : 'correct one of them'
  return clashOf(at, beside, `${at.key}: ${problem}, so that ${then}; ${remedy}`, isWhole)
}

/** The warning of a keyword that leaves nothing, alone or beside another, with the places of both. */
export function clashOf(at: Member, beside: Member | undefined, text: string, isWhole = true): Clash {
  const placeOf = ({ object, key }: Member) => ({ object, key })
  const other = beside === undefined ? {} : { beside: placeOf(beside) }
  return { at: placeOf(at), ...other, text, kind: `clash of ${at.key}`, isWhole }
}

/** The bound that leaves the least. @param sign 1 for the greatest, -1 for the smallest */
function tightest(parts: readonly Schema[], boundsOf: BoundsOf, sign: 1 | -1): Bound | undefined {
  let found: Bound | undefined
  for (const object of parts) {
    for (const { key, value } of boundsOf(object)) {
      const isExclusive = key.startsWith('exclusive')
      const isTighter =
        found === undefined ||
        (sign === 1 ? value > found.value : value < found.value) ||
        (value === found.value && isExclusive)
      if (isTighter) found = { object, key, value, isExclusive }
    }
  }
  return found
}

function numbersOf(...keys: KeywordName[]): BoundsOf {
  return (part) => keys.flatMap((key) => (isNumber(part[key]) ? [{ key, value: part[key] }] : []))
}

function leastContained(part: Schema): ReturnType<BoundsOf> {
  const { contains, minContains = 1 } = part
  const key = 'minContains' in part ? 'minContains' : 'contains'
  return contains !== undefined && isNumber(minContains) ? [{ key, value: minContains }] : []
}

function lastItem(part: Schema): ReturnType<BoundsOf> {
  const { items, prefixItems, unevaluatedItems } = part
  // Others of the same value may evaluate more items.
  const isAlone =
    items === undefined &&
    !('$ref' in part || 'contains' in part) &&
    subschemasOf(part).every(({ applies }) => applies !== 'to the value')
  const key = items === false ? 'items' : unevaluatedItems === false && isAlone ? 'unevaluatedItems' : undefined
  return key === undefined ? [] : [{ key, value: Array.isArray(prefixItems) ? prefixItems.length : 0 }]
}

/** The count of the properties that a closed object may have. */
function namedAlone({ properties = {}, additionalProperties, patternProperties, propertyNames }: Schema) {
  if (isNever(propertyNames)) return [{ key: 'propertyNames', value: 0 }]
  if (!isNever(additionalProperties) || patternProperties !== undefined || !isSchema(properties)) return []
  const possible = Object.values(properties).filter((property) => !isNever(property))
  return [{ key: 'additionalProperties', value: possible.length }]
}

/** Whether a schema is `false`, or as it is written where a schema must be an object. */
export function isNever(schema: unknown): boolean {
  return schema === false || (isSchema(schema) && isSchema(schema['not']) && Object.keys(schema['not']).length === 0)
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
}
