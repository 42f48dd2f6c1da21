import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LinearPattern, shortText } from '../../src/schema/patterns/linear-pattern.ts'

const raw = String.raw

const escaped = [
  ...[raw`\d`, raw`\D`, raw`\w`, raw`\W`, raw`\s`, raw`\S`, raw`\t`, raw`\n`, raw`\r`, raw`\.`, raw`\\`, raw`\/`],
  ...[raw`\]`, raw`\x00`, raw`\x41`, raw`\u2028`, raw`\u00e9`],
]
const plain = [
  'a',
  'b',
  'Z',
  '0',
  '_',
  '-',
  ' ',
  '\n',
  '\u00e9',
  '\u2028',
  '\ufeff',
  '\uffff',
  '\u{1f331}',
  '\u{10ffff}',
]
const inClass = fc.constantFrom(
  ...escaped,
  ...plain.filter((each) => each !== '-'),
  '.',
  '^',
  '$',
  '[',
  '(',
  'a-z',
  '0-9',
)
const brackets = fc
  .tuple(fc.constantFrom('', '^'), fc.array(inClass, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '-'))
  .map(([not, members, last]) => `[${not}b${members.join('')}${last}]`)
const character = fc.oneof(fc.constantFrom(...escaped, ...plain, '.'), brackets)
const many = fc.constantFrom('*', '+', '?', '{2,}', '{0,3}', '{1,999}')
const pattern = fc
  .tuple(
    fc.array(fc.tuple(character, fc.constantFrom('', '', '{2}')), { maxLength: 3 }),
    fc.option(fc.tuple(character, many)),
  )
  .map(([first, last]) => `^${[...first, last ?? []].flat().join('')}$`)
const unit = fc.constantFrom(...plain, 'A', '.', ']', '\\', '/', '\0', '\r', '\x85', '\ud83c', '\udf31', 'e\u0301')
const text = fc.array(unit, { maxLength: 6 }).map((units) => units.join(''))

test('a plain pattern matches the same in both engines', () => {
  const counts = { matching: 0, others: 0 }
  const agree = (source: string, texts: readonly string[]) => {
    const tested = new LinearPattern(source)
    const automaton = new LinearPattern(`(?:${source})`)
    expect([tested.short !== undefined, automaton.short], source).toEqual([true, undefined])
    for (const each of texts) {
      const isMatch = automaton.test(each)
      counts[isMatch ? 'matching' : 'others'] += 1
      expect(tested.test(each), JSON.stringify([source, each])).toBe(isMatch)
      expect(tested.short?.test(each), JSON.stringify([source, each])).toBe(isMatch)
    }
  }
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (source, texts) => {
      agree(source, ['', '\u{1f331}'.repeat(3), ...texts])
    }),
    { numRuns: 200 },
  )
  expect(Math.min(counts.matching, counts.others)).toBeGreaterThan(100)
})

test('a long text matches a plain pattern as a short one does', () => {
  const noNull = new LinearPattern(raw`^[^\x00]*$`)
  for (const length of [shortText, shortText + 1, 100_000]) {
    expect(noNull.test('a'.repeat(length))).toBe(true)
    expect(noNull.test(`${'a'.repeat(length - 1)}\0`)).toBe(false)
  }
})

test.each([
  ...['a', '^a', 'a$', '^a*b*$', '^a*b$', '^a?b$', '^(a)$', '^(?:a)*$', '^a|b$', '^a*?$', '^a{2}?$', '^a{1,2}b$'],
  ...[raw`^\ba$`, raw`^\p{L}*$`, raw`^[\w-.]*$`, raw`^a\-b$`, '^[]$', raw`^\ud83c\udf31*$`, '^^a$', '^a$$', '^a]$'],
  `^${'a'.repeat(256)}$`,
])('a pattern that is not plain is left to the automaton: %s', (source) => {
  expect(new LinearPattern(source).short).toBeUndefined()
})
