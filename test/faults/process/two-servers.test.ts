import { expect, test } from 'vitest'
import { servedDatabase } from '../../support/server/served-database.ts'

test(
  'two servers on one file refuse none of 1,600 creates, and of 40 creates of one id exactly one wins',
  { timeout: 60_000 },
  async () => {
    const { serve } = await servedDatabase()
    const servers = await Promise.all([serve(), serve()])
    const clients = servers.flatMap((server, index) =>
      Array.from({ length: 16 }, (_, client) => ({ server, first: (index * 16 + client) * 50 })),
    )
    const statuses = await Promise.all(
      clients.map(async ({ server, first }) => {
        const own: number[] = []
        for (let id = first; id < first + 50; id++) own.push(await server.create(id))
        return own
      }),
    )
    expect(statuses.flat().filter((status) => status !== 200)).toEqual([])
    for (const server of servers)
      expect(await server.names()).toEqual(Array.from({ length: 1_600 }, (_, id) => String(id)))

    const rivals = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        servers[index % 2]!.send('POST', '/plants', { id: -1, name: `rival ${String(index)}` }),
      ),
    )
    expect(rivals.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(39).fill(409)])
    const winner = rivals.find(({ status }) => status === 200)!
    expect((await servers[0].send('GET', '/plants?limit=1')).text).toBe(`[${winner.text}]`)
  },
)
