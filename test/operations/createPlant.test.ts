import { describe, expect, test } from 'vitest'
import { awkwardTexts, refusedTexts } from '../support/client/awkward-texts.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const post = { method: 'POST', url: '/plants' }
const get = { method: 'GET', url: '/plants' }

describe('what is answered and kept', () => {
  test('a plant is answered and listed without its id', async () => {
    const { send } = await newCaller()
    const created = await send({ ...post, body: { id: 54, name: 'Monstera deliciosa', tag: 'indoor' } })
    expect(created).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      text: '{"name":"Monstera deliciosa","tag":"indoor"}',
    })
    expect((await send(get)).text).toBe('[{"name":"Monstera deliciosa","tag":"indoor"}]')
  })

  test('a tag that is left out is absent from every response', async () => {
    const { send } = await newCaller()
    expect((await send({ ...post, body: { id: 55, name: 'Aloe vera' } })).text).toBe('{"name":"Aloe vera"}')
    expect((await send(get)).text).toBe('[{"name":"Aloe vera"}]')
  })

  test('properties that the contract does not name are neither stored nor echoed', async () => {
    const { send } = await newCaller()
    const body =
      '{"id":1,"name":"a","colour":"green","ID":2,"nested":{"id":3,"name":"b"},"__proto__":{"tag":"c"},' +
      '"constructor":null,"caller":"you","json":"[]"}'
    expect((await send({ ...post, body })).text).toBe('{"name":"a"}')
    expect((await send(get)).text).toBe('[{"name":"a"}]')
  })

  test('a deeply nested property that the contract does not name is ignored', async () => {
    const { send } = await newCaller()
    const body = `{"id":1,"deep":${'['.repeat(99)}${']'.repeat(99)},"name":"a"}`
    expect(await send({ ...post, body })).toMatchObject({ status: 200, text: '{"name":"a"}' })
  })
})

describe('texts', () => {
  test.each(awkwardTexts)('%s comes back as it was sent, in name and in tag', async (_description, text) => {
    const { send } = await newCaller()
    const created = await send({ ...post, body: { id: 1, name: text, tag: text } })
    expect(JSON.parse(created.text)).toStrictEqual({ name: text, tag: text })
    expect(JSON.parse((await send(get)).text)).toStrictEqual([{ name: text, tag: text }])
  })

  test.each(awkwardTexts)(
    '%s is the same text when every UTF-16 unit is sent as an escape',
    async (_description, text) => {
      const { send } = await newCaller()
      const escaped = Array.from(
        { length: text.length },
        (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
      ).join('')
      const created = await send({ ...post, body: `{"id":1,"name":"${escaped}"}` })
      expect(JSON.parse(created.text)).toStrictEqual({ name: text })
      expect(JSON.parse((await send(get)).text)).toStrictEqual([{ name: text }])
    },
  )

  test.each(refusedTexts)('a name that %s is refused and nothing is stored', async (_description, json) => {
    const { send } = await newCaller()
    expect(
      expectFailure(await send({ ...post, body: `{"id":1,"name":${json},"tag":"t"}` }), 'invalid_request'),
    ).toMatch(/^body\/name /)
    expect((await send(get)).text).toBe('[]')
  })

  test.each(refusedTexts)('a tag that %s is refused and nothing is stored', async (_description, json) => {
    const { send } = await newCaller()
    expect(
      expectFailure(await send({ ...post, body: `{"id":1,"name":"n","tag":${json}}` }), 'invalid_request'),
    ).toMatch(/^body\/tag /)
    expect((await send(get)).text).toBe('[]')
  })
})

describe('ids', () => {
  test.each([
    '-9223372036854775808',
    '-9223372036854775807',
    '-9007199254740993',
    '-1',
    '0',
    '-0',
    '1',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775806',
    '9223372036854775807',
  ])('the id %s is taken once, as exactly this integer', async (id) => {
    const { send, store, caller } = await newCaller()
    expect((await send({ ...post, body: `{"id":${id},"name":"a"}` })).status).toBe(200)
    expect(expectFailure(await send({ ...post, body: `{"id":${id},"name":"b"}` }), 'plant_exists')).toContain(
      ` ${String(BigInt(id))}`,
    )
    expect(await store.delete(caller, BigInt(id))).toBe('deleted')
  })

  test('9007199254740992, …993 and …994 are three plants', async () => {
    const { send } = await newCaller()
    for (const id of ['9007199254740993', '9007199254740994', '9007199254740992']) {
      expect((await send({ ...post, body: `{"name":"${id}","id":${id}}` })).status).toBe(200)
    }
    expect(JSON.parse((await send(get)).text)).toEqual([
      { name: '9007199254740992' },
      { name: '9007199254740993' },
      { name: '9007199254740994' },
    ])
  })

  test.each(['54.0', '5.4e1', '540e-1', '54.000E+0'])('%s is the integer 54', async (id) => {
    const { send } = await newCaller()
    await send({ ...post, body: { id: 54, name: 'a' } })
    expect(expectFailure(await send({ ...post, body: `{"id":${id},"name":"b"}` }), 'plant_exists')).toContain('54')
  })

  test.each([
    '9223372036854775808',
    '-9223372036854775809',
    '18446744073709551615',
    '1e400',
    '9007199254740993.0',
    '9.007199254740994e15',
    '0.5',
    '54.00000000000000000001',
    '1e-400',
    '"54"',
    'null',
    'true',
    '[54]',
    '{}',
    '""',
  ])('the id %s is refused and nothing is stored', async (id) => {
    const { send } = await newCaller()
    expect(expectFailure(await send({ ...post, body: `{"id":${id},"name":"a"}` }), 'invalid_request')).toMatch(
      /^body\/id .*-9223372036854775808.*9223372036854775807/,
    )
    expect((await send(get)).text).toBe('[]')
  })

  test('an id that exists is refused and the first plant stays as it was', async () => {
    const { send } = await newCaller()
    await send({ ...post, body: { id: 54, name: 'first', tag: 'one' } })
    expectFailure(await send({ ...post, body: { id: 54, name: 'second' } }), 'plant_exists')
    expectFailure(await send({ ...post, body: { id: 54, name: 'first', tag: 'one' } }), 'plant_exists')
    expect((await send(get)).text).toBe('[{"name":"first","tag":"one"}]')
  })

  test('an id that was deleted can be used again', async () => {
    const { send } = await newCaller()
    await send({ ...post, body: { id: 54, name: 'first', tag: 'one' } })
    await send({ method: 'DELETE', url: '/plants/54' })
    expect((await send({ ...post, body: { id: 54, name: 'second' } })).status).toBe(200)
    expect((await send(get)).text).toBe('[{"name":"second"}]')
  })

  test('two callers use the same id for plants of their own', async () => {
    const { send, issueToken, caller } = await newCaller()
    const authorization = `Bearer ${await issueToken(`not ${caller}`)}`
    await send({ ...post, body: { id: 54, name: 'mine' } })
    expect((await send({ ...post, headers: { authorization }, body: { id: 54, name: 'yours' } })).status).toBe(200)
    expect((await send(get)).text).toBe('[{"name":"mine"}]')
    expect((await send({ ...get, headers: { authorization } })).text).toBe('[{"name":"yours"}]')
  })

  test('of many requests at once for one id exactly one is answered 200, and its plant is kept', async () => {
    const { send } = await newCaller()
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) => send({ ...post, body: { id: 54, name: `plant ${String(index)}` } })),
    )
    const [winner, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(24)
    expect((await send(get)).text).toBe(`[${String(winner?.text)}]`)
  })
})

describe('bodies that are no plant', () => {
  test.each([
    ['{"id":1}', 'body/name is required'],
    ['{"name":"a"}', 'body/id is required'],
    ['{"Id":1,"NAME":"a"}', 'body/name is required'],
    ['{"__proto__":{"id":1,"name":"a"}}', 'body/name is required'],
    ['[]', 'body must be object'],
    ['[{"id":1,"name":"a"}]', 'body must be object'],
    ['"a"', 'body must be object'],
    ['54', 'body must be object'],
    ['null', 'body must be object'],
    ['false', 'body must be object'],
    [String.raw`{"id":1,"name":"a","more":["\ud800"]}`, 'body/more/0 must not have a lone surrogate'],
    [String.raw`{"id":1,"name":"a","\udc00":1}`, 'body must not have a property whose name has a lone surrogate'],
    [String.raw`"\ud800"`, 'body must not have a lone surrogate'],
  ])('%s is refused with the place and the rule', async (body, message) => {
    const { send } = await newCaller()
    expect(expectFailure(await send({ ...post, body }), 'invalid_request')).toContain(message)
    expect((await send(get)).text).toBe('[]')
  })

  test.each([
    ['[', ']', 100, 'body must be object'],
    ['[', ']', 20_000, `body${'/0'.repeat(100)} nests deeper than 100 levels`],
    ['{"id":1,"deep":[', ']}', 100, `body/deep/0${'/deep/0'.repeat(49)} nests deeper than 100 levels`],
  ])(
    '%s in one another, as many as %i, are refused with the place and the rule',
    async (open, close, times, message) => {
      const { send } = await newCaller()
      const body = `${open.repeat(times)}${close.repeat(times)}`
      expect(expectFailure(await send({ ...post, body }), 'invalid_request')).toContain(message)
    },
  )

  test.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a cut document', '{"id":1,"name":"a"'],
    ['two documents', '{"id":1,"name":"a"}{"id":2,"name":"b"}'],
    ['text behind the document', '{"id":1,"name":"a"} x'],
    ['a trailing comma', '{"id":1,"name":"a",}'],
    ['a comment', '{"id":1,"name":"a"/**/}'],
    ['single quotes', "{'id':1,'name':'a'}"],
    ['a leading zero', '{"id":01,"name":"a"}'],
    ['a plus sign', '{"id":+1,"name":"a"}'],
    ['hexadecimal digits', '{"id":0x1,"name":"a"}'],
    ['NaN', '{"id":NaN,"name":"a"}'],
    ['a raw line feed in a text', '{"id":1,"name":"a\nb"}'],
    ['an unfinished escape', '{"id":1,"name":"\\u00"}'],
    ['a byte order mark', '\ufeff{"id":1,"name":"a"}'],
    ['a form', 'id=1&name=a'],
    ['brackets without end', '['.repeat(60_000)],
  ])('%s is refused as malformed and nothing is stored', async (_description, body) => {
    const { send } = await newCaller()
    expectFailure(await send({ ...post, body }), 'malformed_body')
    expect((await send(get)).text).toBe('[]')
  })

  test.each([
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong form', [0xc1, 0x81]],
    ['a byte of no sequence', [0xff]],
    ['half a sequence', [0xf0, 0x9f, 0x8c]],
    ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ])('%s is refused as no UTF-8 and nothing is stored', async (_description, bytes) => {
    const { send } = await newCaller()
    const body = Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from(bytes), Buffer.from('"}')])
    expect(expectFailure(await send({ ...post, body }), 'malformed_body')).toContain('UTF-8')
    expect((await send(get)).text).toBe('[]')
  })

  test.each([
    '{"id":1,"id":2,"name":"a"}',
    '{"id":1,"id":1,"name":"a"}',
    String.raw`{"id":1,"name":"a","n\u0061me":"b"}`,
    '{"id":1,"name":"a","x":{"y":[{"z":1,"z":2}]}}',
  ])('%s names a property twice and is refused', async (body) => {
    const { send } = await newCaller()
    expect(expectFailure(await send({ ...post, body }), 'malformed_body')).toMatch(/"(?:id|name|z)" twice/)
    expect((await send(get)).text).toBe('[]')
  })
})

test.each(['limit=1', 'name=a', 'dry_run', '=', '__proto__=1'])(
  'the query ?%s is refused, because the operation has no parameter',
  async (query) => {
    const { send } = await newCaller()
    expect(
      expectFailure(
        await send({ method: 'POST', url: `/plants?${query}`, body: { id: 1, name: 'a' } }),
        'invalid_request',
      ),
    ).toContain(`query/${query.replace(/=.*/, '')} `)
    expect((await send(get)).text).toBe('[]')
  },
)
