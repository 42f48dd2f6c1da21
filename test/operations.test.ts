import { stringifyJson } from 'fastify-contract/json'
import { expect, test } from 'vitest'
import { awkwardTexts } from './support/client/awkward-texts.ts'
import { expectFailure } from './support/responses/expected-contract.ts'
import { shareApp } from './support/server/start-app.ts'
import { newPlant, readPlants, shownPlant, storedPlant } from './support/plants.ts'

const newCaller = shareApp()
const post = { method: 'POST', url: '/plants' }
const get = { method: 'GET', url: '/plants' }

test('a valid body may have undeclared properties, which are ignored', async () => {
  const { send } = await newCaller()
  const undeclared = '"ID":2,"nested":{"id":3,"name":"b"},"__proto__":{"tag":"c"},"constructor":null,"json":"[]"'
  const body = stringifyJson(newPlant({ id: 1n, name: 'a' })).replace(/}$/, `,${undeclared}}`)
  const headers = { 'content-type': 'application/json' }
  const [created, listed] = [await send({ ...post, body }), await send(get)]
  expect([created, listed]).toMatchObject([
    { status: 200, headers },
    { status: 200, headers },
  ])
  expect([created, listed].map(({ text }) => readPlants(text))).toStrictEqual([
    shownPlant({ name: 'a' }),
    [shownPlant({ name: 'a' })],
  ])
})

test('name and tag are kept exactly, sent raw or escaped', async () => {
  const { send } = await newCaller()
  const kept: object[] = []
  for (const [description, text] of awkwardTexts) {
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16))
    const escaped = units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('')
    const plant = { name: text, tag: text }
    for (const written of [JSON.stringify(text), `"${escaped}"`]) {
      const id = BigInt(kept.push(shownPlant(plant)))
      const body = stringifyJson(newPlant({ id, name: 'NAME', tag: 'TAG' })).replaceAll(
        /"(?:NAME|TAG)"/g,
        () => written,
      )
      expect(readPlants((await send({ ...post, body })).text), description).toStrictEqual(shownPlant(plant))
    }
  }
  expect(readPlants((await send(get)).text)).toStrictEqual(kept)
})

test('an id may be used by two callers, each for its own plant', async () => {
  const { send, issueToken, caller } = await newCaller()
  const authorization = `Bearer ${await issueToken(`not ${caller}`)}`
  await send({ ...post, body: newPlant({ id: 54n, name: 'mine' }) })
  expect((await send({ ...post, headers: { authorization }, body: newPlant({ id: 54n, name: 'yours' }) })).status).toBe(
    200,
  )
  expect(readPlants((await send(get)).text)).toEqual([shownPlant({ name: 'mine' })])
  expect(readPlants((await send({ ...get, headers: { authorization } })).text)).toEqual([shownPlant({ name: 'yours' })])
})

test('a failure names the id exactly', async () => {
  const { send, store, caller } = await newCaller()
  await store.create(caller, storedPlant({ id: 2n ** 63n - 1n, name: 'a' }))
  const exists = await send({ ...post, body: newPlant({ id: 2n ** 63n - 1n, name: 'b' }) })
  expect(expectFailure(exists, 'plant_exists')).toContain(' 9223372036854775807')
  const absent = await send({ method: 'DELETE', url: '/plants/9223372036854775806' })
  expect(expectFailure(absent, 'plant_not_found')).toContain(' 9223372036854775806')
})

test('an id is not found if only its rounded neighbour exists', async () => {
  const { send, store, caller } = await newCaller()
  await store.create(caller, storedPlant({ id: 2n ** 53n, name: 'a' }))
  expectFailure(await send({ method: 'DELETE', url: '/plants/9007199254740993' }), 'plant_not_found')
  expect(readPlants((await send(get)).text)).toEqual([shownPlant({ name: 'a' })])
})
