import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { startApp, temporaryFolder } from '../../support/server/start-app.ts'

test('when the queue of writes is full the next write is refused at once, and reads go on', async () => {
  const file = join(await temporaryFolder(), 'plants.db')
  const store = openSqliteStore({ file, onFault: () => undefined, maxQueued: 3, lockTimeoutMilliseconds: 60_000 })
  onTestFinished(() => store.close())
  const { send } = await startApp({ store })
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = [1, 2, 3].map((id) => send({ method: 'POST', url: '/plants', body: { id, name: 'a' } }))
  await delay(50)
  const refused = await send({ method: 'POST', url: '/plants', body: { id: 4, name: 'a' } })
  expectFailure(refused, 'unavailable')
  expect(refused.headers['retry-after']).toBe('1')
  expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
  other.exec('ROLLBACK')
  other.close()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
})
