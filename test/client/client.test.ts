import { expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client.ts'
import { startApp } from '../support/server/start-app.ts'

async function startClient(): Promise<Client> {
  const { listen, token } = await startApp()
  return createClient({ baseUrl: await listen(), token })
}

test('a plant is created, listed and deleted', async () => {
  const client = await startClient()
  const plant = { name: 'Monstera deliciosa', tag: 'indoor' }
  const id = 2n ** 63n - 1n
  expect(await client.createPlant({ body: { id, ...plant } })).toMatchObject({ status: 200, body: plant })
  expect(await client.listPlants()).toMatchObject({ status: 200, body: [plant] })
  expect(await client.deletePlant({ path: { id: id - 1n } })).toMatchObject({ status: 404, body: { error: 40401 } })
  expect(await client.deletePlant({ path: { id } })).toMatchObject({ status: 204, body: undefined })
  expect(await client.listPlants({ query: {} })).toMatchObject({ status: 200, body: [] })
})

test('a failure is a value, and its status tells its type', async () => {
  const client = await startClient()
  await client.createPlant({ body: { id: 1n, name: 'Aloe vera' } })
  const reply = await client.createPlant({ body: { id: 1n, name: 'Aloe vera' } })
  if (reply.status === 200) throw new Error(`created ${reply.body.name} twice`)
  const { error, message } = reply.body
  expect([reply.status, error, message]).toEqual([409, 40900, 'you already have a plant with id 1'])
})
