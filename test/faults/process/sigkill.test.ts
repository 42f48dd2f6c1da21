import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { servedDatabase } from '../../support/server/served-database.ts'
import { brokenPromises, emptyRecord, startWriters } from '../../support/client/writers.ts'

const rounds = 10
const roundMilliseconds = 300

test(
  'a server that is killed under 32 writers, ten times over, has lost nothing that it acknowledged',
  { timeout: 90_000 },
  async () => {
    const { file, serve } = await servedDatabase()
    const record = emptyRecord()
    let acknowledged = 0
    for (let round = 0; round < rounds; round++) {
      const server = await serve()
      const stop = startWriters(server, record)
      await delay(roundMilliseconds)
      await server.end('SIGKILL')
      await stop()
      // Each round has to have had something to lose.
      expect(record.created.size).toBeGreaterThan(acknowledged)
      acknowledged = record.created.size
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
