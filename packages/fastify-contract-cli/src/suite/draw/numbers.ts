import fc from 'fast-check'
import { decimalOf } from 'fastify-contract/schema'
import type { FlatSchema } from './flat-schema.ts'
import { NoGenerator } from '../ground/no-generator.ts'

/** No format of a contract: that of integers that are too large for each of them. */
export const beyondFormats = 'beyond'
const range = (lowest: bigint, highest: bigint) => ({ lowest, highest })
/** An integer without a format is one that each JSON parser takes exactly (RFC 8259, section 6). */
const safe = range(BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER))
const ranges = new Map([
  ['int32', range(-(2n ** 31n), 2n ** 31n - 1n)],
  ['int64', range(-(2n ** 63n), 2n ** 63n - 1n)],
  ['uint64', range(0n, 2n ** 64n - 1n)],
  [beyondFormats, range(-(2n ** 100n) - 1n, 2n ** 100n)],
])

/** The integers of a schema: within its bounds, and from the first to the last multiple of a factor. @throws NoGenerator */
export function integerRange({ assertions }: FlatSchema) {
  const { lowest, highest } = ranges.get(assertions.format ?? '') ?? safe
  const { minimum = lowest, maximum = highest, exclusiveMinimum: above, exclusiveMaximum: below } = assertions
  const lower = [lowest, rounded(minimum, Math.ceil), above === undefined ? lowest : rounded(above, Math.floor) + 1n]
  const upper = [highest, rounded(maximum, Math.floor), below === undefined ? highest : rounded(below, Math.ceil) - 1n]
  const [min, max] = [lower.reduce((a, b) => (a > b ? a : b)), upper.reduce((a, b) => (a < b ? a : b))]
  const { multipleOf = 1 } = assertions
  const factor = Number.isInteger(Number(multipleOf)) && multipleOf > 0 ? BigInt(multipleOf) : 1n
  const [first, last] = [-floor(-min, factor), floor(max, factor)]
  if (first > last) throw new NoGenerator('no integer is within the bounds')
  return { min, max, factor, first, last }
}

function rounded(bound: number | bigint, round: (bound: number) => number): bigint {
  return typeof bound === 'bigint' ? bound : BigInt(round(bound))
}

/** Where integers go wrong in software: the ends of 8, 16, 32, 53 and 64 bits, and their neighbours. */
const awkwardIntegers = [0n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n]
  .flatMap((bits) => [-2n, -1n, 0n, 1n, 2n].map((distance) => 2n ** bits + distance))
  .flatMap((integer) => [integer, -integer])

/** Integers that a schema allows, as far as its bounds, its format and `multipleOf` say. */
export function integerOf(flat: FlatSchema): fc.Arbitrary<bigint> {
  const { min, max, factor, first, last } = integerRange(flat)
  const isFitting = (integer: bigint) => integer >= min && integer <= max && integer % factor === 0n
  const others = [min + 1n, max - 1n, ...awkwardIntegers].filter(isFitting)
  return fc.oneof(
    // Only the first of several becomes smaller by steps.
    { withCrossShrink: true },
    fc.bigInt({ min: first, max: last }).map((count) => count * factor),
    ...[[min, max].filter(isFitting), others].filter((some) => some.length > 0).map((some) => fc.constantFrom(...some)),
  )
}

/** The largest multiple of a factor that is not above an integer, counted in factors. */
function floor(integer: bigint, factor: bigint): bigint {
  const quotient = integer / factor
  return quotient * factor > integer ? quotient - 1n : quotient
}

/** The numbers of a schema: within its bounds, and multiples of a factor, if it has one. @throws NoGenerator */
export function numberRange({ assertions }: FlatSchema) {
  const { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = assertions
  const largest = format === 'float' ? 3.4028234663852886e38 : Number.MAX_VALUE
  const min = Math.max(-largest, Number(minimum ?? -largest), Number(exclusiveMinimum ?? -largest))
  const max = Math.min(largest, Number(maximum ?? largest), Number(exclusiveMaximum ?? largest))
  const isOpen = [exclusiveMinimum, exclusiveMaximum].some((bound) => Number(bound) === min)
  if (min > max || (min === max && isOpen)) throw new NoGenerator('no number is within the bounds')
  return { min, max, largest, multiples: multipleOf === undefined ? undefined : multiplesOf(multipleOf, min, max) }
}

/** The decimals of as many digits are told apart as doubles. */
const exactDecimals = 10n ** 15n

/** The multiples of a factor within bounds, counted in factors. They are multiples as decimals, which doubles need not be. */
function multiplesOf(factor: number | bigint, min: number, max: number) {
  const [digits, exponent] = decimalOf(factor)
  const countIn = (bound: number) => {
    const [own, ownExponent] = decimalOf(bound)
    const common = Math.min(exponent, ownExponent)
    return floor(own * 10n ** BigInt(ownExponent - common), digits * 10n ** BigInt(exponent - common))
  }
  const [lowest, highest] = [-countIn(-min), countIn(max)]
  const most = digits > exactDecimals ? 1n : exactDecimals / digits
  const [first, last] = [lowest < -most ? -most : lowest, highest > most ? most : highest]
  if (first > last) throw new NoGenerator('no multiple is within the bounds')
  const ends = [lowest, highest].filter((count) => count >= first && count <= last)
  return { first, last, ends, valueOf: (count: bigint) => Number(`${String(count * digits)}e${String(exponent)}`) }
}

/** What is next to a multiple of a factor and is none: an integer, or a tenth of the factor away, as decimals add. */
export function besideMultiple(
  multiple: number | bigint,
  factor: number | bigint,
  direction: 1n | -1n,
): number | bigint {
  if (typeof multiple === 'bigint') return multiple + direction
  const [[own, ownExponent], [digits, exponent]] = [decimalOf(multiple), decimalOf(factor)]
  const common = Math.min(ownExponent, exponent - 1)
  const sum = own * 10n ** BigInt(ownExponent - common) + direction * digits * 10n ** BigInt(exponent - 1 - common)
  return Number(`${String(sum)}e${String(common)}`)
}

/** How many multiples of a factor are drawn on each side of 0, or else from the end that is next to it. */
const mostMultiples = 1_000_000n

/** Numbers of a schema, not all of which it allows. */
export function numberOf(flat: FlatSchema): fc.Arbitrary<number> {
  const { min, max, multiples } = numberRange(flat)
  if (multiples !== undefined) {
    const { first, last, ends, valueOf } = multiples
    const from = last < 0n ? last - mostMultiples : -mostMultiples
    const to = first > 0n ? first + mostMultiples : mostMultiples
    const counts = fc.bigInt({ min: from > first ? from : first, max: to < last ? to : last })
    const atEnds = ends.length === 0 ? [] : [fc.constantFrom(...ends)]
    return fc.oneof({ withCrossShrink: true }, counts, ...atEnds).map(valueOf)
  }
  const edges = [min, max, 0, -0.5, 0.1, 1, 54.5, 1e21, 5e-324]
  return fc.oneof({ withCrossShrink: true }, fc.double({ min, max, noNaN: true }), fc.constantFrom(...edges))
}
