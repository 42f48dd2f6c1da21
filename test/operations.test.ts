import { expect, test } from 'vitest'
import { awkwardTexts } from './support/client/awkward-texts.ts'
import { expectFailure } from './support/responses/expected-contract.ts'
import { shareApp } from './support/server/start-app.ts'

const newCaller = shareApp()
const post = { method: 'POST', url: '/plants' }
const get = { method: 'GET', url: '/plants' }

test('a valid body may have undeclared properties, which are ignored', async () => {
  const { send } = await newCaller()
  const body =
    '{"id":1,"name":"a","ID":2,"nested":{"id":3,"name":"b"},"__proto__":{"tag":"c"},"constructor":null,"json":"[]"}'
  const headers = { 'content-type': 'application/json' }
  expect(await send({ ...post, body })).toMatchObject({ status: 200, headers, text: '{"name":"a"}' })
  expect(await send(get)).toMatchObject({ status: 200, headers, text: '[{"name":"a"}]' })
})

test('name and tag are kept exactly, sent raw or escaped', async () => {
  const { send } = await newCaller()
  const kept: object[] = []
  for (const [description, text] of awkwardTexts) {
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16))
    const escaped = units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('')
    const plant = { name: text, tag: text }
    for (const members of [JSON.stringify(plant).slice(1, -1), `"name":"${escaped}","tag":"${escaped}"`]) {
      const created = await send({ ...post, body: `{"id":${String(kept.push(plant))},${members}}` })
      expect(JSON.parse(created.text), description).toStrictEqual(plant)
    }
  }
  expect(JSON.parse((await send(get)).text)).toStrictEqual(kept)
})

test('an id may be used by two callers, each for its own plant', async () => {
  const { send, issueToken, caller } = await newCaller()
  const authorization = `Bearer ${await issueToken(`not ${caller}`)}`
  await send({ ...post, body: { id: 54, name: 'mine' } })
  expect((await send({ ...post, headers: { authorization }, body: { id: 54, name: 'yours' } })).status).toBe(200)
  expect((await send(get)).text).toBe('[{"name":"mine"}]')
  expect((await send({ ...get, headers: { authorization } })).text).toBe('[{"name":"yours"}]')
})

test('a failure names the id exactly', async () => {
  const { send, store, caller } = await newCaller()
  await store.create(caller, { id: 2n ** 63n - 1n, name: 'a' })
  const exists = await send({ ...post, body: '{"id":9223372036854775807,"name":"b"}' })
  expect(expectFailure(exists, 'plant_exists')).toContain(' 9223372036854775807')
  const absent = await send({ method: 'DELETE', url: '/plants/9223372036854775806' })
  expect(expectFailure(absent, 'plant_not_found')).toContain(' 9223372036854775806')
})

test('an id is not found if only its rounded neighbour exists', async () => {
  const { send, store, caller } = await newCaller()
  await store.create(caller, { id: 2n ** 53n, name: 'a' })
  expectFailure(await send({ method: 'DELETE', url: '/plants/9007199254740993' }), 'plant_not_found')
  expect((await send(get)).text).toBe('[{"name":"a"}]')
})
