import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  openConnection,
  openTestStore,
  temporaryDatabase,
  waitUntilBlocking,
} from '../../support/server/postgres-database.ts'
import { startTcpProxy } from '../../support/client/tcp-proxy.ts'
import { listPages, listText } from '../list-text.ts'
import { storedPlant } from '../../support/plants.ts'

const plant = storedPlant({ id: 1n })

/** Opens a session with a lock that blocks every statement on the plants. */
async function lockPlants(url: string) {
  const client = await openConnection(url)
  await client.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE')
  return client
}

/** Returns the database through a proxy that the test can disturb. */
async function throughProxy(url: string) {
  const address = new URL(url)
  const proxy = await startTcpProxy(Number(address.port))
  onTestFinished(() => proxy.close())
  address.host = `127.0.0.1:${String(proxy.port)}`
  return { proxy, url: address.href }
}

test('a slow database is unavailable, is not changed, and then recovers', async () => {
  const url = await temporaryDatabase()
  const { store, faults } = await openTestStore(url, { connections: { statement_timeout: 200 } })
  const other = await lockPlants(url)
  expect(await Promise.all([store.create('me', plant), store.delete('me', 2n), store.list('me', undefined)])).toEqual([
    'unavailable',
    'unavailable',
    'unavailable',
  ])
  expect(new Set(faults.map(({ message }) => message))).toEqual(
    new Set(['canceling statement due to statement timeout']),
  )
  await other.query('ROLLBACK')
  expect(await listText(store, 'me')).toBe('[]')
  expect(await store.create('me', plant)).toBe('created')
})

test('reads beyond the limit of the queue are refused; queued reads are served', async () => {
  const url = await temporaryDatabase()
  const { store, faults } = await openTestStore(url, { connections: { max: 1 }, maxQueued: 2 })
  const other = await lockPlants(url)
  const waiting: ReturnType<typeof store.list>[] = []
  for (let number = 0; number < 3; number++) {
    waiting.push(store.list('me', 1))
    // Lists of one turn would share a query.
    await setImmediate()
  }
  await waitUntilBlocking(other)
  expect(await store.list('me', 1)).toBe('unavailable')
  await other.query('ROLLBACK')
  expect(await Promise.all(waiting)).toMatchObject([{ chunks: '[]' }, { chunks: '[]' }, { chunks: '[]' }])
  expect(faults).toEqual([])
})

test('lists of one turn share a query, and so do token lookups', async () => {
  // One query runs and two may wait; with more, some would be refused.
  const { store } = await openTestStore(await temporaryDatabase(), { connections: { max: 1 }, maxQueued: 2 })
  const lists = Array.from({ length: 16 }, () => store.list('me', 1))
  const callers = Array.from({ length: 499 }, () => store.findCaller(new Uint8Array(32), 0))
  expect(new Set((await Promise.all(lists)).map((list) => list !== 'unavailable' && list.chunks))).toEqual(
    new Set(['[]']),
  )
  expect(new Set(await Promise.all(callers))).toEqual(new Set(['unknown']))
})

test('writes beyond the limit of the queue are refused; queued writes are done', async () => {
  const url = await temporaryDatabase()
  const { store } = await openTestStore(url, { maxQueued: 2 })
  const other = await lockPlants(url)
  const first = store.create('me', plant)
  await waitUntilBlocking(other)
  const waiting = [store.create('me', plant), store.create('me', { ...plant, id: 2n })]
  expect(await store.create('me', plant)).toBe('unavailable')
  await other.query('ROLLBACK')
  expect(await Promise.all([first, ...waiting])).toEqual(['created', 'exists', 'created'])
})

test('an error of an idle connection is reported without its client object', async () => {
  const { proxy, url } = await throughProxy(await temporaryDatabase())
  const { store, faults } = await openTestStore(url)
  await Promise.all([store.isReady(), store.isReady(), store.isReady()])
  proxy.cut()
  await expect.poll(() => faults.length).toBe(3)
  for (const fault of faults) {
    expect(fault.message).toMatch(/ECONNRESET|terminated/)
    expect(Object.keys(fault)).not.toContain('client')
  }
  expect(await store.create('me', plant)).toBe('created')
})

test('a connection that breaks makes its statements unavailable, and the next works', async () => {
  const direct = await temporaryDatabase()
  const { proxy, url } = await throughProxy(direct)
  const { store, faults } = await openTestStore(url)
  const other = await lockPlants(direct)
  const outcomes = Promise.all([
    store.create('me', plant),
    store.create('me', { ...plant, id: 2n }),
    store.list('me', undefined),
  ])
  await waitUntilBlocking(other, 2)
  proxy.cut()
  expect(await outcomes).toEqual(['unavailable', 'unavailable', 'unavailable'])
  expect(faults).not.toEqual([])
  await other.query('ROLLBACK')
  expect(await store.create('me', { ...plant, id: 3n })).toBe('created')
})

test('a node that cannot reach another one keeps its connection', async () => {
  const url = await temporaryDatabase()
  const { store, faults } = await openTestStore(url, { connections: { max: 1 } })
  const session = () => store.read('me', 'SELECT pg_backend_pid() AS pid', [])
  const before = await session()
  // As Citus does while a worker is down.
  await (
    await openConnection(url)
  ).query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE 'connection to the remote node failed' USING ERRCODE = 'connection_failure';
     END $$;
     CREATE TRIGGER refuse BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION refuse()`,
  )
  expect(await store.create('me', plant)).toBe('unavailable')
  expect(faults).toHaveLength(1)
  expect(await session()).toEqual(before)
})

test('one timeout closes all connections to a silent server', async () => {
  const { proxy, url } = await throughProxy(await temporaryDatabase())
  const { store, faults } = await openTestStore(url, {
    connections: { query_timeout: 1_000, connectionTimeoutMillis: 1_000 },
  })
  await expect.poll(() => Promise.all([store.isReady(), store.isReady(), store.isReady()])).toEqual([true, true, true])
  proxy.freeze()
  expect(await store.list('me', 1)).toBe('unavailable')
  await expect.poll(() => faults.length).toBe(3)
  // These need new connections.
  const token = new Uint8Array(32)
  expect(await Promise.all([store.create('me', plant), store.list('me', 1), store.findCaller(token, 0)])).toEqual(
    Array(3).fill('unavailable'),
  )
  expect(await store.isReady()).toBe(false)
  proxy.thaw()
  await expect.poll(() => store.isReady()).toBe(true)
  expect(await store.create('me', plant)).toBe('created')
})

test('a list whose next page fails ends with an error', async () => {
  const { proxy, url } = await throughProxy(await temporaryDatabase())
  const { store } = await openTestStore(url)
  await Promise.all(
    Array.from({ length: 1_001 }, (_, id) =>
      store.create('me', storedPlant({ id: BigInt(id), name: 'Monstera', tag: 'x'.repeat(255) })),
    ),
  )
  const pages = await listPages(store, 'me')
  await proxy.close()
  const chunks: Buffer[] = []
  await expect(
    (async () => {
      for await (const chunk of pages) chunks.push(chunk)
    })(),
  ).rejects.toThrow('a list was cut off')
  expect(chunks).toHaveLength(1)
})

/** @returns a function that lists the other sessions with the `application_name` of a URL */
async function sessionsOf(url: URL): Promise<() => Promise<number[]>> {
  const client = await openConnection(url.href)
  return async () => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name')`,
    )
    return rows.map(({ pid }) => pid)
  }
}

test('an idle store keeps a session, by which a move finds its server', async () => {
  const url = new URL(await temporaryDatabase())
  url.searchParams.set('application_name', randomUUID())
  await openTestStore(url.href, { connections: { max: 2, maxLifetimeSeconds: 1 } })
  const sessions = await sessionsOf(url)
  const first = await sessions()
  expect(first).not.toEqual([])
  const later = async () => (await sessions()).filter((pid) => !first.includes(pid))
  await expect.poll(later).toHaveLength(1)
})

test('busy connections are replaced at the end of their lifetime without errors', async () => {
  const url = new URL(await temporaryDatabase())
  url.searchParams.set('application_name', randomUUID())
  const { store, faults } = await openTestStore(url.href, { connections: { max: 2, maxLifetimeSeconds: 1 } })
  const sessions = await sessionsOf(url)
  const stopped = new AbortController()
  const outcomes = new Set<string>()
  let id = 0n
  const users = Array.from({ length: 4 }, async () => {
    while (!stopped.signal.aborted) {
      outcomes.add(await store.create('me', storedPlant({ id: id++, name: 'Monstera' })))
      const list = await store.list('me', 1)
      if (list === 'unavailable') outcomes.add(list)
      await sleep(1)
    }
  })
  const first = await sessions()
  expect(first).not.toEqual([])
  await expect.poll(async () => (await sessions()).filter((pid) => first.includes(pid))).toEqual([])
  stopped.abort()
  await Promise.all(users)
  expect([...outcomes]).toEqual(['created'])
  expect(faults).toEqual([])
})
