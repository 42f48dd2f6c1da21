import { expect, test } from 'vitest'
import { linearPatterns } from '../../src/schema/linear-pattern.ts'

test.each([
  ['^(a+)+$', 'a'],
  ['^(a|aa)+$', 'a'],
  ['(x+x+)+y', 'x'],
  ['^[a-z]*[a-z]*[a-z]*[a-z]*$', 'b'],
  ['^(?:a?){30}a{30}$', 'a'],
  ['^(?:[α-ω]+)*$', 'α'],
])('%s takes little time for a long text that does not match', (pattern, part) => {
  const text = `${part.repeat(60_000)}!`
  const start = performance.now()
  expect(linearPatterns(pattern).test(text)).toBe(false)
  // It takes some milliseconds where there is no other work.
  expect(performance.now() - start).toBeLessThan(1_000)
})

test('a pattern matches what it matches in JavaScript, anywhere in a text', () => {
  const texts = ['', 'a', 'ab', 'aab', 'b\n', 'a\nb', '\n', 'é', '🌱', '🌱a', 'A1-', ' a ', 'a.b']
  for (const pattern of [
    'a',
    '^a',
    'a$',
    '^a+b?$',
    '^[^a]*$',
    '^.$',
    '^🌱',
    '[🌱é]',
    '^\\P{L}$',
    '\\.',
    '^$',
    'a{2}',
  ]) {
    const expected = texts.map((text) => new RegExp(pattern, 'u').test(text))
    expect(
      texts.map((text) => linearPatterns(pattern).test(text)),
      pattern,
    ).toEqual(expected)
  }
})

test.each(['(a)\\1', '(?=a)', '(?<!a)b', '('])('%s cannot be matched so and is refused', (pattern) => {
  expect(() => linearPatterns(pattern)).toThrow()
})
