import { type Json, RawText } from '../draw/json-value.ts'

/** A value as it stands in a URL, before it is encoded, and in a header. */
export function textOf(value: Json): string {
  if (value instanceof RawText) return value.text
  return typeof value === 'string' ? value : spelled(value, 0)
}

/** Every byte in percent-encoding, which means the same (RFC 3986, section 2.3). */
export function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

/** The text of a cookie, which is percent-decoded, without what would end it and the quotes around it. */
export function cookieText(text: string): string {
  return text.replaceAll(/[%;]/g, encodeURIComponent).replace(/^"(.*)"$/, '%22$1%22')
}

/** Writes JSON in one of the ways that mean the same: order, white space, escapes and forms of numbers. */
export function spelled(value: Json, way: number): string {
  const [escapes, space] = [Math.trunc(way / 2) % 3, ['', ' ', '\t\r\n '][way % 3]]
  const text = JSON.stringify(
    value,
    (_name, member: unknown) => {
      if (typeof member === 'bigint') {
        const spellings = integerSpellings(member)
        return JSON.rawJSON(spellings[way % spellings.length] ?? '')
      }
      if (member instanceof RawText) return JSON.rawJSON(member.text)
      if (typeof member === 'string' && escapes === 1) return JSON.rawJSON(`"${escaped(member, /[^]/g)}"`)
      if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
      return way % 2 === 0 ? member : Object.fromEntries(Object.entries(member).reverse())
    },
    space,
  )
  return escapes === 2 ? escaped(text, /[\u007f-\uffff]/g) : text
}

function escaped(text: string, units: RegExp): string {
  return text.replaceAll(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Every way to write an integer as a JSON number that the contract takes for the same integer, the plain one first. */
function integerSpellings(integer: bigint): string[] {
  const plain = String(integer)
  if (integer === 0n) return ['0', '-0', '0.0', '-0.0', '0e0', '0E-5', '0e5', '0.000e+10']
  const [sign, digits] = integer < 0n ? ['-', plain.slice(1)] : ['', plain]
  // Beyond 2^53 there is no form with a point or an exponent.
  if (BigInt(digits) > 2n ** 53n) return [plain]
  const integerForms = ['', '.0', '.000', 'e0', 'E+0', 'e-0', '0e-1', '00.0E-2'].map((end) => `${plain}${end}`)
  const [first = '', ...others] = digits
  const scientific = `${sign}${first}.${others.join('') || '0'}e${String(others.length)}`
  const tens = integer % 10n === 0n ? [`${String(integer / 10n)}e1`] : []
  return [...integerForms, scientific, `${sign}0.${digits}e${String(digits.length)}`, ...tens]
}
