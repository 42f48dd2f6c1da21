import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { type RunningServer, servedDatabase } from '../../support/server/served-database.ts'

/** What writers were told by a server, and what they were not told any more. */
interface WriteRecord {
  created: Set<number>
  deleted: Set<number>
  /** Whose last write had no answer: it may have happened or not. */
  doubtful: Set<number>
  /** Every status that was answered. */
  statuses: Record<number, number>
}

function emptyRecord(): WriteRecord {
  return { created: new Set(), deleted: new Set(), doubtful: new Set(), statuses: {} }
}

/**
 * Lets writers create plants one after the other, and delete every third again, until they are told to stop or have no
 * connection any more.
 *
 * @param server whom they write to
 * @param record what is told is added to it; ids that it has are not used again
 * @returns what tells them to stop, and waits for their last answers
 */
function startWriters(server: RunningServer, record: WriteRecord, count = 32): () => Promise<void> {
  let next = record.created.size + record.doubtful.size
  let isStopped = false

  async function write(id: number, request: () => Promise<number>, told: Set<number>, success: number): Promise<void> {
    record.doubtful.add(id)
    const status = await request()
    record.doubtful.delete(id)
    record.statuses[status] = (record.statuses[status] ?? 0) + 1
    if (status === success) told.add(id)
  }

  async function run(): Promise<void> {
    try {
      while (!isStopped) {
        const id = next++
        await write(id, () => server.create(id), record.created, 200)
        if (id % 3 === 0 && record.created.has(id)) await write(id, () => server.remove(id), record.deleted, 204)
      }
    } catch {
      // The server is gone: what was asked last stays doubtful.
    }
  }

  const writers = Array.from({ length: count }, run)
  return async () => {
    isStopped = true
    await Promise.all(writers)
  }
}

/** What a server that keeps its word lists and does not list, against what it does. Both are empty when it keeps it. */
function brokenPromises(
  { created, deleted, doubtful }: WriteRecord,
  names: string[],
): { lost: number[]; returned: number[] } {
  const listed = new Set(names.map(Number))
  return {
    lost: [...created].filter((id) => !deleted.has(id) && !doubtful.has(id) && !listed.has(id)),
    returned: [...deleted].filter((id) => listed.has(id)),
  }
}

const rounds = 10
/** Each round has to have had something to lose. */
const createsOfRound = 40

test(
  'a server that is killed under 32 writers, ten times over, has lost nothing that it acknowledged',
  { timeout: 90_000 },
  async () => {
    const { file, serve } = await servedDatabase()
    const record = emptyRecord()
    for (let round = 0; round < rounds; round++) {
      const server = await serve()
      const stop = startWriters(server, record)
      const enough = record.created.size + createsOfRound
      await expect.poll(() => record.created.size, { interval: 5, timeout: 10_000 }).toBeGreaterThan(enough)
      await server.end('SIGKILL')
      await stop()
      const database = new Database(file)
      const names = database.prepare<[], string>('SELECT name FROM plants').pluck().all()
      expect(brokenPromises(record, names)).toEqual({ lost: [], returned: [] })
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
      database.close()
    }
    expect(record.deleted.size).toBeGreaterThan(rounds)
    expect(Object.keys(record.statuses).sort()).toEqual(['200', '204'])
    const server = await serve()
    expect(brokenPromises(record, await server.names())).toEqual({ lost: [], returned: [] })
  },
)

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
