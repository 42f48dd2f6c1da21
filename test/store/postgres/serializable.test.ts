import { expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { temporaryDatabase } from '../../support/server/postgres-database.ts'
import { startTcpProxy } from '../../support/client/tcp-proxy.ts'
import { listText } from '../list-text.ts'
import { storeSuite, throwFault } from '../store-suite.ts'
import { openTestStore } from './open-test-store.ts'

const settings = { default_transaction_isolation: 'serializable' }

storeSuite('serializable PostgreSQL', {
  makeLocation: () => temporaryDatabase(settings),
  open: (url, onFault = throwFault) => openPostgresStore({ url, onFault }),
})

test('servers that write the same plants of a serializable database meet 40001; each write counts once', async () => {
  const address = new URL(await temporaryDatabase(settings))
  let conflicts = 0
  const proxy = await startTcpProxy(Number(address.port), (bytes) => {
    // The field of an ErrorResponse that holds the SQLSTATE (postgresql.org/docs/18/protocol-error-fields.html).
    conflicts += bytes.toString('latin1').split('C40001\0').length - 1
  })
  onTestFinished(() => proxy.close())
  address.port = String(proxy.port)
  const servers = await Promise.all([1, 2, 3].map(() => openTestStore(address.href)))

  const counts = { created: 0, exists: 0, deleted: 0, absent: 0, unavailable: 0 }
  await Promise.all(
    servers.map(async ({ store }, server) => {
      for (let round = 0; round < 50 || (conflicts === 0 && round < 2_000); round++) {
        const outcomes = await Promise.all(
          Array.from({ length: 3 }, (_, number) => {
            const id = BigInt(number)
            return (number + round + server) % 2 === 0
              ? store.create('me', { id, name: 'Monstera' })
              : store.delete('me', id)
          }),
        )
        for (const outcome of outcomes) counts[outcome]++
      }
    }),
  )
  expect(conflicts).toBeGreaterThan(0)
  expect(servers.flatMap(({ faults }) => faults)).toEqual([])
  expect(counts).toMatchObject({ unavailable: 0 })
  // What was created and not deleted is what is there.
  const left = JSON.parse(await listText(servers[0]!.store, 'me')) as unknown[]
  expect(counts.created - counts.deleted).toBe(left.length)
})
