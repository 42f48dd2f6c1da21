import fc from 'fast-check'
import { createValueChecks, patternProblem } from 'fastify-contract/schema'
import { describe, expect, test } from 'vitest'
import { contractOf, failures, json, noContent, serve, withSchema } from './contracts.ts'

const raw = String.raw

/** Patterns that are matched. Some are valid only without the flag `u`, and are written here with it too. */
const matched: [pattern: string, withFlag?: string][] = [
  [raw`^\p{Letter}+\P{gc=Decimal_Number}$`],
  [raw`[\p{Uppercase_Letter}\p{Script=Greek}]`],
  [raw`^[^\x00]*$`],
  [raw`^[A-Za-z0-9._-]{1,128}$`],
  ['^"caller";r=[0-9]+;t=[1-9][0-9]?$'],
  ['^(a|bc)*?d??$'],
  ['^(?:)*(?:a|)$'],
  [raw`^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$`],
  [raw`^[\]\[\\\^\-a]+$`],
  ['^[a^$.*+?(){}|/#& ~]+$'],
  [raw`^[\x09-\x0D\x20]\t\n\v\r\f\x7F\0$`],
  ['^[\u4e00-\u9fff\u{1f331}]{2}$'],
  ['^\u{1f331}+(?:\u{1f335})?$'],
  ['a-b: c!"#%&\',;<=>@_`~'],
  ['^a$|^b$'],
  [''],
  [raw`^\d+\D$`],
  [raw`^\w[\w]\W[^\w]?[\W]$`],
  [raw`^\s+$`],
  [raw`^\S+$`],
  [raw`^[\s]*[^\s]$`],
  [raw`^[\S]*[^\S]$`],
  [raw`^[\s\S]*$`],
  [raw`^[a-c\s\d-]+$`, raw`^[a-c\s\d\-]+$`],
  [raw`a\b[^a]\B[^b]`],
  [raw`^[\b]$`],
  ['^.$'],
  ['^..$'],
  ['^.{1,5}$'],
  ['^[]?a$'],
  ['^[^]$'],
  [raw`^\u0061\u{1F331}\ud83c\udf31$`],
  [raw`^[^\u0000\uD800-\uDFFF]*$`],
  [raw`^[\u{1F330}-\u{1F332}\ud83c\udf35]$`],
  [raw`^\cJ[\cI]$`],
  [raw`^\p{L}\P{L}?[\p{Lu}\p{Nd}]\p{Script=Greek}?$`],
  ['^(?<name>a)(?<other>b)?$'],
  ['^[[:alpha:]$'],
  ['^[a&&b]--[a~~b]$'],
  ['^[--a]$'],
  [raw`^a\-b\_\@\ \#$`, raw`^a-b_@ #$`],
  [raw`^[\w-.]+$`, raw`^[\w\-.]+$`],
  [raw`^[a-\d]$`, raw`^[a\-\d]$`],
  ['^a{,3}$', raw`^a\{,3\}$`],
  ['^{a}]$', raw`^\{a\}\]$`],
]

/** Texts of characters that patterns tell apart. */
const characters = 'abcABZ019_-.,@"\\/[]{}()^$*+?|&~#;=:% '
  .split('')
  .concat([
    '\0',
    '\b',
    '\t',
    '\n',
    '\v',
    '\f',
    '\r',
    '\x1f',
    '\x7f',
    '\x85',
    '\xa0',
    '\xad',
    '\xe9',
    '\u0660',
    '\u03b1',
  ])
  .concat(['\u1680', '\u180e', '\u2003', '\u200b', '\u2028', '\u2029', '\u202f', '\u3000', '\ufeff', '\uffff'])
  .concat(['\u4e2d', '\u{1f330}', '\u{1f331}', '\u{1f335}', 'abc', 'a{,3}', 'a-b_@ #', '{a}]', 'a\u{1f331}\u{1f331}'])
  .concat([
    '"caller";r=0;t=60',
    raw`^$\.*+?()[]{}|/`,
    'a-b: c!"#%&\',;<=>@_`~',
    '\t\t\n\v\r\f\x7f\0',
    'x&--~',
    'aab',
    '01a',
    'ab- -',
    '0_~~',
    '\n\t',
    'aZ',
    'a--b',
    'a- ',
    'a--b',
    '\u4e2d\u{1f331}',
  ])
const text = fc.array(fc.constantFrom(...characters), { maxLength: 4 }).map((parts) => parts.join(''))

const notEnforced = ', so the pattern is not enforced; '
const ecmaScript = ` is not ECMAScript${notEnforced}`
const linear = `, which takes more than linear time${notEnforced}`

/** Patterns that are not matched, and what to write instead. */
const unmatched: [pattern: string, problem: string][] = [
  ['\ud800', `a lone surrogate is not valid UTF-8${notEnforced}correct the expression`],
  ['(?<=(a+)+)b', `(?<= is lookaround${linear}use allOf with several patterns`],
  ['(?!a)', `(?! is lookaround${linear}use allOf with several patterns`],
  [raw`^(a+)\1+$`, raw`\1 refers back${linear}repeat the text`],
  [raw`(?<a>b)\k<a>`, raw`\k refers back${linear}repeat the text`],
  [raw`\Aa\Z`, raw`\A${ecmaScript}write ^`],
  [raw`a\z`, raw`\z${ecmaScript}write $`],
  [raw`\h`, raw`\h${ecmaScript}write out the characters`],
  [raw`[\e]`, raw`\e${ecmaScript}write out the characters`],
  ['(?>a)', `(?>${ecmaScript}write (?:`],
  ['(?i)a', `(?i)${ecmaScript}write [aA]`],
  ['(?P<a>b)', `(?P<a>${ecmaScript}write (?<name>`],
  ['a(?#b)', `(?#b)${ecmaScript}leave it out`],
  ['a++', `++${ecmaScript}leave out the second +`],
  ['a\\', raw`is not ECMAScript (\ at end of pattern)${notEnforced}correct the expression`],
  ['[a', `is not ECMAScript (Unterminated character class)${notEnforced}correct the expression`],
  ['[z-a]', `is not ECMAScript (Range out of order in character class)${notEnforced}correct the expression`],
  ['a{3,2}', `is not ECMAScript (numbers out of order in {} quantifier)${notEnforced}correct the expression`],
  ['(a', `is not ECMAScript (Unterminated group)${notEnforced}correct the expression`],
  [raw`\p{None}`, raw`\p{None} is not known${notEnforced}write out the characters`],
  ['^a{0,2000}$', 'repeat with * or +, and use minLength and maxLength for lengths'],
  ['(?:(?:a{0,500}){0,500}){0,500}', 'repeat with * or +, and use minLength and maxLength for lengths'],
  ['^[a-z]{0,700}[a-z0-9]{0,700}$', `has 2804 steps, and the maximum is 2048${notEnforced}repeat with * or +`],
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
  test.each(matched)('is matched as in ECMA-262: %j', (pattern, withFlag = pattern) => {
    expect(patternProblem(pattern)).toBeUndefined()
    const expression = new RegExp(withFlag, 'u')
    const check = createValueChecks({}, undefined)({ type: 'string', pattern })
    if (typeof check === 'string') throw new Error(check)
    let count = 0
    const agrees = (sent: string) => {
      const isMatching = expression.test(sent)
      count += Number(isMatching)
      expect(check(sent) === undefined, JSON.stringify(sent)).toBe(isMatching)
    }
    for (const each of characters) agrees(each)
    fc.assert(fc.property(text, agrees), { numRuns: 300 })
    expect(count).toBeGreaterThan(0)
  })

  test.each(unmatched)('is not matched, with a remedy: %j', (pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem)
  })

  test.each(['^(a+)+$', '^(?:a?){30}b{30}$', '^(?:a{0,30}){30}$'])(
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

  test('of names that is not matched leaves the properties that it matches', async () => {
    const patternProperties = { '^(?!x)': { type: 'string' }, '^y': { type: 'string' } }
    const declared = { properties: { xa: { type: 'integer' } }, patternProperties }
    const closing = [{}, { additionalProperties: false }, { unevaluatedProperties: false }]
    for (const schema of [
      ...closing.map((words) => ({ ...declared, ...words })),
      { allOf: [declared], unevaluatedProperties: false },
      { ...declared, additionalProperties: { type: 'integer' } },
    ]) {
      let received: unknown
      const send = await serve(withSchema({ type: 'object', ...schema }), {
        createThing: ({ body }: { body: unknown }) => {
          received = body
          return { status: 204 }
        },
      })
      const bodyOf = (value: object) => JSON.stringify({ value })
      const value = { xa: 1, b: 'c', y: 'd' }
      expect((await send({ url: '/things', body: bodyOf(value) })).status).toBe(204)
      expect(received).toEqual({ value })
      expect((await send({ url: '/things', body: bodyOf({ xa: 'b' }) })).status).toBe(400)
      expect((await send({ url: '/things', body: bodyOf({ y: 1 }) })).status).toBe(400)
    }
  })

  test('reports a text that takes too long, and matches shorter ones', async () => {
    const send = await serve(withSchema({ type: 'string', pattern: '[ab]*a[ab]{1000}$' }), {
      createThing: () => ({ status: 204 }),
    })
    const bodyOf = (value: string) => JSON.stringify({ value })
    const start = process.cpuUsage()
    expect(await send({ url: '/things', body: bodyOf(ab(60_000)) })).toMatchObject({
      status: 400,
      text: expect.stringContaining('body/value takes too long to match its pattern; send a shorter text') as string,
    })
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1_000).toBeLessThan(3_000)
    expect((await send({ url: '/things', body: bodyOf(`a${ab(1_000)}`) })).status).toBe(204)
    expect((await send({ url: '/things', body: bodyOf(`a${ab(999)}`) })).text).toMatch(
      /body\/value must match the pattern/,
    )
  })
})
