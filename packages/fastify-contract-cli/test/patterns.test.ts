import { createValueChecks } from 'fastify-contract/schema'
import { describe, expect, test } from 'vitest'
import { patternProblem } from '../src/keywords/patterns.ts'
import { contractOf, failures, json, noContent, serve, withSchema } from './contracts.ts'

const raw = String.raw

/** Patterns that engines read alike, each with texts that match and texts that do not. */
const portable: [pattern: string, matching: string[], other: string[]][] = [
  [raw`^[^\x00]*$`, ['', 'a', '\u{1f331}', '\ud7ff\ue000\uffff', 'a\nb\r\u2028'], ['\0', 'a\0b']],
  [raw`^[A-Za-z0-9._-]{1,128}$`, ['a.B_9-', 'x'.repeat(128)], ['', 'x'.repeat(129), 'a b', '\u00e9']],
  ['^"caller";r=[0-9]+;t=[1-9][0-9]?$', ['"caller";r=0;t=60'], ['"caller";r=;t=1', '"caller";r=1;t=01']],
  [raw`^[^@]+@[^@]+$`, ['a@b', '\u{1f331}@\u{1f331}'], ['@', 'a@', 'a@b@c', '\u{1f331}']],
  [raw`^[^a]{2}$`, ['bc', '\u{1f331}b'], ['', 'ab', '\u{1f331}']],
  ['^(a|bc)*?d??$', ['', 'abcd', 'a'], ['b', 'dd']],
  ['^(?:)*(?:a|)$', ['', 'a'], ['b']],
  [raw`^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$`, [raw`^$\.*+?()[]{}|/`], ['']],
  [raw`^[\]\[\\\^\-a]+$`, [raw`][\^-a`], ['b', '.']],
  ['^[a^$.*+?(){}|/#& ~]+$', ['^', '$', '.', '*', '+', '?', '(', ')', '{', '}', '|', '/', '#', '&', ' ', '~'], ['b']],
  [raw`^[\x09-\x0D\x20]\t\n\r\f\x7F$`, ['\v\t\n\r\f\x7f'], ['a\t\n\r\f\x7f']],
  ['^[\u4e00-\u9fff\u{1f331}]{2}$', ['\u4e2d\u{1f331}'], ['\u4e2d', 'a\u{1f331}']],
  ['^\u{1f331}+(?:\u{1f335})?$', ['\u{1f331}', '\u{1f331}\u{1f331}\u{1f335}'], ['', '\u{1f330}']],
  ['a-b: c!"#%&\',;<=>@_`~', ['a-b: c!"#%&\',;<=>@_`~'], ['a']],
  ['^a$|^b$', ['a', 'b'], ['ab', '']],
  ['', ['', 'a'], []],
]

const inClass = /\[ at character \d: the class is open, empty or not portable; use \\\[ and \\\],/

/** Patterns that are refused, and what to write instead. */
const refused: [pattern: string, problem: RegExp][] = [
  [raw`^[^\u0000\uD800-\uDFFF]*$`, inClass],
  [raw`\u{1F331}`, /\\u at character 1: engines differ on this escape; use \\x00 to \\x7F, or the/],
  ['\ud800', /a lone surrogate is not valid UTF-8; remove it/],
  [raw`^\d+$`, /\\d at character 2: it includes all Unicode digits in Rust and Python; use/],
  [raw`\s`, /\\s at character 1: engines differ on white space; use \[\\x09-\\x0D\\x20\] or/],
  [raw`\bplant\b`, /\\b at character 1: engines differ on word boundaries; use the characters/],
  ['^.{1,5}$', /\. at character 2: engines differ on line ends; use a class such as \[\^\\x0A\]/],
  ['(?<=(a+)+)b', /\(\? at character 1: RE2 and Rust have no lookaround; use allOf with two/],
  ['(?!a)', /\(\? at character 1: RE2 and Rust have no lookaround; use allOf with two/],
  ['(?<name>a)', /\(\? at character 1: engines differ on named groups; use \(\?:/],
  ['(?>a)', /\(\? at character 1: engines differ on flags and special groups; use \(\?: and/],
  ['(*UTF)a', /verb/],
  [raw`^(a+)\1+$`, /backreferences/],
  [raw`a\-b`, /\\- at character 2: engines differ on this escape; use the character itself/],
  [raw`\x80`, /\\x at character 1: engines differ on this escape; use \\x00 to \\x7F, or the/],
  ['a\\', /\\ at character 2: the escape is incomplete; use \\\\/],
  ['a\nb', /control character; use \\x and two digits/],
  ...['[]', '[^]', '[]a]', '[a', '[[:alpha:]]', '[:alpha:]', '[=a=]', '[a&&b]', '[a--b]', '[a~~b]'].map(
    (pattern): [string, RegExp] => [pattern, inClass],
  ),
  ['[z-a]', /^Range out of order/],
  ['(?:(?:a{0,500}){0,500}){0,500}', /invalid repeat count: .* minLength and maxLength/],
  ['^[a-z]{0,700}[a-z0-9]{0,700}$', /it has 2804 steps, and the maximum is 2048; repeat with \* or \+, and use/],
  ['a{3,2}', /^numbers out of order/],
  ['a{,3}', /^\{ at character 2: .*backslash/],
  ['a{01}', /^\{ at/],
  ['a}', /^\} at character 2: .*without a backslash/],
  ['a++', /second quantifier/],
  ['*a', /^Nothing to repeat/],
  ['(a', /^Unterminated group; correct the expression$/],
]

/** A text of `a` and `b` without a period. */
function ab(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state < 2 ** 30 ? 'a' : 'b'
  }).join('')
}

/** 60,000 characters in texts of a length. */
function texts(length: number): string[] {
  const all = ab(60_000)
  return Array.from({ length: 60_000 / length }, (_, index) => all.slice(index * length, (index + 1) * length))
}

/** On a machine that has other work. */
const generous = { timeout: 120_000 }

describe('a pattern', () => {
  test.each(portable)('is taken, and read alike by V8 and by the service: %j', (pattern, matching, other) => {
    expect(patternProblem(pattern)).toBeUndefined()
    const expression = new RegExp(pattern, 'u')
    const check = createValueChecks({}, undefined)({ type: 'string', pattern })
    if (typeof check === 'string') throw new Error(check)
    for (const test of [(text: string) => expression.test(text), (text: string) => check(text) === undefined]) {
      expect(matching.filter((text) => !test(text))).toEqual([])
      expect(other.filter((text) => test(text))).toEqual([])
    }
  })

  test.each(refused)('is refused with what to write instead: %j', (pattern, problem) => {
    expect(patternProblem(pattern)).toMatch(problem)
  })

  test.each(['^(a+)+$', '^(?:a?){30}b{30}$', '[ab]*a[ab]{1000}$', 'a{1000}b', '^(?:a{0,30}){30}$'])(
    'takes little time wherever it is and whatever is sent: %s',
    generous,
    async (pattern) => {
      const long = `${'a'.repeat(60_000)}!`
      const matching = { type: 'string', pattern }
      const createThing = {
        operationId: 'createThing',
        parameters: [{ name: 'name', in: 'query', schema: matching }],
        requestBody: {
          content: json({ type: 'object', properties: { name: matching, names: { type: 'array', items: matching } } }),
        },
        responses: { ...noContent, 200: { description: 'A thing.', content: json(matching) }, ...failures },
      }
      const contract = contractOf({ '/things': { post: createThing } })
      const send = await serve(contract, { createThing: () => ({ status: 200, body: long }) })
      const bodyOf = (name: string, names: string[] = []) => JSON.stringify({ name, names })
      const start = process.cpuUsage()
      expect((await send({ url: '/things', body: bodyOf(long) })).status).toBe(400)
      expect((await send({ url: '/things', body: bodyOf(ab(60_000)) })).status).toBe(400)
      // Each brings about other states.
      expect((await send({ url: '/things', body: bodyOf('', texts(1_000)) })).status).toBe(400)
      expect((await send({ url: '/things', body: bodyOf('', texts(100)) })).status).toBe(400)
      expect((await send({ url: `/things?name=${'a'.repeat(1_000)}!`, body: '{}' })).status).toBe(400)
      // The reply.
      expect((await send({ url: '/things', body: '{}' })).status).toBe(500)
      const { user, system } = process.cpuUsage(start)
      expect((user + system) / 1_000).toBeLessThan(3_000)
    },
  )

  test('that takes too long for a text says so, and is matched with shorter texts', async () => {
    const send = await serve(withSchema({ type: 'string', pattern: '[ab]*a[ab]{1000}$' }), {
      createThing: () => ({ status: 204 }),
    })
    const bodyOf = (value: string) => JSON.stringify({ value })
    expect(await send({ url: '/things', body: bodyOf(ab(60_000)) })).toMatchObject({
      status: 400,
      text: expect.stringContaining('body/value takes too long to match its pattern; send a shorter text') as string,
    })
    expect((await send({ url: '/things', body: bodyOf(`a${ab(1_000)}`) })).status).toBe(204)
    expect((await send({ url: '/things', body: bodyOf(`a${ab(999)}`) })).text).toMatch(/body\/value must match pattern/)
  })
})
