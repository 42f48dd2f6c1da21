import { type NumericName, type Schema, isNumeric } from '../read/schema.ts'

/** A value of a scalar type. */
export type Scalar = number | bigint | boolean

/** A schema of an integer, a number or a boolean. */
export interface ScalarSchema extends Schema {
  readonly type?: 'integer' | 'number' | 'boolean'
}

type Numeric = number | bigint

/** Makes the check of each assertion about numbers. JavaScript compares a bigint with a number exactly (ECMA-262, IsLessThan). */
const checkOf: Readonly<Record<NumericName, (limit: Numeric) => (value: Numeric) => boolean>> = {
  minimum: (limit) => (value) => value >= limit,
  maximum: (limit) => (value) => value <= limit,
  exclusiveMinimum: (limit) => (value) => value > limit,
  exclusiveMaximum: (limit) => (value) => value < limit,
  multipleOf: (limit) => {
    const divisor = decimalOf(limit)
    return (value) => !isInfinite(value) && isMultiple(decimalOf(value), divisor)
  },
}

/** Makes the check of a value that has the type and the format of a schema. */
export function createAssertions(schema: ScalarSchema): (value: Scalar) => boolean {
  const allowed = [schema.enum, 'const' in schema ? [schema.const] : undefined]
    .filter((constants) => constants !== undefined)
    .map((constants) => new Set(constants.map(keyOf)))
  const checks = Object.keys(checkOf)
    .filter(isNumeric)
    .flatMap((name) => (schema[name] === undefined ? [] : checkOf[name](schema[name])))
  if (schema.format === 'float') checks.push((value) => Number.isFinite(Math.fround(Number(value))))
  return (value) => {
    for (const constants of allowed) if (!constants.has(keyOf(value))) return false
    if (typeof value !== 'boolean') for (const isMet of checks) if (!isMet(value)) return false
    return true
  }
}

/** Maps equal scalars to one member of a Set: a number and a bigint may be the same integer. */
export function keyOf(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Whether a value is a number that no double holds, such as 1e400. */
export function isInfinite(value: unknown): boolean {
  return value === Infinity || value === -Infinity
}

/** The digits of a number and their power of ten. */
type Decimal = [digits: bigint, exponent: number]

/** Divides decimals, not doubles: 0.07 is a multiple of 0.01. */
function isMultiple([digits, exponent]: Decimal, [divisor, divisorExponent]: Decimal): boolean {
  const common = Math.min(exponent, divisorExponent)
  const scaled = (integer: bigint, power: number) =>
    power === common ? integer : integer * 10n ** BigInt(power - common)
  return scaled(digits, exponent) % scaled(divisor, divisorExponent) === 0n
}

/** Reads a number as the decimal that its text is. */
export function decimalOf(value: number | bigint): Decimal {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return [BigInt(value), 0]
  const [significand = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = significand.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}
