import { describe, expect, test } from 'vitest'
import { contractOf, contractWith, failures, noContent, problemsOf, serve } from './own-contract.ts'

const raw = String.raw

/**
 * Patterns that have so many ways to match a text that an engine which tries one after the other takes minutes, each
 * with such a text.
 */
const backtracking: [pattern: string, text: string][] = [
  ['^(a+)+$', 'a'],
  ['^(a|a)*$', 'a'],
  ['^(a|aa)+$', 'a'],
  ['(x+x+)+y', 'x'],
  ['^[a-z]*[a-z]*[a-z]*[a-z]*$', 'z'],
  ['^(?:(?:(?:b+)+)+c?)+$', 'b'],
  ['^(?:[a-z]|[0-9]|[a-c0-3])*$', 'a1'],
  ['^(?:a?){30}a{30}$', 'a'],
  ['^(?:a|a|b){1,40}$', 'a'],
  ['^(?:a{0,30}){30}b$', 'a'],
  ['^([^,]*)*$', 'a,'],
  ['^(é+)+$', 'é'],
  ['^(?:[α-ω]+)*$', 'ω'],
  ['^(?:🌱|🌱)*$', '🌱'],
  ['[a-z]+[0-9]$', 'a'],
  ['^(?:[a-z]{0,200}){5}$', 'a'],
  ['a[ab]{1000}c', 'abaabb'],
]

/** Texts of a pattern that people use, and texts that are not of it. */
const used: Record<string, [pattern: string, texts: string[], others: string[]]> = {
  uuid: [
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    ['123e4567-e89b-12d3-a456-426614174000'],
    ['123e4567e89b12d3a456426614174000'],
  ],
  slug: ['^[a-z0-9]+(?:-[a-z0-9]+)*$', ['a', 'a-b-3'], ['a-', '-a', 'a--b']],
  semver: [
    raw`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-((?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)` +
      raw`(?:\.(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`,
    ['1.0.0', '1.0.0-alpha.1+build.7', '0.0.4'],
    ['1.0', '01.0.0', '1.0.0-01', 'v1.0.0'],
  ],
  email: [raw`^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$`, ['me@a.example'], ['me@example', '@a.example']],
  'E.164': [raw`^\+[1-9][0-9]{1,14}$`, ['+4930901820'], ['030', '+0']],
  'an ISO date': ['^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$', ['2024-02-29'], ['2024-13-01']],
  hostname: [
    raw`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$`,
    ['a', 'a-b.example', 'a'.repeat(63)],
    ['-a', 'a..b', 'a'.repeat(64)],
  ],
  'a hex colour': ['^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', ['#fff', '#0099CC'], ['#ff', 'fff']],
  IBAN: ['^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$', ['DE89370400440532013000'], ['DE8937']],
  base64: ['^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$', ['', 'YQ==', 'YWJj'], ['YQ=', 'YQ']],
  'an ARN': [
    '^arn:aws:[a-z0-9-]+:[a-z0-9-]*:[0-9]{12}:[A-Za-z0-9/_-]{1,512}$',
    ['arn:aws:s3::123456789012:b'],
    ['arn'],
  ],
  'a part of a text': ['[0-9]', ['a1'], ['a']],
}

/** On a machine that has other work. */
const generous = { timeout: 120_000 }

/** As much as a body may have. */
const long = (text: string) => text.repeat(60_000 / Buffer.byteLength(text))

describe('a pattern', () => {
  // With a backtracking engine none of these ends within an hour.
  test.each(backtracking)(
    'takes little time wherever it is and whatever is sent: %s',
    generous,
    async (pattern, text) => {
      const { send } = await serve(everywhere(pattern), { sendThing: () => thingReply(`${long(text)}!`) })
      const attacks = [
        { url: '/things', body: JSON.stringify({ name: `${long(text)}!` }) },
        { url: '/things', body: JSON.stringify({ names: { [`${long(text)}!`]: 1 } }) },
        { url: `/things?name=${encodeURIComponent(`${text.repeat(1_000)}!`)}`, body: '{}' },
        { url: '/things', body: '{}' },
      ]
      const start = performance.now()
      const statuses = []
      for (const attack of attacks) statuses.push((await send({ method: 'POST', ...attack })).status)
      expect(performance.now() - start).toBeLessThan(generous.timeout)
      // The last is the reply.
      expect(statuses).toEqual([400, 400, 400, 500])
    },
  )

  test.each(Object.entries(used))('that people use is validated: %s', async (_name, [pattern, texts, others]) => {
    const { send } = await serve(everywhere(pattern), { sendThing: () => ({ status: 204 }) })
    const statusOf = async (text: string) =>
      (await send({ method: 'POST', url: '/things', body: JSON.stringify({ name: text }) })).status
    for (const text of texts) expect([text, await statusOf(text)]).toEqual([text, 204])
    for (const text of others) expect([text, await statusOf(text)]).toEqual([text, 400])
  })

  test.each([
    ['(?=(a+)+$)', 'look neither ahead nor behind; use allOf'],
    ['^(?<=(a+)+)b', 'look neither ahead nor behind; use allOf'],
    [raw`^(a+)\1+$`, 'no backreferences; write the text again'],
    [raw`^(?<x>a+)\k<x>+$`, 'not every engine has named groups'],
    ['^[a-z]{0,1000}[a-z]{0,1000}$', 'steps with its repetitions, 2048 at most'],
    ['(?:(?:a{0,500}){0,500}){0,500}', 'invalid repeat count'],
  ])('that takes more than such time is refused with its place and a remedy: %s', async (pattern, remedy) => {
    const start = performance.now()
    const problems = await problemsOf(everywhere(pattern))
    expect(performance.now() - start).toBeLessThan(10_000)
    expect(problems).toHaveLength(4)
    for (const problem of problems) expect(problem).toMatch(/^openapi\.yaml:\d+:\d+: pattern(?:Properties)?: /)
    for (const problem of problems) expect(problem).toContain(remedy)
  })
})

test('a header that is a list takes little time however many blanks are in it', generous, async () => {
  const seen: string[][] = []
  const list = { type: 'array', items: { type: 'string' } }
  const { send } = await serve(contractWith({ parameters: [{ name: 'X-Names', in: 'header', schema: list }] }), {
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

const thingReply = (text: string) => ({ status: 200, body: text })

/** A contract with a pattern in a body, a name of it, a parameter and a response. */
function everywhere(pattern: string) {
  const matching = { type: 'string', pattern }
  const thing = {
    type: 'object',
    properties: {
      name: matching,
      names: { type: 'object', patternProperties: { [pattern]: true }, additionalProperties: false },
    },
  }
  const sendThing = {
    operationId: 'sendThing',
    parameters: [{ name: 'name', in: 'query', schema: matching }],
    requestBody: { content: { 'application/json': { schema: thing } } },
    responses: {
      ...noContent,
      200: { description: 'A thing.', content: { 'application/json': { schema: matching } } },
      ...failures,
    },
  }
  return contractOf({ '/things': { post: sendThing } })
}
