import fc from 'fast-check'
import { type FlatSchema } from './flat-schema.ts'
import { Undrawable } from './undrawable.ts'
import { beyondFormats } from './ranges.ts'

const moment = fc
  .date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())

const urls = fc.constantFrom('https://plants.example/', 'http://a.example:8080/b?c=d#e', 'https://[::1]/%20')

/** Texts of formats. fast-check takes seconds to make its own URLs. */
const textFormats: Record<string, () => fc.Arbitrary<string>> = {
  date: () => moment.map((text) => text.slice(0, 10)),
  'date-time': () => moment,
  time: () => moment.map((text) => text.slice(11)),
  duration: () => fc.constantFrom('P1D', 'PT1H30M', 'P1Y2M3DT4H5M6S', 'P2W'),
  uuid: () => fc.uuid(),
  email: () => fc.stringMatching(/^[a-z0-9]{1,12}@[a-z]{1,10}\.(?:org|example)$/),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uri: () => urls,
  url: () => urls,
  'uri-reference': () => fc.webPath(),
  byte: () => fc.base64String(),
}

/** Whether every text is of a format. One that is not known is open, as for the server. */
export function isFreeFormat(format: unknown): boolean {
  return typeof format !== 'string' || !(format in textFormats) || format === beyondFormats
}

/** Characters that software is known to change, cut or refuse. */
const awkwardUnits = Array.from(
  'aZ09 "\\/\'<&%+;:,{}[]' +
    '\0\x01\b\t\n\v\f\r\x1b\x1f\x7f\x80\x85\x9f\xa0\xad' +
    // Letters that combine, change case into more than one letter, or have equals under normalisation.
    '\u0301\u0327\u00e9\u00df\u0130\u01c5\u03c2\u1e9e\ufb01\u212b\uff21\u1100\u1161' +
    // From right to left, without width, separators, marks.
    '\u05d0\u0627\ufdfd\u200e\u202e\u2066\u2069\u180e\u200b\u200d\u2028\u2029\u3000\ufe0f\ufeff\ufffc\ufffd' +
    // The neighbours of the surrogates, private use, noncharacters, unassigned, and what is beyond the first plane.
    '\ud7ff\ue000\ufdd0\ufdef\ufffe\uffff\u0378\u{10000}\u{1f331}\u{1f3fd}\u{1fffe}\u{e0001}\u{f0000}\u{10ffff}',
)

// The ready unit of all code points takes fast-check seconds to make.
const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))
const anyUnit = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...awkwardUnits) },
  { weight: 1, arbitrary: codePoint.filter((unit) => unit.isWellFormed()) },
)

/** Longer than any text that a contract without `maxLength` should be believed to take. */
const longestText = 1_000

/** Texts of a schema. @throws Undrawable when its pattern is not one of fast-check's */
export function textOf({ assertions, contract }: FlatSchema): fc.Arbitrary<string> {
  const { minLength: min = 0, maxLength: max = longestText, pattern = '', format = 'binary' } = assertions
  if (min > max) throw new Undrawable('no text has a possible length')
  if (textFormats[format] !== undefined) return textFormats[format]()
  const expression = known(pattern, () => new RegExp(pattern, 'u'))
  if (contract.isPlain === true && expression.test('text'))
    return fc.constant('text'.repeat(Math.ceil(min / 4) || 1).slice(0, max))
  // Any pattern but that of one class of characters draws its own texts.
  if (!awkwardUnits.some((unit) => expression.test(unit))) return known(pattern, () => fc.stringMatching(expression))
  const unit = anyUnit.filter((each) => expression.test(each))
  const ofLength = (minLength: number, maxLength: number) => fc.string({ unit, minLength, maxLength, size: 'max' })
  return fc.oneof(
    { weight: 4, arbitrary: ofLength(min, Math.min(max, min + 12)) },
    { weight: 2, arbitrary: ofLength(min, min) },
    { weight: 2, arbitrary: ofLength(max, max) },
    { weight: 1, arbitrary: ofLength(min, max) },
  )
}

function known<Made>(pattern: string, make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    throw new Undrawable(`no texts are known of the pattern ${pattern}`, { cause: error })
  }
}
