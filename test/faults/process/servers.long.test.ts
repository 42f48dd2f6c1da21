import { expect, test } from 'vitest'
import { servedStore } from '../../support/server/served-database.ts'

const rounds = 5
/** How many writes each round makes at least. */
const writesOfRound = 100

test('killing a server with 32 writers loses no acknowledged write', async () => {
  const { serve } = await servedStore()
  const other = await serve()
  const [kept, gone] = [new Set<string>(), new Set<string>()]
  let next = 0
  for (let round = 1; round <= rounds; round++) {
    const server = await serve()
    const writers = Array.from({ length: 32 }, async () => {
      for (let id = next++; ; id = next++) {
        const created = await server.create(id).catch(() => undefined)
        if (created === undefined) return
        expect(created).toBe(200)
        kept.add(String(id))
        if (kept.size + gone.size >= round * writesOfRound) server.child.kill('SIGKILL')
        if (id % 3 > 0) continue
        // A delete without a response may have happened or not.
        kept.delete(String(id))
        const deleted = await server.remove(id).catch(() => undefined)
        if (deleted === undefined) return
        expect(deleted).toBe(204)
        gone.add(String(id))
      }
    })
    await Promise.all(writers)
    await server.ended
    const names = new Set(await other.names())
    expect({ lost: kept.difference(names), returned: gone.intersection(names) }).toEqual({
      lost: new Set(),
      returned: new Set(),
    })
  }
  expect(gone.size).toBeGreaterThan(rounds)
})

test('two servers share a database: writes succeed, and ids stay unique', async () => {
  const { serve } = await servedStore()
  const servers = [await serve(), await serve()]
  const all = Array.from({ length: 640 }, (_, id) => id)
  const statuses = await Promise.all(all.map((id) => servers[id % 2]!.create(id)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (const server of servers) expect(await server.names()).toEqual(all.map(String))
  const rivals = await Promise.all(all.slice(0, 40).map((index) => servers[index % 2]!.create(-1)))
  expect(rivals.sort()).toEqual([200, ...Array<number>(39).fill(409)])
})
