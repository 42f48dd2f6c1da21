import { expect, test } from 'vitest'
import { servedDatabase } from '../../support/server/served-database.ts'

test('two servers on one file refuse none of 640 creates, and of 40 of one id exactly one wins', async () => {
  const { serve } = await servedDatabase()
  const servers = await Promise.all([serve(), serve()])
  const clients = Array.from({ length: 32 }, async (_, client) => {
    for (let id = client * 20; id < (client + 1) * 20; id++) expect(await servers[client % 2]!.create(id)).toBe(200)
  })
  await Promise.all(clients)
  for (const server of servers) expect(await server.names()).toEqual(Array.from({ length: 640 }, (_, id) => String(id)))

  const rivals = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      servers[index % 2]!.send('POST', '/plants', { id: -1, name: `rival ${String(index)}` }),
    ),
  )
  expect(rivals.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(39).fill(409)])
  const winner = rivals.find(({ status }) => status === 200)!
  expect((await servers[0].send('GET', '/plants?limit=1')).text).toBe(`[${winner.text}]`)
})
