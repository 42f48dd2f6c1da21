import fc from 'fast-check'
import type { FlatSchema } from './flat-schema.ts'
import { formatted, formless } from './format-arbitrary.ts'

/** Longer than any text that a contract without `maxLength` should be believed to take in every place. */
const longestText = 1_000

/** Code points, and halves of them, that software is known to change, cut or refuse. */
const awkwardUnits: readonly string[] = [
  ...Array.from('aZ09 "\\/\'<&%+;:,{}[]'),
  ...[
    '\u0000',
    '\u0001',
    '\b',
    '\t',
    '\n',
    '\v',
    '\f',
    '\r',
    '\u001b',
    '\u001f',
    '\u007f',
    '\u0080',
    '\u0085',
    '\u009f',
    '\u00a0',
    '\u00ad',
  ],
  // Letters that combine, change case into more than one letter, or have equals under normalisation.
  ...[
    '\u0301',
    '\u0327',
    '\u00e9',
    '\u00df',
    '\u0130',
    '\u01c5',
    '\u03c2',
    '\u1e9e',
    '\ufb01',
    '\u212b',
    '\uff21',
    '\u1100',
    '\u1161',
  ],
  ...['\u0590', '\u05d0', '\u0627', '\ufdfd', '\u200e', '\u200f', '\u202e', '\u2066', '\u2069'],
  ...[
    '\u180e',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u2028',
    '\u2029',
    '\u2060',
    '\u3000',
    '\ufe0f',
    '\ufeff',
    '\ufff9',
    '\ufffc',
    '\ufffd',
  ],
  // The neighbours of the surrogates, noncharacters, private use, unassigned.
  ...[
    '\ud7ff',
    '\ue000',
    '\uf8ff',
    '\ufdd0',
    '\ufdef',
    '\ufffe',
    '\uffff',
    '\u0378',
    '\u{1fffe}',
    '\u{10ffff}',
    '\u{f0000}',
  ],
  ...['\u{10000}', '\u{1f331}', '\u{1f3fd}', '\u{1f1e6}', '\u{e0001}', '\u{2f800}', '\u{1d165}'],
]

/** No characters at all: UTF-8 cannot hold them, and a pattern that every engine reads alike cannot name them. */
const loneSurrogates: readonly string[] = ['\ud800', '\udbff', '\udc00', '\udfff']

const anyText = /^/

const units: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...awkwardUnits) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 0, max: 0x10ffff })
      .map((codePoint) => String.fromCodePoint(codePoint))
      .filter((text) => text.isWellFormed()),
  },
)

/** Texts that a schema allows, its edges among them; lengths are in code points. */
export function textOf(schema: FlatSchema): fc.Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as string[]))
  const { minLength = 0, maxLength = longestText, pattern, sendable = anyText } = schema
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  const isAllowed = (text: string) =>
    isWithin(text, minLength, maxLength) && (expression?.test(text) ?? true) && sendable.test(text)
  const ofFormat = formatted(schema.format, schema.examples)
  if (ofFormat !== undefined) return ofFormat.filter(isAllowed)
  // A pattern of one character class is met by texts of characters that meet it; any other pattern draws its own texts.
  const isOfClass =
    expression === undefined || awkwardUnits.some((unit) => expression.test(unit) && sendable.test(unit))
  if (!isOfClass) return fc.stringMatching(expression).filter(isAllowed)
  const unit = units.filter((drawn) => (expression?.test(drawn) ?? true) && sendable.test(drawn))
  return textOfLengths(unit, lengths(minLength, maxLength), schema.examples).filter(isAllowed)
}

/** Texts that break one rule of a schema and no other, by the rule's keyword. */
export function textBreaks(schema: FlatSchema): Record<string, fc.Arbitrary<string>> {
  const { minLength = 0, maxLength = longestText, pattern, sendable = anyText } = schema
  const breaks: Record<string, fc.Arbitrary<string>> = {}
  // A text that is too long or has another letter is rarely one of its format or its enum.
  if (schema.enum !== undefined) return { enum: fc.constantFrom(...schema.enum.map((member) => `${String(member)} ~`)) }
  if (formatted(schema.format, schema.examples) !== undefined)
    return { format: formless.filter((text) => sendable.test(text)) }
  if (minLength > 0) breaks['minLength'] = lengthenedTo({ ...schema, minLength: 0, maxLength: minLength - 1 })
  if (schema.maxLength !== undefined)
    breaks['maxLength'] = lengthenedTo({ ...schema, minLength: maxLength + 1, maxLength: maxLength + 20 })
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u')
    const refused = awkwardUnits.filter((unit) => !expression.test(unit) && sendable.test(unit))
    if (refused.length === 0) return breaks
    breaks['pattern'] = fc
      .tuple(textOf({ ...schema, minLength: 0, maxLength: maxLength - 1 }), fc.constantFrom(...refused), fc.nat())
      .map(([text, unit, at]) => inserted(Array.from(text), unit, at))
      .filter((text) => !expression.test(text) && isWithin(text, minLength, maxLength) && sendable.test(text))
  }
  return breaks
}

/** Texts that a schema allows but for a lone surrogate in them, which no text of the contract may have. */
export function withLoneSurrogate(schema: FlatSchema): fc.Arbitrary<string> {
  const { maxLength = longestText } = schema
  return fc
    .tuple(textOf({ ...schema, minLength: 0, maxLength: maxLength - 1 }), fc.constantFrom(...loneSurrogates), fc.nat())
    .map(([text, unit, at]) => inserted(Array.from(text), unit, at))
}

function lengthenedTo(schema: FlatSchema): fc.Arbitrary<string> {
  return textOf({ ...schema, examples: [] })
}

function lengths(minLength: number, maxLength: number): fc.Arbitrary<number> {
  const few = fc.integer({ min: minLength, max: Math.min(maxLength, minLength + 12) })
  return fc.oneof(
    { weight: 5, arbitrary: few },
    { weight: 1, arbitrary: fc.constantFrom(minLength, maxLength) },
    { weight: 1, arbitrary: fc.integer({ min: minLength, max: maxLength }) },
  )
}

function textOfLengths(
  unit: fc.Arbitrary<string>,
  length: fc.Arbitrary<number>,
  examples: unknown[],
): fc.Arbitrary<string> {
  const drawn = length
    .chain((size) => fc.array(unit, { minLength: size, maxLength: size }))
    .map((parts) => parts.join(''))
  const texts = examples.filter((example) => typeof example === 'string')
  return texts.length === 0
    ? drawn
    : fc.oneof({ weight: 30, arbitrary: drawn }, { weight: 1, arbitrary: fc.constantFrom(...texts) })
}

/** JSON Schema counts the characters of RFC 8259, which are code points. */
function isWithin(text: string, minLength: number, maxLength: number): boolean {
  const { length } = Array.from(text)
  return length >= minLength && length <= maxLength
}

function inserted(parts: string[], unit: string, at: number): string {
  return parts.toSpliced(at % (parts.length + 1), 0, unit).join('')
}
