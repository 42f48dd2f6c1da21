import { describe, expect, test } from 'vitest'
import { awkwardTexts } from '../support/client/awkward-texts.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { shareApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const post = { method: 'POST', url: '/plants' }
const get = { method: 'GET', url: '/plants' }

describe('what is answered and kept', () => {
  test.each([
    ['without its id', '{"id":54,"name":"Monstera","tag":"indoor"}', '{"name":"Monstera","tag":"indoor"}'],
    ['without a tag that was left out', '{"id":54,"name":"Monstera"}', '{"name":"Monstera"}'],
    [
      'without properties that the contract does not name',
      '{"id":1,"name":"a","ID":2,"nested":{"id":3,"name":"b"},"__proto__":{"tag":"c"},"constructor":null,"json":"[]"}',
      '{"name":"a"}',
    ],
  ])('a plant is answered and listed %s', async (_description, body, plant) => {
    const { send } = await newCaller()
    const headers = { 'content-type': 'application/json' }
    expect(await send({ ...post, body })).toMatchObject({ status: 200, headers, text: plant })
    expect(await send(get)).toMatchObject({ status: 200, headers, text: `[${plant}]` })
  })

  test.each(awkwardTexts)('%s is kept in name and tag, as it is and as escapes', async (_description, text) => {
    const { send } = await newCaller()
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16))
    const escaped = units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('')
    const plant = { name: text, tag: text }
    const bodies = [JSON.stringify({ id: 1, ...plant }), `{"id":2,"name":"${escaped}","tag":"${escaped}"}`]
    for (const body of bodies) expect(JSON.parse((await send({ ...post, body })).text)).toStrictEqual(plant)
    expect(JSON.parse((await send(get)).text)).toStrictEqual([plant, plant])
  })
})

describe('ids', () => {
  test.each(['-9223372036854775808', '-0', '9007199254740993', '9223372036854775807'])(
    'the id %s is taken once, as exactly this integer',
    async (id) => {
      const { send, store, caller } = await newCaller()
      expect((await send({ ...post, body: `{"id":${id},"name":"a"}` })).status).toBe(200)
      const refused = await send({ ...post, body: `{"id":${id},"name":"b"}` })
      expect(expectFailure(refused, 'plant_exists')).toContain(` ${String(BigInt(id))}`)
      expect(await store.delete(caller, BigInt(id))).toBe('deleted')
    },
  )

  test('two callers use the same id for plants of their own', async () => {
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

describe('what is refused, and nothing is stored', () => {
  test.each<[string, string | RegExp]>([
    ...refusedIds.map((id): [string, RegExp] => [`{"id":${id},"name":"a"}`, range]),
    ['{"__proto__":{"id":1,"name":"a"}}', 'body/name is required'],
    ['{"id":"54","nme":"x"}', /^body\/name is required; body\/id must be an integer from -\d+ to \d+$/],
    ['[{"id":1,"name":"a"}]', 'body must be an object'],
    ['null', 'body must be an object'],
    [String.raw`{"id":1,"name":"a","more":["\ud800"]}`, 'body/more/0 must not have a lone surrogate'],
  ])('%s is no plant: the place and the rule', async (body, message) => {
    const { send } = await newCaller()
    expect(expectFailure(await send({ ...post, body }), 'invalid_request')).toMatch(message)
    expect((await send(get)).text).toBe('[]')
  })
})
