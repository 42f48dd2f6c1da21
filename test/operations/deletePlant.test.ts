import { describe, expect, test } from 'vitest'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { type TestCaller, shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()

/** A caller who has the plants with these ids, each named after its id. */
async function callerWith(...ids: bigint[]): Promise<TestCaller> {
  const started = await newCaller()
  for (const id of ids) await started.store.create(started.caller, { id, name: String(id) })
  return started
}

async function names({ send }: TestCaller): Promise<string[]> {
  return (JSON.parse((await send({ method: 'GET', url: '/plants' })).text) as { name: string }[]).map(
    ({ name }) => name,
  )
}

test('a plant is deleted and the answer has neither body nor media type', async () => {
  const started = await callerWith(54n, 55n)
  const { status, headers, text } = await started.send({ method: 'DELETE', url: '/plants/54' })
  expect({ status, text, type: headers['content-type'], length: headers['content-length'] }).toEqual({
    status: 204,
    text: '',
    type: undefined,
    length: undefined,
  })
  expect(await names(started)).toEqual(['55'])
})

test('an id that no plant has is not found, and neither is one that was deleted before', async () => {
  const { send } = await callerWith(54n)
  expect(expectFailure(await send({ method: 'DELETE', url: '/plants/55' }), 'plant_not_found')).toContain('55')
  expect((await send({ method: 'DELETE', url: '/plants/54' })).status).toBe(204)
  expectFailure(await send({ method: 'DELETE', url: '/plants/54' }), 'plant_not_found')
})

test("another caller's plant is not found and stays", async () => {
  const started = await callerWith(54n)
  const authorization = `Bearer ${await started.issueToken(`not ${started.caller}`)}`
  expectFailure(
    await started.send({ method: 'DELETE', url: '/plants/54', headers: { authorization } }),
    'plant_not_found',
  )
  expect(await names(started)).toEqual(['54'])
})

test('of two callers who use one id each deletes its own plant', async () => {
  const started = await callerWith(54n)
  await started.store.create(`not ${started.caller}`, { id: 54n, name: 'yours' })
  const authorization = `Bearer ${await started.issueToken(`not ${started.caller}`)}`
  expect((await started.send({ method: 'DELETE', url: '/plants/54', headers: { authorization } })).status).toBe(204)
  expect(await names(started)).toEqual(['54'])
})

test('of many requests at once for one id exactly one is answered 204', async () => {
  const { send } = await callerWith(54n)
  const answers = await Promise.all(Array.from({ length: 25 }, () => send({ method: 'DELETE', url: '/plants/54' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 24 }, () => 404)])
})

describe('exact ids', () => {
  test.each([2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 2n, -(2n ** 63n) + 1n])(
    'deleting %i leaves its neighbours alone',
    async (id) => {
      const started = await callerWith(id - 1n, id, id + 1n)
      expect((await started.send({ method: 'DELETE', url: `/plants/${String(id)}` })).status).toBe(204)
      expect(await names(started)).toEqual([String(id - 1n), String(id + 1n)])
    },
  )

  test.each([2n ** 63n - 1n, -(2n ** 63n), 0n])('%i can be deleted', async (id) => {
    const started = await callerWith(id)
    expect((await started.send({ method: 'DELETE', url: `/plants/${String(id)}` })).status).toBe(204)
    expect(await names(started)).toEqual([])
  })

  test('an id that a double would round to one that exists is not found', async () => {
    const started = await callerWith(2n ** 53n)
    expect(
      expectFailure(await started.send({ method: 'DELETE', url: '/plants/9007199254740993' }), 'plant_not_found'),
    ).toContain(' 9007199254740993')
    expect(await names(started)).toEqual(['9007199254740992'])
  })

  test.each(['%35%34', '5%34', '%354'])('%s is the id 54 after percent-decoding', async (segment) => {
    const started = await callerWith(54n)
    expect((await started.send({ method: 'DELETE', url: `/plants/${segment}` })).status).toBe(204)
  })

  test('%2D1 is the id -1 after percent-decoding', async () => {
    const started = await callerWith(-1n, 1n)
    expect((await started.send({ method: 'DELETE', url: '/plants/%2D1' })).status).toBe(204)
    expect(await names(started)).toEqual(['1'])
  })

  test.each([
    '054',
    '+54',
    '%2B54',
    '54.0',
    '54.',
    '5.4e1',
    '54e0',
    '0x36',
    '%2054',
    '54%20',
    '54%0A',
    '54%00',
    '%0054',
    '5_4',
    '5,4',
    '54n',
    '--54',
    '-054',
    '-0',
    '00',
    '-',
    '%EF%BC%95%EF%BC%94',
    '%E2%88%9254',
    '9223372036854775808',
    '-9223372036854775809',
    '18446744073709551670',
    '1e400',
    'NaN',
    'null',
    'undefined',
    'true',
    '[54]',
    '{id}',
    ':id',
    '54;v=1',
    '54%2F',
    '54%2F55',
    '*',
  ])('/plants/%s is refused, naming path/id, and nothing is deleted', async (segment) => {
    const started = await callerWith(0n, 54n)
    const message = expectFailure(
      await started.send({ method: 'DELETE', url: `/plants/${segment}` }),
      'invalid_request',
    )
    expect(message).toMatch(/^path\/id must be an integer from -9223372036854775808 to 9223372036854775807/)
    expect(await names(started)).toEqual(['0', '54'])
  })

  test('ten thousand digits are refused, naming path/id', async () => {
    const { send } = await newCaller()
    expect(
      expectFailure(await send({ method: 'DELETE', url: `/plants/${'5'.repeat(10_000)}` }), 'invalid_request'),
    ).toMatch(/^path\/id /)
  })

  test.each(['/plants/', '/plants//54', '/plants/54/', '/plants/54/leaves', '//plants/54'])(
    '%s is no path, and nothing is deleted',
    async (url) => {
      const started = await callerWith(54n)
      expectFailure(await started.send({ method: 'DELETE', url }), 'path_not_found')
      expect(await names(started)).toEqual(['54'])
    },
  )
})

test.each(['force=true', 'id=55', 'limit=1'])(
  'the query ?%s is refused, because the operation has no such parameter',
  async (query) => {
    const started = await callerWith(54n, 55n)
    expect(
      expectFailure(await started.send({ method: 'DELETE', url: `/plants/54?${query}` }), 'invalid_request'),
    ).toContain('query/')
    expect(await names(started)).toEqual(['54', '55'])
  },
)

describe('content of a request that takes none', () => {
  test('a Content-Type without a body is an ordinary delete', async () => {
    const { send } = await callerWith(54n)
    expect(
      (await send({ method: 'DELETE', url: '/plants/54', headers: { 'content-type': 'application/json' } })).status,
    ).toBe(204)
  })

  test.each([
    ['JSON', 'application/json', '{"id":55}'],
    ['malformed JSON', 'application/json', '{"id":'],
    ['text', 'text/plain', 'now'],
    ['a form', 'application/x-www-form-urlencoded', 'id=55'],
    ['a type that is none', 'nonsense', 'x'],
    ['more than the body limit', 'application/json', 'x'.repeat(100_000)],
  ])('%s is not read', async (_description, type, body) => {
    const started = await callerWith(54n, 55n)
    expect(
      (await started.send({ method: 'DELETE', url: '/plants/54', headers: { 'content-type': type }, body })).status,
    ).toBe(204)
    expect(await names(started)).toEqual(['55'])
  })
})
