import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connect, temporaryDatabase } from '../../../support/server/postgres-database.ts'
import { openTestStore } from '../open-test-store.ts'

test('connections that are always in use are replaced when their life is over, and nothing fails', async () => {
  const url = new URL(await temporaryDatabase())
  url.searchParams.set('application_name', randomUUID())
  const { store, faults } = await openTestStore(url.href, { connections: { max: 2, maxLifetimeSeconds: 1 } })
  const client = await connect(url.href)
  onTestFinished(() => client.end())
  const sessions = async () => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name')`,
    )
    return rows.map(({ pid }) => pid)
  }
  const stopped = new AbortController()
  const outcomes = new Set<string>()
  let id = 0n
  const users = Array.from({ length: 4 }, async () => {
    while (!stopped.signal.aborted) {
      outcomes.add(await store.create('me', { id: id++, name: 'Monstera' }))
      const list = await store.list('me', 1)
      if (list === 'unavailable') outcomes.add(list)
      await sleep(1)
    }
  })
  const first = await sessions()
  expect(first).toHaveLength(2)
  await expect.poll(async () => (await sessions()).filter((pid) => first.includes(pid))).toEqual([])
  stopped.abort()
  await Promise.all(users)
  expect([...outcomes]).toEqual(['created'])
  expect(faults).toEqual([])
})
