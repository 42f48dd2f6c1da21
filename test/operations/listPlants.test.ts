import { expect, test } from 'vitest'
import { type TestCaller, shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const get = { method: 'GET', url: '/plants' }

/** A caller who has the plants with these ids, each named after its id. */
async function callerWith(...ids: bigint[]): Promise<TestCaller> {
  const started = await newCaller()
  await Promise.all(ids.map((id) => started.store.create(started.caller, { id, name: String(id) })))
  return started
}

async function names({ send }: TestCaller, query = '', headers = {}): Promise<string[]> {
  const { text } = await send({ ...get, url: `/plants${query}`, headers })
  return (JSON.parse(text) as { name: string }[]).map(({ name }) => name)
}

test('a caller without plants gets an empty array', async () => {
  const { send } = await newCaller()
  expect(await send(get)).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' }, text: '[]' })
})

test.each([
  ['limit=0', 0],
  ['limit=1', 1],
  ['limit=4', 3],
  ['limit=2147483647', 3],
  ['l%69mit=%31', 1],
  ['', 3],
  ['&limit=1&', 1],
])('a list of three plants with ?%s has the first %i', async (query, count) => {
  const started = await callerWith(3n, -1n, 2n)
  expect(await names(started, `?${query}`)).toEqual(['-1', '2', '3'].slice(0, count))
})

test('each caller sees only its own plants, with any of its tokens', async () => {
  const started = await newCaller()
  const { store, issueToken, caller } = started
  const callers = [caller, caller.toUpperCase(), `${caller} `, caller.slice(0, 1), `${caller}\u0301`, `${caller}\u0001`]
  for (const [id, each] of callers.entries()) await store.create(each, { id: BigInt(id), name: each })
  for (const each of callers) {
    const authorization = `Bearer ${await issueToken(each)}`
    expect(await names(started, '', { authorization })).toEqual([each])
  }
})

test('the same plants give the same bytes, whatever the limit', async () => {
  const { send, store, caller } = await callerWith(1n, 2n)
  await store.create(caller, { id: 3n, name: 'Strelitzia, \u00fcppig \u{1f331}', tag: '"\\"' })
  const text = String.raw`[{"name":"1"},{"name":"2"},{"name":"Strelitzia, üppig 🌱","tag":"\"\\\""}]`
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  for (const query of ['?limit=3', '?limit=128', '?limit=129', '?limit=1000', ''])
    expect(await send({ ...get, url: `/plants${query}` })).toMatchObject({ status: 200, headers, text })
})
