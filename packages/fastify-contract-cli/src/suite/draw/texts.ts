import fc from 'fast-check'
import { textFormats } from 'fastify-contract/schema'
import { type FlatSchema, isOuter } from './flat-schema.ts'
import { NoGenerator } from '../ground/no-generator.ts'

const moment = () =>
  fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true }).map((date) => date.toISOString())

const urls = () => fc.constantFrom('https://plants.example/', 'http://a.example:8080/b?c=d#e', 'https://[::1]/%20')

/** A plain text of each format, and texts of it. fast-check takes seconds to make its own URLs. */
const formats: Record<string, [plain: string, texts: () => fc.Arbitrary<string>]> = {
  date: ['2026-01-31', () => moment().map((text) => text.slice(0, 10))],
  'date-time': ['2026-01-31T12:00:00Z', moment],
  time: ['12:00:00Z', () => moment().map((text) => text.slice(11))],
  duration: ['P1D', () => fc.constantFrom('P1D', 'PT1H30M', 'P1Y2M3DT4H5M6S', 'P2W')],
  uuid: ['3fa85f64-5717-4562-b3fc-2c963f66afa6', () => fc.uuid()],
  email: ['name@example.com', () => fc.stringMatching(/^[a-z0-9]{1,12}@[a-z]{1,10}\.(?:org|example)$/)],
  hostname: ['example.com', () => fc.domain()],
  ipv4: ['192.0.2.1', () => fc.ipV4()],
  ipv6: ['2001:db8::1', () => fc.ipV6()],
  uri: ['https://example.com/', urls],
  url: ['https://example.com/', urls],
  'uri-reference': ['/path', () => fc.webPath()],
  byte: ['dGV4dA==', () => fc.base64String()],
  decimal: ['1.5', () => fc.constantFrom('0', '-12.50', '1000000.000001')],
}

/** The plain text of a format; undefined for an open one. */
export function formatText(format: string): string | undefined {
  return Object.hasOwn(formats, format) ? formats[format]![0] : undefined
}

/** Whether every text is of a format. One that is not known is open, as for the server. */
export function isUncheckedFormat(format: unknown): boolean {
  return typeof format !== 'string' || !Object.hasOwn(textFormats, format) || textFormats[format] === true
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
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff })
  // The simplest is a letter.
  .map((point) => String.fromCodePoint((point + 97) % 0x110000))
const anyUnit = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...awkwardUnits) },
  { weight: 1, arbitrary: codePoint.filter((unit) => unit.isWellFormed()) },
)

/** Longer than any text that a contract without `maxLength` should be believed to take. */
const longestText = 1_000
/** As long as most texts are. */
const shortText = 20
/** The longest text that is drawn, whatever `maxLength` allows: a server limits its bodies, too. */
const longestDrawn = 40_000
/** Longer texts are drawn rarely, and are made of a short one: a body may have very many texts. */
const longText = 300

/** What the texts of a schema have in common. @throws NoGenerator when it has none, or none that is sent */
export function textRules(flat: FlatSchema) {
  const { assertions, source } = flat
  const longest = source.longest ?? (isOuter(flat) ? longestText : shortText)
  const { minLength: min = 0, maxLength = Math.max(min, longest), format = '' } = assertions
  const { pattern = Object.hasOwn(formats, format) ? '' : (source.openPattern ?? '') } = assertions
  if (min > maxLength) throw new NoGenerator('no text has a possible length')
  const limit = source.longest === undefined ? longestDrawn : 10 * source.longest
  if (min > limit) throw new NoGenerator(`no text of ${String(min)} characters is sent`)
  const max = maxLength > limit ? Math.max(min, longest) : maxLength
  return { min, max, format, expression: expressionOf(pattern) }
}

/** Texts of a schema, not all of which it allows. @throws NoGenerator when its pattern is not one of fast-check's */
export function textsOf(flat: FlatSchema): fc.Arbitrary<string> {
  const { min, max, format, expression } = textRules(flat)
  if (Object.hasOwn(formats, format)) return formats[format]![1]()
  // Any pattern but that of one class of characters draws its own texts.
  if (!awkwardUnits.some((unit) => expression.test(unit))) return textsMatching(expression)
  // The characters of a binary text are its bytes.
  const unit = anyUnit.filter((each) => expression.test(each) && (format !== 'binary' || each <= '\x7f'))
  const units = fc.array(unit, { minLength: 1, maxLength: shortText, size: 'max' })
  // A long text repeats a short one: to draw its units would take seconds.
  return fc.tuple(units, new Lengths(min, max)).map(([some, length]) => {
    return Array.from({ length }, (_, index) => some[index % some.length]).join('')
  })
}

/** Lengths, the edges and what is near the shortest more often. Whatever was drawn, a shorter one is looked for. */
class Lengths extends fc.Arbitrary<number> {
  readonly #min: number
  readonly #max: number
  readonly #all: fc.Arbitrary<number>

  constructor(min: number, max: number) {
    super()
    this.#min = min
    this.#max = max
    this.#all = fc.integer({ min, max })
  }

  generate(random: fc.Random): fc.Value<number> {
    const isLong = this.#max > longText
    const near = Math.min(this.#max, this.#min + 12)
    const ranges: [weight: number, from: number, to: number][] = [
      [isLong ? 16 : 4, this.#min, near],
      [2, this.#min, this.#min],
      [isLong ? 1 : 2, this.#max, this.#max],
      [1, this.#min, this.#max],
    ]
    let choice = random.nextInt(
      1,
      ranges.reduce((sum, [weight]) => sum + weight, 0),
    )
    const [, from, to] = ranges.find(([weight]) => (choice -= weight) <= 0)!
    return new fc.Value(random.nextInt(from, to), undefined)
  }

  canShrinkWithoutContext(value: unknown): value is number {
    return this.#all.canShrinkWithoutContext(value)
  }

  shrink(value: number, context: unknown): fc.Stream<fc.Value<number>> {
    return this.#all.shrink(value, context)
  }
}

/** Texts of a pattern. @throws NoGenerator for one that fast-check does not know */
export function textsMatching(expression: RegExp): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(expression)
  } catch (error) {
    throw new NoGenerator(`cannot generate a text of the pattern ${expression.source}; give it an example`, {
      cause: error,
    })
  }
}

/** @throws NoGenerator for the pattern of another dialect */
function expressionOf(pattern: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // Only the strict syntax refuses some escapes.
    }
  }
  throw new NoGenerator(`cannot generate a text of the pattern ${pattern}; give it an example`)
}
