import { describe, expect, test } from 'vitest'
import { patternProblem } from '../../src/gate/keywords/patterns.ts'
import { linearPatterns } from '../../src/schema/linear-pattern.ts'
import { contractOf, contractWith, failures, json, noContent, serve } from './contracts.ts'

const raw = String.raw

/** Patterns that engines read alike, each with texts that match and texts that do not. */
const portable: [pattern: string, matching: string[], other: string[]][] = [
  [raw`^[^\x00]*$`, ['', 'a', '\u{1f331}', '\ud7ff\ue000\uffff', 'a\nb\r\u2028'], ['\0', 'a\0b']],
  [raw`^[A-Za-z0-9._-]{1,128}$`, ['a.B_9-', 'x'.repeat(128)], ['', 'x'.repeat(129), 'a b', '\u00e9']],
  ['^"caller";r=[0-9]+;t=[1-9][0-9]?$', ['"caller";r=0;t=60'], ['"caller";r=;t=1', '"caller";r=1;t=01']],
  [raw`^[^@]+@[^@]+$`, ['a@b', '\u{1f331}@\u{1f331}'], ['@', 'a@', 'a@b@c', '\u{1f331}']],
  [raw`^[^a]{2}$`, ['bc', '\u{1f331}b'], ['', 'ab', '\u{1f331}']],
  ['^(a|bc)*?d??$', ['', 'abcd', 'a'], ['b', 'dd']],
  ['^(?:a{2}){3}$', ['aaaaaa'], ['aaaaa', 'aaaaaaa']],
  ['^a{2,}$', ['aa', 'aaaa'], ['a']],
  ['^(?:)*(?:a|)$', ['', 'a'], ['b']],
  [raw`^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$`, [raw`^$\.*+?()[]{}|/`], ['']],
  [raw`^[\]\[\\\^\-a]+$`, [raw`][\^-a`], ['b', '.']],
  ['^[a^$.*+?(){}|/#& ~]+$', ['^', '$', '.', '*', '+', '?', '(', ')', '{', '}', '|', '/', '#', '&', ' ', '~'], ['b']],
  ['^[-a]+$', ['-a'], ['b']],
  ['^[a-c-]+$', ['a-c'], ['d']],
  [raw`^[\x09-\x0D\x20]\t\n\r\f\x7F$`, ['\v\t\n\r\f\x7f'], ['a\t\n\r\f\x7f']],
  ['^[\u4e00-\u9fff\u{1f331}]{2}$', ['\u4e2d\u{1f331}'], ['\u4e2d', 'a\u{1f331}']],
  ['^\u{1f331}+(?:\u{1f335})?$', ['\u{1f331}', '\u{1f331}\u{1f331}\u{1f335}'], ['', '\u{1f330}']],
  ['a-b: c!"#%&\',;<=>@_`~', ['a-b: c!"#%&\',;<=>@_`~'], ['a']],
  ['^a$|^b$', ['a', 'b'], ['ab', '']],
  ['', ['', 'a'], []],
]

const inClass = /^\[ at character \d+: the class is open or empty, or has in it what engines differ on/

/** Patterns that are refused, and what to write instead. */
const refused: [pattern: string, problem: RegExp][] = [
  [raw`^[^\u0000\uD800-\uDFFF]*$`, inClass],
  [
    raw`\u{1F331}`,
    /^\\u at character 1: write \\x and two digits from \\x00 to \\x7F, and any other character itself$/,
  ],
  ['\ud800', /^a lone surrogate: /],
  [raw`^\d+$`, /^\\d at character 2: .*write \[0-9\]/],
  [raw`\W`, /write \[A-Za-z0-9_\] or \[\^A-Za-z0-9_\]/],
  [raw`\s`, /write \[\\x09-\\x0D\\x20\]/],
  [raw`\bplant\b`, /what a word is/],
  [raw`\p{L}+`, /write the ranges of characters/],
  ['^.{1,5}$', /^\. at character 2: .*line ends; write the class/],
  ['(?<=(a+)+)b', /ahead nor behind; use allOf/],
  ['(?!a)', /ahead nor behind/],
  ['(?<name>a)', /named groups; write \(\?:/],
  ['(?P<name>a)', /named groups/],
  ['(?i)a', /flags and other groups/],
  ['(?>a)', /flags and other groups/],
  ['(*UTF)a', /verb/],
  [raw`^(a+)\1+$`, /backreferences/],
  [raw`\k<a>`, /backreferences/],
  [raw`\0`, /not every engine has this escape/],
  [raw`\Qa\E`, /not every engine has this escape/],
  [raw`a\-b`, /write the character without it/],
  [raw`\x80`, /two digits from \\x00 to \\x7F/],
  ['a\\', /nothing follows it/],
  ['a\nb', /control character as \\x and two digits/],
  ...['[]', '[^]', '[]a]', '[a', '[[:alpha:]]', '[:alpha:]', '[=a=]', '[a&&b]', '[a--b]', '[a~~b]'].map(
    (pattern): [string, RegExp] => [pattern, inClass],
  ),
  ['[z-a]', /^Range out of order/],
  ['(?:(?:a{0,500}){0,500}){0,500}', /invalid repeat count: .* minLength and maxLength/],
  ['^[a-z]{0,700}[a-z0-9]{0,700}$', /^it has 280\d steps with its repetitions, 2048 at most; repeat with/],
  ['a{3,2}', /^numbers out of order/],
  ['a{,3}', /^\{ at character 2: .*backslash/],
  ['a{01}', /^\{ at/],
  ['a}', /^\} at character 2: .*without a backslash/],
  ['a++', /second quantifier/],
  ['*a', /^Nothing to repeat/],
  ['^*', /^Nothing to repeat/],
  ['(a', /^Unterminated group; correct the expression$/],
  ['a)', /^Unmatched/],
]

/** On a machine that has other work. */
const generous = { timeout: 120_000 }

describe('a pattern', () => {
  test.each(portable)('is taken, and read alike by V8 and by the service: %j', (pattern, matching, other) => {
    expect(patternProblem(pattern)).toBeUndefined()
    for (const expression of [new RegExp(pattern, 'u'), linearPatterns(pattern)]) {
      expect(matching.filter((text) => !expression.test(text))).toEqual([])
      expect(other.filter((text) => expression.test(text))).toEqual([])
    }
  })

  test.each(refused)('is refused with what to write instead: %j', (pattern, problem) => {
    expect(patternProblem(pattern)).toMatch(problem)
  })

  test.each(['^(a+)+$', '^(?:a?){30}b{30}$'])(
    'takes little time wherever it is and whatever is sent: %s',
    generous,
    async (pattern) => {
      const long = `${'a'.repeat(60_000)}!`
      const matching = { type: 'string', pattern }
      const createThing = {
        operationId: 'createThing',
        parameters: [{ name: 'name', in: 'query', schema: matching }],
        requestBody: { content: json({ type: 'object', properties: { name: matching } }) },
        responses: { ...noContent, 200: { description: 'A thing.', content: json(matching) }, ...failures },
      }
      const contract = contractOf({ '/things': { post: createThing } })
      const send = await serve(contract, { createThing: () => ({ status: 200, body: long }) })
      const bodyOf = (name: string) => JSON.stringify({ name })
      expect((await send({ url: '/things', body: bodyOf(long) })).status).toBe(400)
      expect((await send({ url: `/things?name=${'a'.repeat(1_000)}!`, body: '{}' })).status).toBe(400)
      // The reply.
      expect((await send({ url: '/things', body: '{}' })).status).toBe(500)
    },
  )
})

test('a header that is a list takes little time however many blanks are in it', generous, async () => {
  const seen: string[][] = []
  const list = { type: 'array', items: { type: 'string' } }
  const send = await serve(contractWith({ parameters: [{ name: 'X-Names', in: 'header', schema: list }] }), {
    listThings: ({ header }: { header: { 'X-Names': string[] } }) => {
      seen.push(header['X-Names'])
      return { status: 204 }
    },
  })
  const blanks = ' \t'.repeat(50_000)
  const start = performance.now()
  for (const names of [`a${blanks}b`, `a${blanks},${blanks}b`, 'a, ,b ,, c', 'a,b\u00a0'])
    await send({ method: 'GET', url: '/things', headers: { 'x-names': names } })
  // A search that begins anew at each blank takes longer than ten seconds.
  expect(performance.now() - start).toBeLessThan(5_000)
  expect(seen).toEqual([[`a${blanks}b`], ['a', 'b'], ['a', '', 'b', '', 'c'], ['a', 'b\u00a0']])
})
