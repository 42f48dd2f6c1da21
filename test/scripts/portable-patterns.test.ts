import { describe, expect, test } from 'vitest'
import { linearPatterns } from '../../packages/fastify-contract/src/schema/linear-pattern.ts'
import { patternProblem } from '../../packages/fastify-contract/src/gate/check/words/portable-patterns.ts'

const raw = String.raw

/**
 * Patterns that are read alike, each with texts that match and texts that do not. Confirmed for each text with Go 1.19,
 * Rust's regex 1.7.1, PCRE2 10.42 in UTF mode, Perl 5.36, Python 3.11, and V8 with and without `u`. They also agreed on
 * 15,000 random patterns that `patternProblem` lets through, with 18 texts each.
 */
const portable: [pattern: string, matching: string[], other: string[]][] = [
  [raw`^[^\x00]*$`, ['', 'a', '\u{1f331}', '\ud7ff\ue000\uffff', 'a\nb\r\u2028'], ['\0', 'a\0b']],
  [raw`^[^\x00]+$`, ['a', '\u{10ffff}'], ['', 'a\0']],
  [raw`^[A-Za-z0-9._-]{1,128}$`, ['a.B_9-', 'x'.repeat(128)], ['', 'x'.repeat(129), 'a b', '\u00e9']],
  [
    '^Bearer realm="[^"]+"',
    ['Bearer realm="a"', 'Bearer realm="\u{1f331}", x'],
    ['Bearer realm=""', ' Bearer realm="a"'],
  ],
  ['^"caller";r=[0-9]+;t=[1-9][0-9]?$', ['"caller";r=0;t=60'], ['"caller";r=;t=1', '"caller";r=1;t=01']],
  [raw`^[^@]+@[^@]+$`, ['a@b', '\u{1f331}@\u{1f331}'], ['@', 'a@', 'a@b@c', '\u{1f331}']],
  [raw`^[^,]+(?:,[^,]+)*$`, ['a', 'a,\u{1f331},c'], ['', 'a,', ',a']],
  [raw`^[^a]*[^b]+$`, ['c', '\u{1f331}', 'ba'], ['', 'ab']],
  ['^(a|bc)*?d??$', ['', 'abcd', 'a'], ['b', 'dd']],
  ['^(?:a{2}){3}$', ['aaaaaa'], ['aaaaa', 'aaaaaaa']],
  ['^a{1000}$', ['a'.repeat(1000)], ['a'.repeat(999)]],
  ['^a{2,}$', ['aa', 'aaaa'], ['a']],
  ['^(?:)*(?:a|)$', ['', 'a'], ['b']],
  [raw`^\^\$\\\.\*\+\?\(\)\[\]\{\}\|$`, [raw`^$\.*+?()[]{}|`], ['']],
  [raw`^[\]\[\\\^\-a]+$`, [raw`][\^-a`], ['b', '.']],
  [
    '^[a^$.*+?(){}|/#& ~]+$',
    ['^', '$', '.', '*', '+', '?', '(', ')', '{', '}', '|', '/', '#', '&', ' ', '~'],
    ['b', '-'],
  ],
  ['^[-a]+$', ['-a'], ['b']],
  ['^[^-a]*$', ['b'], ['-', 'a']],
  ['^[a-c-]+$', ['a-c'], ['d']],
  [raw`^[\--a]+$`, ['-', 'A', 'a'], ['b', ',']],
  [raw`^[\x09-\x0D\x20]\t\n\r\f\x7F$`, ['\v\t\n\r\f\x7f'], ['a\t\n\r\f\x7f']],
  ['^[\u00e0-\u00ff]+$', ['\u00e9\u00ff'], ['e', 'e\u0301', '\u0100']],
  ['^[\u4e00-\u9fff\ue000-\uffff]{2}$', ['\u4e2d\uffff'], ['\u4e2d', '\u{1f331}']],
  ['^\u{1f331}(?:\u{1f335})?$', ['\u{1f331}', '\u{1f331}\u{1f335}'], ['', '\u{1f330}']],
  ['[^x]+', ['\u{1f331}', 'xa'], ['x', '']],
  ['^/plants/[0-9]+$', ['/plants/54'], ['/plants/', 'plants/54']],
  ['a-b: c!"#%&\',;<=>@_`~', ['a-b: c!"#%&\',;<=>@_`~'], ['a']],
  ['^a$|^b$', ['a', 'b'], ['ab', '']],
  ['', ['', 'a'], []],
]

/** Patterns that are not, why, and the remedy. */
const unportable: [pattern: string, problem: RegExp][] = [
  [raw`^[^\u0000\uD800-\uDFFF]*$`, /^\\u at character 4: .*write the character itself, or \\x/],
  [raw`\u{1F331}`, /^\\u at/],
  ['\ud800', /^a lone surrogate at character 1: /],
  [raw`^\d+$`, /write \[0-9\]/],
  [raw`\D`, /write \[\^0-9\]/],
  [raw`[\w.]`, /write \[A-Za-z0-9_\]/],
  [raw`\W`, /write \[\^A-Za-z0-9_\]/],
  [raw`\s`, /write \[\\x09-\\x0D\\x20\]/],
  [raw`\S`, /write \[\^\\x09/],
  [raw`\bplant\b`, /what a word is/],
  [raw`\B`, /what a word is/],
  [raw`\p{L}+`, /flag u alone; write the ranges/],
  [raw`\P{L}`, /flag u alone/],
  ['^.{1,5}$', /line ends; write the class/],
  ['^(?=a)', /ahead nor behind; use allOf/],
  ['(?!a)', /ahead nor behind/],
  ['(?<=a)b', /ahead nor behind/],
  ['(?<!a)b', /ahead nor behind/],
  ['(?<name>a)', /named groups; write \(\?:/],
  ['(?P<name>a)', /named groups/],
  ['(?i)a', /flags and other groups/],
  ['(?i:a)', /flags and other groups/],
  ['(?>a)', /flags and other groups/],
  ['(?#a)', /flags and other groups/],
  ['(?', /flags and other groups/],
  ['(*UTF)a', /verb/],
  [raw`(a)\1`, /backreferences/],
  [raw`\k<a>`, /backreferences/],
  [raw`\0`, /write \\x00/],
  [raw`\cA`, /write \\x and two digits/],
  [raw`\v`, /write \\x0B/],
  [raw`a\/b`, /write \/ without the backslash/],
  [raw`a\-b`, /write - without it/],
  [raw`\"`, /write " without it/],
  [raw`\ `, /without it/],
  [raw`\<`, /write < without it/],
  [raw`\Aa\z`, /without it/],
  [raw`\Qa\E`, /without it/],
  [raw`\x80`, /two digits from \\x00 to \\x7F/],
  [raw`\x{7F}`, /two digits/],
  [raw`\x7`, /two digits/],
  ['a\\', /nothing follows it/],
  ['a\nb', /control character.*\\x and two digits/],
  ['[]', /ECMA-262 ends the class there/],
  ['[^]', /ECMA-262 ends the class there/],
  ['[]a]', /ECMA-262 ends the class there/],
  ['[a', /a class is open/],
  ['[a[b]', /write \\\[/],
  ['[[:alpha:]]', /write \\\[/],
  ['[:alpha:]', /POSIX class/],
  ['[=a=]', /POSIX class/],
  ['[a&&b]', /operator between classes/],
  ['[a--b]', /operator between classes/],
  ['[+--]', /operator between classes/],
  ['[a~~b]', /operator between classes/],
  ['[a-c-e]', /write it last, or \\-/],
  ['[z-a]', /wrong way round/],
  ['[\u{1f331}]', /without u/],
  ['[a-\uffff]', /spans the surrogates/],
  ['^[^a]$', /counts a character beyond the first plane as two; repeat the class with \* or \+/],
  ['^[^x]{1,5}$', /minLength and maxLength/],
  ['[^x]?', /minLength and maxLength/],
  ['[^x]{2,}', /minLength and maxLength/],
  ['^[^a]+[^b]+$', /two classes side by side/],
  ['^[^a]+b?(?:[^b]*[^c]+)$', /two classes side by side/],
  ['^(?:[^a]+|b)[^c]+$', /two classes side by side/],
  ['^(?:[^a]+b?){2}$', /two classes side by side/],
  ['\u{1f331}+', /half of the character/],
  ['a{1001}', /invalid repeat count: `\{1001\}`; .* minLength and maxLength/],
  ['(?:a{100}){11}', /invalid repeat count: `\{11\}`; .* minLength and maxLength/],
  ['^[a-z]{0,700}[a-z0-9]{0,700}$', /^it has 280\d steps with its repetitions, 2048 at most; repeat with/],
  ['^\u00e9{0}$', /repeated no times/],
  ['a{3,2}', /wrong way round/],
  ['a{,3}', /^\{ at character 2: .* put one before it/],
  ['a{01}', /^\{ at/],
  ['a{x}', /^\{ at/],
  ['a}', /^\} at/],
  ['a]', /^\] at/],
  ['a++', /second quantifier/],
  ['a*{2}', /second quantifier/],
  ['*a', /nothing to repeat/],
  ['a|+', /nothing to repeat/],
  ['^*', /an anchor cannot be repeated/],
  ['(a', /a group is open/],
  ['a)', /closes no group/],
  ['('.repeat(101) + ')'.repeat(101), /100 deep/],
]

describe('patternProblem', () => {
  test.each(portable)(
    'lets %j through, which is read alike by V8 with and without u, and by the service',
    (pattern, matching, other) => {
      expect(patternProblem(pattern)).toBeUndefined()
      for (const expression of [new RegExp(pattern), new RegExp(pattern, 'u'), linearPatterns(pattern)]) {
        expect(matching.filter((text) => !expression.test(text))).toEqual([])
        expect(other.filter((text) => expression.test(text))).toEqual([])
      }
    },
  )

  test.each(unportable)('says what to write instead of %j', (pattern, problem) => {
    expect(patternProblem(pattern)).toMatch(problem)
  })
})
