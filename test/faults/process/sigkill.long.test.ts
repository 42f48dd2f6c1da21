import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { servedDatabase } from '../../support/server/served-database.ts'
import { brokenPromises, emptyRecord, startWriters } from '../../support/client/writers.ts'

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
