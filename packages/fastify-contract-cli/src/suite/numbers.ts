import fc from 'fast-check'
import { type FlatSchema, rangeOf } from './flat-schema.ts'

/** Where integers go wrong in software: the ends of 8, 16, 32, 53 and 64 bits, and their neighbours. */
const awkwardIntegers = [0n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n]
  .flatMap((bits) => [-2n, -1n, 0n, 1n, 2n].map((distance) => 2n ** bits + distance))
  .flatMap((integer) => [integer, -integer])

/** Integers that a schema allows, as far as its bounds, its format and `multipleOf` say. */
export function integerOf(flat: FlatSchema): fc.Arbitrary<bigint> {
  const { min, max } = rangeOf(flat)
  const { multipleOf = 1 } = flat.assertions
  const factor = Number.isInteger(Number(multipleOf)) ? BigInt(multipleOf) : 1n
  const isFitting = (integer: bigint) => integer >= min && integer <= max && integer % factor === 0n
  const others = [min + 1n, max - 1n, ...awkwardIntegers].filter(isFitting)
  return fc.oneof(
    ...[[min, max].filter(isFitting), others].filter((some) => some.length > 0).map((some) => fc.constantFrom(...some)),
    fc.bigInt({ min: min / factor, max: max / factor }).map((count) => count * factor),
  )
}

/** Numbers of a schema, not all of which it allows. */
export function numberOf({ assertions }: FlatSchema): fc.Arbitrary<number> {
  const largest = assertions.format === 'float' ? 3.4028234663852886e38 : Number.MAX_VALUE
  const min = Math.max(-largest, Number(assertions.minimum ?? assertions.exclusiveMinimum ?? -largest))
  const max = Math.min(largest, Number(assertions.maximum ?? assertions.exclusiveMaximum ?? largest))
  const factor = Number(assertions.multipleOf ?? 0)
  if (factor > 0) {
    const counts = { min: Math.ceil(Math.max(min / factor, -1e6)), max: Math.floor(Math.min(max / factor, 1e6)) }
    // A product of doubles that is no multiple as a decimal, such as 3 * 0.1, is rounded to one that is.
    return fc.integer(counts).map((count) => Number((count * factor).toPrecision(12)))
  }
  const edges = [min, max, 0, -0.5, 0.1, 1, 54.5, 1e21, 5e-324]
  return fc.oneof(fc.constantFrom(...edges), fc.double({ min, max, noNaN: true }))
}
