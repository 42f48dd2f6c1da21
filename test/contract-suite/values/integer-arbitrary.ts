import fc from 'fast-check'
import type { FlatSchema } from './flat-schema.ts'

const formats: Record<string, { minimum: bigint; maximum: bigint }> = {
  int32: { minimum: -2_147_483_648n, maximum: 2_147_483_647n },
  int64: { minimum: -9_223_372_036_854_775_808n, maximum: 9_223_372_036_854_775_807n },
}

/** The largest integer up to which the contract takes a point or an exponent. */
const largestDouble = 9_007_199_254_740_992n

/** Where integers go wrong in software: the ends of 8, 16, 32, 53 and 64 bits, and their neighbours. */
const awkwardIntegers = [0n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n].flatMap((bits) => {
  const power = 2n ** bits
  return [power - 2n, power - 1n, power, power + 1n, power + 2n].flatMap((integer) => [integer, -integer])
})

/** The smallest and the largest integer that a schema allows. */
export function rangeOf(schema: FlatSchema): { minimum: bigint; maximum: bigint } {
  const format = formats[schema.format ?? ''] ?? formats['int64']!
  const lower = [format.minimum, ...bound(schema.minimum), ...bound(schema.exclusiveMinimum, 1n)]
  const upper = [format.maximum, ...bound(schema.maximum), ...bound(schema.exclusiveMaximum, -1n)]
  return { minimum: lower.reduce((a, b) => (a > b ? a : b)), maximum: upper.reduce((a, b) => (a < b ? a : b)) }
}

function bound(value: number | bigint | undefined, shift = 0n): bigint[] {
  return value === undefined ? [] : [BigInt(value) + shift]
}

/** Integers that a schema allows, its edges and its examples among them. */
export function integerOf(schema: FlatSchema): fc.Arbitrary<bigint> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map((member) => BigInt(member as number)))
  const { minimum, maximum } = rangeOf(schema)
  if (schema.multipleOf !== undefined) {
    const factor = BigInt(schema.multipleOf)
    return fc.bigInt({ min: minimum / factor, max: maximum / factor }).map((count) => count * factor)
  }
  const edges = [
    minimum,
    minimum + 1n,
    maximum - 1n,
    maximum,
    ...awkwardIntegers,
    ...schema.examples.map((example) => BigInt(example as number | bigint)),
  ]
  const allowed = edges.filter((integer) => integer >= minimum && integer <= maximum)
  return fc.oneof(fc.constantFrom(...allowed), fc.bigInt({ min: minimum, max: maximum }))
}

/** Integers that are out of a schema's range, by the side on which they are; the nearest ones first. */
export function integerBreaks(schema: FlatSchema): Record<'minimum' | 'maximum', fc.Arbitrary<bigint>> {
  const { minimum, maximum } = rangeOf(schema)
  const beyond = [1n, 2n, 10n, 2n ** 31n, 2n ** 32n, 2n ** 63n, 2n ** 64n, 10n ** 30n]
  return {
    minimum: fc.constantFrom(...beyond.map((distance) => minimum - distance)),
    maximum: fc.constantFrom(...beyond.map((distance) => maximum + distance)),
  }
}

/** Every way to write an integer as a JSON number that the contract takes for the same integer. */
export function jsonSpellings(integer: bigint): string[] {
  const plain = String(integer)
  if (integer === 0n) return ['0', '-0', '0.0', '-0.0', '0e0', '0E-5', '0e5', '0.000e+10']
  const spellings = [plain]
  const magnitude = integer < 0n ? -integer : integer
  if (magnitude > largestDouble) return spellings
  const sign = integer < 0n ? '-' : ''
  const digits = String(magnitude)
  const scientific = digits.length === 1 ? `${digits}.0` : `${digits[0] ?? ''}.${digits.slice(1)}`
  spellings.push(
    `${plain}.0`,
    `${plain}.000`,
    `${plain}e0`,
    `${plain}E+0`,
    `${plain}e-0`,
    `${plain}0e-1`,
    `${plain}00.0E-2`,
  )
  spellings.push(`${sign}${scientific}e${String(digits.length - 1)}`, `${sign}0.${digits}e${String(digits.length)}`)
  if (integer % 10n === 0n) spellings.push(`${String(integer / 10n)}e1`)
  return spellings
}

/** JSON numbers that are not integers, or beyond 2^53 with a point or an exponent. */
export const brokenJsonIntegers = fc.oneof(
  fc.constantFrom(
    '0.5',
    '-0.5',
    '54.5',
    '1e-1',
    '5e-324',
    '1.7976931348623157e308',
    '1e400',
    '-1e400',
    '54.00000000000000000001',
    '9007199254740993.0',
    '9007199254740993e0',
    '9.007199254740993e15',
    '1e18',
    '-1E18',
  ),
  fc.bigInt({ min: 1n, max: largestDouble - 1n }).map((integer) => `${String(integer)}.5`),
  fc.bigInt({ min: largestDouble + 1n, max: 2n ** 63n - 1n }).map((integer) => `${String(integer)}.0`),
)

/** Texts that are integers for many a parser, and not in the one form that a path or a query takes. */
export function brokenDecimals(integer: bigint): string[] {
  const magnitude = String(integer < 0n ? -integer : integer)
  const sign = integer < 0n ? '-' : ''
  return [
    `+${magnitude}`,
    `${sign}0${magnitude}`,
    `${sign}${magnitude}.0`,
    `${sign}${magnitude}.`,
    `${sign}${magnitude}e0`,
    `${sign}0x${BigInt(magnitude).toString(16)}`,
    `${sign}0o${BigInt(magnitude).toString(8)}`,
    `${sign}0b${BigInt(magnitude).toString(2)}`,
    ` ${sign}${magnitude}`,
    `${sign}${magnitude} `,
    `${sign}${magnitude}\n`,
    `\u00a0${sign}${magnitude}`,
    `${sign}${magnitude}n`,
    `${sign}${magnitude}_0`,
    `${sign}${magnitude},0`,
    `--${magnitude}`,
    `${sign} ${magnitude}`,
    `"${sign}${magnitude}"`,
    `${sign}${toDigits(magnitude, 0x0660)}`,
    `${sign}${toDigits(magnitude, 0xff10)}`,
    `${sign}${magnitude}\u0000`,
    'NaN',
    'Infinity',
    'null',
    'true',
    '-',
    '-0',
    '00',
  ]
}

/** The same digits in another script. */
function toDigits(decimal: string, zero: number): string {
  return Array.from(decimal, (digit) => String.fromCodePoint(zero + Number(digit))).join('')
}
