const canonicalDecimal = /^(?:0|-?[1-9][0-9]*)$/
/** A JSON number (RFC 8259, section 6): sign, integer part, fraction, exponent. */
const jsonNumber = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

const limitOfExactDoubles = 2n ** 53n

/** The range of each integer format of the OpenAPI format registry. */
export const integerRanges = {
  int32: { minimum: -(2n ** 31n), maximum: 2n ** 31n - 1n },
  int64: { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
  uint64: { minimum: 0n, maximum: 2n ** 64n - 1n },
} as const

/** Whether a value is the name of an integer format. */
export function isIntegerFormat(format: unknown): format is keyof typeof integerRanges {
  return typeof format === 'string' && Object.hasOwn(integerRanges, format)
}

/** Whether handlers get the integers of a format as bigints, because a number may round them. */
export function isOfBigInts(format: unknown): format is 'int64' | 'uint64' {
  return format === 'int64' || format === 'uint64'
}

/** Whether a text is the plain decimal form of an integer: `0`, or an optional `-` and digits without a leading zero. */
export function isDecimal(text: string): boolean {
  return canonicalDecimal.test(text)
}

/** Reads a JSON number, rounded to a double. @returns undefined for every other text, and beyond the range of a double */
export function readNumber(text: string): number | undefined {
  const number = jsonNumber.test(text) ? Number(text) : NaN
  return Number.isFinite(number) ? number : undefined
}

/** The number of digits of the largest double. */
const maxDigits = 309
/** Most integers are no longer, and are read faster. */
const shortDigits = 20

/**
 * The integer that a JSON number is, in any form: `1e2` and `100.0` are 100 (JSON Schema 2020-12, core, section 4.2.2).
 *
 * @param source a JSON number (RFC 8259, section 6)
 * @returns undefined if the number is a fraction, or beyond the range of a double
 */
export function readJsonInteger(source: string): bigint | undefined {
  if (source.length <= shortDigits && isDecimal(source)) return BigInt(source)
  const parts = jsonNumber.exec(source)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  // The number of digits before the decimal point once the exponent is applied.
  const places = digits.length - fraction.length + Number(exponent ?? 0)
  if (places <= 0 || places > maxDigits) return undefined
  if (!/^0*$/.test(digits.slice(places))) return undefined
  const magnitude = BigInt(digits.slice(0, places).padEnd(places, '0'))
  return sign === '-' ? -magnitude : magnitude
}

/** Whether the sender of a JSON number knows the integer exactly: with a point or an exponent, it holds a double. */
export function isExact(source: string, integer: bigint): boolean {
  return !/[.eE]/.test(source) || (integer <= limitOfExactDoubles && integer >= -limitOfExactDoubles)
}
