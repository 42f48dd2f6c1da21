import { expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client.ts'
import { type TestAppOptions, startApp } from '../support/server/start-app.ts'

async function startClient(options: TestAppOptions = {}): Promise<{ client: Client; baseUrl: string; token: string }> {
  const { listen, token } = await startApp(options)
  const baseUrl = await listen()
  return { client: createClient({ baseUrl, token }), baseUrl, token }
}

test('a plant is created, listed and deleted', async () => {
  const { client } = await startClient()
  const plant = { name: 'Monstera deliciosa', tag: 'indoor' }
  expect(await client.createPlant({ body: { id: 54n, ...plant } })).toMatchObject({ status: 200, body: plant })
  expect(await client.listPlants()).toMatchObject({ status: 200, body: [plant] })
  expect(await client.deletePlant({ path: { id: 54n } })).toMatchObject({ status: 204, body: undefined })
  expect(await client.listPlants({ query: {} })).toMatchObject({ status: 200, body: [] })
})

test('neighbouring ids beyond 2^53 are three plants, in the body and in the path', async () => {
  const { client } = await startClient()
  const ids = [9007199254740992n, 9007199254740993n, 9007199254740994n]
  for (const id of ids) expect((await client.createPlant({ body: { id, name: String(id) } })).status).toBe(200)
  expect((await client.deletePlant({ path: { id: ids[1]! } })).status).toBe(204)
  expect(await client.listPlants()).toMatchObject({
    body: [{ name: '9007199254740992' }, { name: '9007199254740994' }],
  })
})

test('the ends of the int64 range arrive as they were sent', async () => {
  const { client } = await startClient()
  for (const id of [-(2n ** 63n), 2n ** 63n - 1n]) {
    expect((await client.createPlant({ body: { id, name: 'end' } })).status).toBe(200)
    expect((await client.deletePlant({ path: { id } })).status).toBe(204)
  }
  expect(await client.deletePlant({ path: { id: 2n ** 63n } })).toMatchObject({ status: 400, body: { error: 40001 } })
})

test('a failure is a value, and its status tells its type', async () => {
  const { client } = await startClient()
  await client.createPlant({ body: { id: 1n, name: 'Aloe vera' } })
  const reply = await client.createPlant({ body: { id: 1n, name: 'Aloe vera' } })
  if (reply.status === 200) throw new Error(`created ${reply.body.name} twice`)
  const { error, message } = reply.body
  expect([reply.status, error, message]).toEqual([409, 40900, 'you already have a plant with id 1'])
  expect(await client.createPlant({ body: { id: 2n, name: '' } })).toMatchObject({
    status: 400,
    body: { error: 40001 },
  })
  expect(await client.deletePlant({ path: { id: 3n } })).toMatchObject({ status: 404, body: { error: 40401 } })
  expect(await client.listPlants({ query: { limit: -1 } })).toMatchObject({ status: 400, body: { error: 40001 } })
})

test('a refused token is a value for every operation', async () => {
  const { baseUrl } = await startClient()
  const client = createClient({ baseUrl: `${baseUrl}/`, token: 'nobody' })
  const replies = await Promise.all([
    client.listPlants(),
    client.createPlant({ body: { id: 1n, name: 'Aloe vera' } }),
    client.deletePlant({ path: { id: 1n } }),
  ])
  expect(replies.map(({ status, body }) => [status, body])).toEqual(
    Array(3).fill([401, expect.objectContaining({ error: 40101 })]),
  )
})
