import { describe, expect, test } from 'vitest'
import { awkwardTexts } from '../support/client/awkward-texts.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const post = { method: 'POST', url: '/plants' }
const get = { method: 'GET', url: '/plants' }

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
