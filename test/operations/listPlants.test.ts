import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const get = { method: 'GET', url: '/plants' }
const lowest = -(2n ** 63n)
const highest = 2n ** 63n - 1n

/** Plants whose name is their id, by which their order is seen. */
async function plant(store: Store, caller: string, ids: bigint[]): Promise<void> {
  await Promise.all(ids.map((id) => store.create(caller, { id, name: String(id) })))
}

function namesIn(text: string): string[] {
  return (JSON.parse(text) as { name: string }[]).map(({ name }) => name)
}

/** 1, 2, …, `count` in an order that is neither up nor down. */
function shuffled(count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(((index * 7919) % count) + 1))
}

test('a caller without plants gets an empty array', async () => {
  const { send } = await newCaller()
  expect(await send(get)).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' }, text: '[]' })
})

test('plants are in ascending order of id over the whole range of int64', async () => {
  const { send, store, caller } = await newCaller()
  const ascending = [
    lowest,
    lowest + 1n,
    -(2n ** 53n) - 1n,
    -(2n ** 53n),
    -10n,
    -9n,
    -1n,
    0n,
    1n,
    9n,
    10n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 53n + 2n,
    highest - 1n,
    highest,
  ]
  await plant(store, caller, [...ascending.slice(7), ...ascending.slice(0, 7)].reverse())
  expect(namesIn((await send(get)).text)).toEqual(ascending.map(String))
})

test('any set of ids is listed whole and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.bigInt(lowest, highest), { maxLength: 40 }), async (ids) => {
      const { send, store, caller } = await newCaller()
      await plant(store, caller, ids)
      const ascending = ids.toSorted((a, b) => (a < b ? -1 : 1)).map(String)
      expect(namesIn((await send(get)).text)).toEqual(ascending)
      const limit = Math.floor(ids.length / 2)
      expect(namesIn((await send({ ...get, url: `/plants?limit=${String(limit)}` })).text)).toEqual(
        ascending.slice(0, limit),
      )
    }),
    { numRuns: 30 },
  )
})

test.each([
  ['0', 0],
  ['1', 1],
  ['2', 2],
  ['3', 3],
  ['4', 3],
  ['2147483647', 3],
])('of three plants limit=%s gives the first %i', async (limit, count) => {
  const { send, store, caller } = await newCaller()
  await plant(store, caller, [3n, -1n, 2n])
  expect(namesIn((await send({ ...get, url: `/plants?limit=${limit}` })).text)).toEqual(
    ['-1', '2', '3'].slice(0, count),
  )
})

test('a limit whose digits are percent-encoded is the same limit', async () => {
  const { send, store, caller } = await newCaller()
  await plant(store, caller, [1n, 2n])
  expect(namesIn((await send({ ...get, url: '/plants?l%69mit=%31' })).text)).toEqual(['1'])
})

test.each([
  'limit=',
  'limit',
  'limit=-1',
  'limit=-0',
  'limit=%2B1',
  'limit=+1',
  'limit=1+',
  'limit=%201',
  'limit=1%20',
  'limit=01',
  'limit=1.0',
  'limit=1e3',
  'limit=0x1',
  'limit=1_0',
  'limit=2147483648',
  'limit=4294967296',
  'limit=9223372036854775807',
  'limit=1e400',
  `limit=${'9'.repeat(30)}`,
  'limit=true',
  'limit=null',
  'limit=NaN',
  'limit=Infinity',
  'limit=%EF%BC%91',
  'limit=%D9%A1',
  'limit=1,2',
  'limit=[1]',
  'limit=%00',
  'limit=1%00',
  'limit=1&limit=1',
  'limit=1&limit=2',
  'limit=1&l%69mit=2',
  'limit=&limit=1',
])('?%s is refused, naming query/limit', async (query) => {
  const { send, store, caller } = await newCaller()
  await plant(store, caller, [1n])
  expect(expectFailure(await send({ ...get, url: `/plants?${query}` }), 'invalid_request')).toMatch(
    /^query\/limit must be an integer from 0 to 2147483647/,
  )
})

test.each([
  ['limt=1', 'limt'],
  ['LIMIT=1', 'LIMIT'],
  ['limit=1&offset=2', 'offset'],
  ['limit%20=1', 'limit '],
  ['limit[]=1', 'limit[]'],
  ['access_token=plst_x', 'access_token'],
  ['__proto__=1', '__proto__'],
  ['constructor=1', 'constructor'],
  ['toString', 'toString'],
  ['=1', ''],
])('?%s is refused, naming the parameter that there is not', async (query, name) => {
  const { send } = await newCaller()
  expect(expectFailure(await send({ ...get, url: `/plants?${query}` }), 'invalid_request')).toContain(
    `query/${name} is not a parameter`,
  )
})

test.each(['/plants?', '/plants?&', '/plants?&limit=1&'])(
  '%s has no unknown parameter and is answered',
  async (url) => {
    const { send, store, caller } = await newCaller()
    await plant(store, caller, [1n])
    expect(namesIn((await send({ ...get, url })).text)).toEqual(['1'])
  },
)

test('each caller sees its own plants alone', async () => {
  const { send, store, issueToken, caller } = await newCaller()
  const callers = [caller, caller.toUpperCase(), `${caller} `, caller.slice(0, 1), `${caller}\u0301`, `${caller}\u0001`]
  for (const [index, each] of callers.entries()) await plant(store, each, [BigInt(index), 100n + BigInt(index)])
  for (const [index, each] of callers.entries()) {
    const response = await send({ ...get, headers: { authorization: `Bearer ${await issueToken(each)}` } })
    expect(namesIn(response.text)).toEqual([String(index), String(100 + index)])
  }
})

test('every token of one caller sees the same plants', async () => {
  const { send, store, issueToken, caller } = await newCaller()
  await plant(store, caller, [1n])
  expect(
    namesIn((await send({ ...get, headers: { authorization: `Bearer ${await issueToken(caller)}` } })).text),
  ).toEqual(['1'])
})

test.each([999, 1000, 1001, 2000, 2500])('a list of %i plants is complete and in order', async (count) => {
  const { send, store, caller } = await newCaller()
  await plant(store, caller, shuffled(count))
  await plant(store, `not ${caller}`, [0n, 1n, 5000n])
  expect(namesIn((await send(get)).text)).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)))
})

test('a limit is kept on either side of where a list is read in pieces', async () => {
  const { send, store, caller } = await newCaller()
  await plant(store, caller, shuffled(2500))
  for (const limit of [127, 128, 129, 256, 257, 999, 1000, 1001, 2499, 2500, 2501]) {
    const names = namesIn((await send({ ...get, url: `/plants?limit=${String(limit)}` })).text)
    expect(names).toEqual(Array.from({ length: Math.min(limit, 2500) }, (_, index) => String(index + 1)))
  }
})

test('the same plants are answered alike whatever the limit', async () => {
  const { send, store, caller } = await newCaller()
  await plant(store, caller, [1n, 2n])
  await store.create(caller, { id: 3n, name: 'Strelitzia, \u00fcppig \u{1f331}', tag: '"\\"' })
  const text = String.raw`[{"name":"1"},{"name":"2"},{"name":"Strelitzia, üppig 🌱","tag":"\"\\\""}]`
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  for (const query of ['?limit=3', '?limit=128', '?limit=129', '?limit=1000', ''])
    expect(await send({ ...get, url: `/plants${query}` })).toMatchObject({ status: 200, headers, text })
})

test('a list in pieces is what it is whole, at both ends of int64', async () => {
  const { send, store, caller } = await newCaller()
  const ids = [
    ...Array.from({ length: 1000 }, (_, index) => lowest + BigInt(index)),
    ...Array.from({ length: 1000 }, (_, index) => highest - 999n + BigInt(index)),
  ]
  await plant(store, caller, ids.toReversed())
  expect(namesIn((await send(get)).text)).toEqual(ids.map(String))
})

test('HEAD answers as GET does, without the body', async () => {
  const { app, send, store, token, caller } = await newCaller()
  await plant(store, caller, [1n, 2n])
  const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'same' }
  const { statusCode, headers: ofGet } = await app.inject({ method: 'GET', url: '/plants', headers })
  const head = await send({ method: 'HEAD', url: '/plants', headers })
  expect(head).toMatchObject({ status: statusCode, text: '' })
  expect({ ...head.headers, date: '' }).toEqual({ ...ofGet, date: '' })
})

test.each([
  ['no credentials', '/plants', { authorization: undefined }, 401],
  ['a limit that is none', '/plants?limit=-1', {}, 400],
  ['no such path', '/plant', {}, 404],
])('HEAD is refused as GET is: %s', async (_description, url, headers, status) => {
  const { send } = await newCaller()
  expect(await send({ method: 'HEAD', url, headers })).toMatchObject({
    status,
    text: '',
    headers: { 'content-type': 'application/json' },
  })
})

test('content that comes with GET is not read', async () => {
  const { send } = await newCaller()
  expect((await send({ ...get, body: '{"id":' })).text).toBe('[]')
})
