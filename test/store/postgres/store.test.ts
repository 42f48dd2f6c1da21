import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../../src/auth/tokens.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { awkwardTexts } from '../../support/client/awkward-texts.ts'
import { connect, temporaryDatabase, waitUntilBlocking } from '../../support/server/postgres-database.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { listText } from '../list-text.ts'
import { openTestStore } from './open-test-store.ts'

const lowest = -9223372036854775808n
const highest = 9223372036854775807n

async function openConnection(url: string) {
  const client = await connect(url)
  onTestFinished(() => client.end())
  return client
}

test('a list is the same text as on SQLite and from JSON.stringify, whatever the texts are', async () => {
  const { store } = await openTestStore(await temporaryDatabase())
  const sqlite = openSqliteStore({ file: join(await temporaryFolder(), 'plants.db'), onFault: () => undefined })
  onTestFinished(() => sqlite.close())
  // Every text that the contract lets through: no U+0000, no lone surrogates.
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((value) => !value.includes('\0'))
  const known = [
    ...Array.from({ length: 0x100 }, (_, code) => String.fromCodePoint(code + 1)),
    ...awkwardTexts.map(([, value]) => value),
  ]
  let callers = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: text, tag: text }, { requiredKeys: ['name'] }), { minLength: 1, maxLength: 50 }),
      async (plants) => {
        const caller = `caller ${String(++callers)}`
        for (const each of [store, sqlite]) {
          await Promise.all(plants.map((plant, id) => each.create(caller, { id: BigInt(id), ...plant })))
          expect(await listText(each, caller)).toBe(JSON.stringify(plants))
        }
      },
    ),
    { numRuns: 50, examples: [[known.map((value) => ({ name: value, tag: value }))]] },
  )
})

test('a list longer than a page comes in pages, in the order of the ids, from the lowest to the highest', async () => {
  const { store } = await openTestStore(await temporaryDatabase())
  const ids = [highest, lowest, ...Array.from({ length: 1_999 }, (_, index) => BigInt(index) - 1_000n)]
  await Promise.all(ids.map((id) => store.create('me', { id, name: String(id) })))
  const names = [...ids].sort((a, b) => (a < b ? -1 : 1)).map((id) => ({ name: String(id) }))
  expect(JSON.parse(await listText(store, 'me'))).toEqual(names)
  for (const limit of [0, 1, 999, 1_000, 1_001, 2_000, 2_001, 2_147_483_647])
    expect(JSON.parse(await listText(store, 'me', limit))).toEqual(names.slice(0, limit))
})

test('writes that arrive together are one transaction, each with its own outcome', async () => {
  const url = await temporaryDatabase()
  const { store } = await openTestStore(url)
  await store.create('me', { id: 3n, name: 'there already' })
  const outcomes = await Promise.all([1n, 2n, 3n, 4n].map((id) => store.create('me', { id, name: 'new' })))
  expect(outcomes).toEqual(['created', 'created', 'exists', 'created'])
  const client = await openConnection(url)
  const { rows } = await client.query(
    `SELECT array_agg(id ORDER BY id) AS ids FROM plants GROUP BY xmin::text ORDER BY min(id)`,
  )
  expect(rows).toEqual([{ ids: ['1', '2', '4'] }, { ids: ['3'] }])
})

test('writes of one plant that arrive together keep their order', async () => {
  const { store } = await openTestStore(await temporaryDatabase())
  const plant = { id: 10n, name: 'first' }
  const outcomes = await Promise.all([
    store.create('me', plant),
    store.create('me', { ...plant, name: 'second' }),
    store.create('me', { id: 9n, name: 'another' }),
    store.delete('me', 10n),
    store.delete('me', 10n),
    store.create('me', { ...plant, name: 'third' }),
  ])
  expect(outcomes).toEqual(['created', 'exists', 'created', 'deleted', 'absent', 'created'])
  expect(await listText(store, 'me')).toBe('[{"name":"another"},{"name":"third"}]')
})

test('thousands of writes of few plants that arrive together keep their order, whatever they are', async () => {
  const { store } = await openTestStore(await temporaryDatabase())
  const kept = new Map<string, string>()
  const expected: string[] = []
  const outcomes = Array.from({ length: 2_000 }, (_, number) => {
    const id = BigInt((number * 7_919) % 61)
    const caller = `caller ${String((number * 104_729) % 3)}`
    const key = `${caller} ${String(id)}`
    if ((number * 31) % 5 < 2) {
      expected.push(kept.delete(key) ? 'deleted' : 'absent')
      return store.delete(caller, id)
    }
    expected.push(kept.has(key) ? 'exists' : 'created')
    if (!kept.has(key)) kept.set(key, String(number))
    return store.create(caller, { id, name: String(number) })
  })
  expect(await Promise.all(outcomes)).toEqual(expected)
  const names = (await Promise.all([0, 1, 2].map((n) => listText(store, `caller ${String(n)}`)))).flatMap((text) =>
    (JSON.parse(text) as { name: string }[]).map(({ name }) => name),
  )
  expect(names.sort()).toEqual([...kept.values()].sort())
})

test("lists that are asked for together are each the caller's own, as long as was asked for", async () => {
  const { store } = await openTestStore(await temporaryDatabase())
  await Promise.all(
    ['me', 'you'].flatMap((caller) =>
      [3n, 1n, 2n].map((id) => store.create(caller, { id, name: `${caller} ${String(id)}` })),
    ),
  )
  const asked: [string, number][] = [
    ['you', 1],
    ['me', 2],
    ['nobody', 5],
    ['me', 0],
    ['you', 128],
    ['me', 1],
  ]
  const lists = await Promise.all(asked.map(([caller, limit]) => listText(store, caller, limit)))
  expect(lists.map((text) => (JSON.parse(text) as { name: string }[]).map(({ name }) => name))).toEqual(
    asked.map(([caller, limit]) =>
      caller === 'nobody' ? [] : ['1', '2', '3'].slice(0, limit).map((id) => `${caller} ${id}`),
    ),
  )
})

test('a list that the database refuses leaves those that were asked for with it alone', async () => {
  const { store } = await openTestStore(await temporaryDatabase())
  const lists = await Promise.allSettled(['me', '\0', 'you'].map((caller) => listText(store, caller, 1)))
  expect(lists).toMatchObject([{ value: '[]' }, { reason: { code: '22021' } }, { value: '[]' }])
})

test('a write that the database refuses leaves those that arrived with it alone', async () => {
  const { store, faults } = await openTestStore(await temporaryDatabase())
  const outcomes = await Promise.allSettled([
    store.create('me', { id: 1n, name: 'before' }),
    store.create('me', { id: 2n, name: 'the contract refuses \0' }),
    store.create('me', { id: 3n, name: 'after' }),
  ])
  expect(outcomes).toMatchObject([{ value: 'created' }, { reason: { code: '22021' } }, { value: 'created' }])
  expect(await listText(store, 'me')).toBe('[{"name":"before"},{"name":"after"}]')
  expect(faults).toEqual([])
})

test('a create that meets another transaction which is serializable is tried again after 40001', async () => {
  const url = await temporaryDatabase({ default_transaction_isolation: 'serializable' })
  const { store, faults } = await openTestStore(url)
  const other = await openConnection(url)
  await other.query('BEGIN')
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'the other')`)
  const outcome = store.create('me', { id: 1n, name: 'mine' })
  await waitUntilBlocking(other)
  await other.query('COMMIT')
  expect(await outcome).toBe('exists')
  expect(faults).toEqual([])
})

test('writes that deadlock with another transaction are tried again after 40P01', async () => {
  // A wait is looked at once, when it has lasted so long: the other's INSERT below has to have come by then.
  const url = await temporaryDatabase({ deadlock_timeout: '500ms' })
  const { store, faults } = await openTestStore(url)
  const other = await openConnection(url)
  await other.query(`SET deadlock_timeout = '1min'; BEGIN`)
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 2, 'the other')`)
  const outcomes = Promise.all([1n, 2n].map((id) => store.create('me', { id, name: 'mine' })))
  await waitUntilBlocking(other)
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'the other')`)
  await other.query('COMMIT')
  expect(await outcomes).toEqual(['exists', 'exists'])
  expect(faults).toEqual([])
})

test('writes take their locks in one order, in whatever order they arrive', async () => {
  const url = await temporaryDatabase()
  const { store } = await openTestStore(url)
  const other = await openConnection(url)
  await other.query(`SET deadlock_timeout = '10ms'; BEGIN`)
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'the other')`)
  const outcomes = Promise.all([2n, 1n].map((id) => store.create('me', { id, name: 'mine' })))
  await waitUntilBlocking(other)
  // Rejects with 40P01 where the store holds 2 already.
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 2, 'the other')`)
  await other.query('COMMIT')
  expect(await outcomes).toEqual(['exists', 'exists'])
})

test('uses of tokens take their locks in one order, in whatever order they are recorded', async () => {
  const url = await temporaryDatabase()
  const { store } = await openTestStore(url)
  const tokens = [createToken('me', 0).stored, createToken('me', 0).stored].sort((a, b) =>
    Buffer.compare(a.hash, b.hash),
  )
  for (const token of tokens) await store.addToken(token)
  const [first, second] = tokens.map(({ hash }) => hash)
  const other = await openConnection(url)
  await other.query(`SET deadlock_timeout = '10ms'; BEGIN`)
  const use = 'UPDATE tokens SET last_used_at = 1 WHERE hash = $1'
  await other.query(use, [first])
  const outcome = store.recordUses([second!, first!].map((hash) => ({ hash, usedAt: 100_000 })))
  await waitUntilBlocking(other)
  // Rejects with 40P01 where the store holds the second already.
  await other.query(use, [second])
  await other.query('COMMIT')
  expect(await outcome).toBe('recorded')
  const kept = await store.listTokens()
  expect(kept === 'unavailable' ? kept : kept.map(({ lastUsedAt }) => lastUsedAt)).toEqual([100_000, 100_000])
})
