import fc from 'fast-check'
import { type FlatSchema } from './flat-schema.ts'
import { rangeOf } from './ranges.ts'
import { Undrawable } from './undrawable.ts'

/** Where integers go wrong in software: the ends of 8, 16, 32, 53 and 64 bits, and their neighbours. */
const awkwardIntegers = [0n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n]
  .flatMap((bits) => [-2n, -1n, 0n, 1n, 2n].map((distance) => 2n ** bits + distance))
  .flatMap((integer) => [integer, -integer])

/** Integers that a schema allows, as far as its bounds, its format and `multipleOf` say. */
export function integerOf(flat: FlatSchema): fc.Arbitrary<bigint> {
  const { min, max } = rangeOf(flat)
  const { multipleOf = 1 } = flat.assertions
  const factor = Number.isInteger(Number(multipleOf)) && multipleOf > 0 ? BigInt(multipleOf) : 1n
  const [first, last] = [ceiling(min, factor), floor(max, factor)]
  if (first > last) throw new Undrawable('no integer is within the bounds')
  if (flat.contract.isPlain === true)
    return fc.constant(
      [1n, first, last].map((count) => count * factor).find((integer) => integer >= min && integer <= max) ??
        first * factor,
    )
  const isFitting = (integer: bigint) => integer >= min && integer <= max && integer % factor === 0n
  const others = [min + 1n, max - 1n, ...awkwardIntegers].filter(isFitting)
  return fc.oneof(
    ...[[min, max].filter(isFitting), others].filter((some) => some.length > 0).map((some) => fc.constantFrom(...some)),
    fc.bigInt({ min: first, max: last }).map((count) => count * factor),
  )
}

/** Numbers of a schema, not all of which it allows. */
export function numberOf({ assertions, contract }: FlatSchema): fc.Arbitrary<number> {
  const largest = assertions.format === 'float' ? 3.4028234663852886e38 : Number.MAX_VALUE
  const min = Math.max(-largest, Number(assertions.minimum ?? assertions.exclusiveMinimum ?? -largest))
  const max = Math.min(largest, Number(assertions.maximum ?? assertions.exclusiveMaximum ?? largest))
  const factor = Number(assertions.multipleOf ?? 0)
  if (min > max) throw new Undrawable('no number is within the bounds')
  if (factor > 0) {
    const counts = { min: Math.ceil(Math.max(min / factor, -1e6)), max: Math.floor(Math.min(max / factor, 1e6)) }
    // A product of doubles that is no multiple as a decimal, such as 3 * 0.1, is rounded to one that is.
    return fc.integer(counts).map((count) => Number((count * factor).toPrecision(12)))
  }
  if (contract.isPlain === true)
    return fc.constant([1.5, min, max].find((number) => number >= min && number <= max) ?? min)
  const edges = [min, max, 0, -0.5, 0.1, 1, 54.5, 1e21, 5e-324]
  return fc.oneof(fc.constantFrom(...edges), fc.double({ min, max, noNaN: true }))
}

function floor(integer: bigint, factor: bigint): bigint {
  const quotient = integer / factor
  return quotient * factor > integer ? quotient - 1n : quotient
}

function ceiling(integer: bigint, factor: bigint): bigint {
  return -floor(-integer, factor)
}
