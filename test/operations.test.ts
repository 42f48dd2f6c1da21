import { describe, expect, test } from 'vitest'
import { awkwardTexts } from './support/client/awkward-texts.ts'
import { expectFailure } from './support/responses/expected-contract.ts'
import { type TestCaller, shareApp } from './support/server/start-app.ts'

const newCaller = shareApp()
const post = { method: 'POST', url: '/plants' }
const get = { method: 'GET', url: '/plants' }
const remove = (segment: bigint | string) => ({ method: 'DELETE', url: `/plants/${String(segment)}` })

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

describe('a valid body', () => {
  test.each([
    [
      'returns the plant without its id',
      '{"id":54,"name":"Monstera","tag":"indoor"}',
      '{"name":"Monstera","tag":"indoor"}',
    ],
    ['may leave out the tag', '{"id":54,"name":"Monstera"}', '{"name":"Monstera"}'],
    [
      'may have undeclared properties, which are ignored',
      '{"id":1,"name":"a","ID":2,"nested":{"id":3,"name":"b"},"__proto__":{"tag":"c"},"constructor":null,"json":"[]"}',
      '{"name":"a"}',
    ],
  ])('%s', async (_description, body, plant) => {
    const { send } = await newCaller()
    const headers = { 'content-type': 'application/json' }
    expect(await send({ ...post, body })).toMatchObject({ status: 200, headers, text: plant })
    expect(await send(get)).toMatchObject({ status: 200, headers, text: `[${plant}]` })
  })

  test.each(awkwardTexts)('keeps in name and tag, raw and escaped: %s', async (_description, text) => {
    const { send } = await newCaller()
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16))
    const escaped = units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('')
    const plant = { name: text, tag: text }
    const bodies = [JSON.stringify({ id: 1, ...plant }), `{"id":2,"name":"${escaped}","tag":"${escaped}"}`]
    for (const body of bodies) expect(JSON.parse((await send({ ...post, body })).text)).toStrictEqual(plant)
    expect(JSON.parse((await send(get)).text)).toStrictEqual([plant, plant])
  })
})

describe('an id', () => {
  test.each(['-9223372036854775808', '-0', '9007199254740993', '9223372036854775807'])(
    'is stored exactly and only once: %s',
    async (id) => {
      const { send, store, caller } = await newCaller()
      expect((await send({ ...post, body: `{"id":${id},"name":"a"}` })).status).toBe(200)
      const refused = await send({ ...post, body: `{"id":${id},"name":"b"}` })
      expect(expectFailure(refused, 'plant_exists')).toContain(` ${String(BigInt(id))}`)
      expect(await store.delete(caller, BigInt(id))).toBe('deleted')
    },
  )

  test('may be used by two callers, each for its own plant', async () => {
    const { send, issueToken, caller } = await newCaller()
    const authorization = `Bearer ${await issueToken(`not ${caller}`)}`
    await send({ ...post, body: { id: 54, name: 'mine' } })
    expect((await send({ ...post, headers: { authorization }, body: { id: 54, name: 'yours' } })).status).toBe(200)
    expect((await send(get)).text).toBe('[{"name":"mine"}]')
    expect((await send({ ...get, headers: { authorization } })).text).toBe('[{"name":"yours"}]')
  })
})

const range = /^body\/id .*-9223372036854775808.*9223372036854775807/
const refusedIds = ['9223372036854775808', '9007199254740993.0', '0.5', '"54"', 'null']

describe('an invalid body', () => {
  test.each<[string, string | RegExp]>([
    ...refusedIds.map((id): [string, RegExp] => [`{"id":${id},"name":"a"}`, range]),
    ['{"__proto__":{"id":1,"name":"a"}}', 'body/name is required'],
    ['{"id":"54","nme":"x"}', /^body\/name is required; body\/id must be an integer from -\d+ to \d+$/],
    ['[{"id":1,"name":"a"}]', 'body must be an object'],
    ['null', 'body must be an object'],
    [String.raw`{"id":1,"name":"a","more":["\ud800"]}`, 'body/more/0 must not have a lone surrogate'],
  ])('is refused with place and rule, and nothing is stored: %s', async (body, message) => {
    const { send } = await newCaller()
    expect(expectFailure(await send({ ...post, body }), 'invalid_request')).toMatch(message)
    expect((await send(get)).text).toBe('[]')
  })
})

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

test('a plant is deleted with an empty 204, and is then not found', async () => {
  const started = await callerWith(54n, 55n)
  const { status, headers, text } = await started.send(remove(54n))
  expect({ status, text, type: headers['content-type'], length: headers['content-length'] }).toEqual({
    status: 204,
    text: '',
    type: undefined,
    length: undefined,
  })
  expect(await names(started)).toEqual(['55'])
  for (const id of [54n, 56n])
    expect(expectFailure(await started.send(remove(id)), 'plant_not_found')).toContain(` ${String(id)}`)
})

test('a caller deletes its own plants only, even if another caller uses the same id', async () => {
  const started = await callerWith(54n, 55n)
  const other = `not ${started.caller}`
  await started.store.create(other, { id: 54n, name: 'yours' })
  const headers = { authorization: `Bearer ${await started.issueToken(other)}` }
  expectFailure(await started.send({ ...remove(55n), headers }), 'plant_not_found')
  expect((await started.send({ ...remove(54n), headers })).status).toBe(204)
  expect(await names(started)).toEqual(['54', '55'])
})

test('an id is not found if only its rounded neighbour exists', async () => {
  const started = await callerWith(2n ** 53n)
  expectFailure(await started.send(remove('9007199254740993')), 'plant_not_found')
  expect(await names(started)).toEqual(['9007199254740992'])
})
