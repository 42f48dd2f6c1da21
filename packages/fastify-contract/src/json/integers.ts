const canonicalDecimal = /^(?:0|-?[1-9][0-9]*)$/
/** The number of RFC 8259, section 6: its sign, integer part, fraction and exponent. */
const jsonNumber = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

const limitOfExactDoubles = 2n ** 53n

/** The smallest and the largest value of each integer format of the OpenAPI format registry. */
export const integerRanges = {
  int32: { minimum: -(2n ** 31n), maximum: 2n ** 31n - 1n },
  int64: { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
} as const

/** No value of a format in `integerRanges` has more characters than this, so longer text need not be converted. */
const longestInteger = 20

/**
 * Reads an integer from a path or a query, after percent-decoding.
 *
 * @param text `0`, or an optional `-` and digits without a leading zero
 * @returns the integer, or undefined for every other form and for more than 20 characters
 */
export function readDecimal(text: string): bigint | undefined {
  return text.length <= longestInteger && canonicalDecimal.test(text) ? BigInt(text) : undefined
}

/** Whether a text is a JSON number. */
export function isJsonNumber(text: string): boolean {
  return jsonNumber.test(text)
}

/**
 * Reads an integer from the source text of a JSON number (RFC 8259, section 6).
 *
 * @param source a JSON number; digits alone may have any size, a form with a point or an exponent
 *   up to 2^53 in magnitude, because senders that write one hold a double
 * @returns the integer, or undefined where the number is a fraction or too large for its form
 */
export function readJsonInteger(source: string): bigint | undefined {
  const parts = jsonNumber.exec(source)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent] = parts
  if (fraction === '' && exponent === undefined) return whole.length < longestInteger ? BigInt(source) : undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  // The number of digits before the point, after the exponent has moved it.
  const places = digits.length - fraction.length + Number(exponent ?? 0)
  if (places <= 0 || places > 16) return undefined
  if (!/^0*$/.test(digits.slice(places))) return undefined
  const magnitude = BigInt(digits.slice(0, places).padEnd(places, '0'))
  if (magnitude > limitOfExactDoubles) return undefined
  return sign === '-' ? -magnitude : magnitude
}
