import fc from 'fast-check'
import type { FlatSchema } from './flat-schema.ts'

/** A decimal as an integer and how many digits of it stand behind the point. */
interface Decimal {
  digits: bigint
  scale: number
}

function decimalOf(number: number | bigint): Decimal {
  const [mantissa = '', exponent = '0'] = String(number).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${whole}${fraction}`)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

function textOf({ digits, scale }: Decimal): string {
  if (scale === 0) return String(digits)
  const magnitude = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  return `${digits < 0n ? '-' : ''}${magnitude.slice(0, -scale)}.${magnitude.slice(-scale)}`
}

function isWithin(value: number, { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FlatSchema): boolean {
  return (
    value >= Number(minimum ?? -Infinity) &&
    value <= Number(maximum ?? Infinity) &&
    value > Number(exclusiveMinimum ?? -Infinity) &&
    value < Number(exclusiveMaximum ?? Infinity)
  )
}

/** JSON numbers that a schema allows, its edges and its examples among them, as they are written. */
export function numberOf(schema: FlatSchema): fc.Arbitrary<string> {
  const largest = schema.format === 'float' ? 3.4028234663852886e38 : Number.MAX_VALUE
  const minimum = Math.max(-largest, Number(schema.minimum ?? -largest), Number(schema.exclusiveMinimum ?? -largest))
  const maximum = Math.min(largest, Number(schema.maximum ?? largest), Number(schema.exclusiveMaximum ?? largest))
  if (schema.multipleOf !== undefined) {
    const { digits, scale } = decimalOf(schema.multipleOf)
    const factor = Number(schema.multipleOf)
    // Few enough that each multiple is written with all of its digits.
    const [low, high] = [Math.max(minimum / factor, -1e12), Math.min(maximum / factor, 1e12)]
    return fc
      .integer({ min: Math.ceil(low), max: Math.floor(high) })
      .map((count) => textOf({ digits: digits * BigInt(count), scale }))
      .filter((text) => isWithin(Number(text), schema))
  }
  const edges = [minimum, maximum, 0, -0.5, 0.1, 1, 54.5, 1e21, 5e-324, ...schema.examples.map(Number)]
  return fc
    .oneof(fc.constantFrom(...edges), fc.double({ min: minimum, max: maximum, noNaN: true }))
    .filter((value) => isWithin(value, schema))
    .map(String)
}

/** JSON numbers that break one rule of a schema, by its keyword. */
export function numberBreaks(schema: FlatSchema): Record<string, fc.Arbitrary<string>> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const breaks: Record<string, fc.Arbitrary<string>> = {}
  const beyond = (bound: number | bigint, sign: 1 | -1) =>
    fc.constantFrom(...[1, 2.5, 1e6].map((distance) => String(Number(bound) + sign * distance)))
  // A value beyond a bound of a multiple must stay a multiple.
  if (multipleOf === undefined) {
    if (minimum !== undefined) breaks['minimum'] = beyond(minimum, -1)
    if (maximum !== undefined) breaks['maximum'] = beyond(maximum, 1)
    if (exclusiveMinimum !== undefined) breaks['exclusiveMinimum'] = fc.constant(String(exclusiveMinimum))
    if (exclusiveMaximum !== undefined) breaks['exclusiveMaximum'] = fc.constant(String(exclusiveMaximum))
  } else {
    const { scale } = decimalOf(multipleOf)
    breaks['multipleOf'] = numberOf(schema)
      .map((text) => `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(text.includes('.') ? 0 : scale)}1`)
      .filter((text) => isWithin(Number(text), schema))
  }
  return breaks
}
