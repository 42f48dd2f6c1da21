import { expect, test } from 'vitest'
import { createToken } from '../../../src/auth/tokens.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import {
  openConnection,
  openTestStore,
  temporaryDatabase,
  waitUntilBlocking,
} from '../../support/server/postgres-database.ts'
import { listText, namesOf } from '../list-text.ts'
import { storeSuite, throwFault } from '../store-suite.ts'
import { storedPlant } from '../../support/plants.ts'

storeSuite('PostgreSQL', {
  makeLocation: () => temporaryDatabase(),
  open: (url, onFault = throwFault) => openPostgresStore({ url, onFault }),
})

test('writes that arrive together share a transaction and have their own outcomes', async () => {
  const url = await temporaryDatabase()
  const { store } = await openTestStore(url)
  await store.create('me', storedPlant({ id: 3n, name: 'there already' }))
  const outcomes = await Promise.all([1n, 2n, 3n, 4n].map((id) => store.create('me', storedPlant({ id, name: 'new' }))))
  expect(outcomes).toEqual(['created', 'created', 'exists', 'created'])
  const client = await openConnection(url)
  const { rows } = await client.query(
    `SELECT array_agg(id ORDER BY id) AS ids FROM plants GROUP BY xmin::text ORDER BY min(id)`,
  )
  expect(rows).toEqual([{ ids: ['1', '2', '4'] }, { ids: ['3'] }])
})

test('a list that the database refuses fails; other lists of the batch succeed', async () => {
  const { store } = await openTestStore(await temporaryDatabase())
  const lists = await Promise.allSettled(['me', '\0', 'you'].map((caller) => listText(store, caller, 1)))
  expect(lists).toMatchObject([{ value: '[]' }, { reason: { code: '22021' } }, { value: '[]' }])
})

test('writes that fail only as a batch are stored one by one', async () => {
  const url = await temporaryDatabase()
  const { store, faults } = await openTestStore(url)
  const client = await openConnection(url)
  // As when several new keys split an index page whose neighbour is damaged.
  await client.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM added) > 1 THEN RAISE 'damaged' USING ERRCODE = 'index_corrupted'; END IF;
       RETURN NULL;
     END $$;
     CREATE TRIGGER refuse AFTER INSERT ON plants
       REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
  )
  expect(await Promise.all([1n, 2n, 3n].map((id) => store.create('me', storedPlant({ id, name: 'a' }))))).toEqual(
    Array(3).fill('created'),
  )
  expect(await namesOf(store, 'me')).toEqual(['a', 'a', 'a'])
  expect(faults).toEqual([])
})

test('a write that conflicts on a serializable database is retried after 40001', async () => {
  const url = await temporaryDatabase({ default_transaction_isolation: 'serializable' })
  const { store, faults } = await openTestStore(url)
  await store.create('me', storedPlant({ id: 1n, name: 'Monstera' }))
  const other = await openConnection(url)
  await other.query('BEGIN; DELETE FROM plants WHERE id = 1')
  const outcome = store.delete('me', 1n)
  await waitUntilBlocking(other)
  await other.query('COMMIT')
  expect(await outcome).toBe('absent')
  expect(faults).toEqual([])
})

test('writes that deadlock with another transaction are retried after 40P01', async () => {
  // Deadlocks are checked once, after this time. The INSERT below must have arrived by then.
  const url = await temporaryDatabase({ deadlock_timeout: '500ms' })
  const { store, faults } = await openTestStore(url)
  const other = await openConnection(url)
  await other.query(`SET deadlock_timeout = '1min'; BEGIN`)
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 2, 'the other')`)
  const outcomes = Promise.all([1n, 2n].map((id) => store.create('me', storedPlant({ id, name: 'mine' }))))
  await waitUntilBlocking(other)
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'the other')`)
  await other.query('COMMIT')
  expect(await outcomes).toEqual(['exists', 'exists'])
  expect(faults).toEqual([])
})

test('writes take their locks in one order, whatever order they arrive in', async () => {
  const url = await temporaryDatabase()
  const { store } = await openTestStore(url)
  const other = await openConnection(url)
  await other.query(`SET deadlock_timeout = '10ms'; BEGIN`)
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, 'the other')`)
  const outcomes = Promise.all([2n, 1n].map((id) => store.create('me', storedPlant({ id, name: 'mine' }))))
  await waitUntilBlocking(other)
  // Rejects with 40P01 if the store already holds 2.
  await other.query(`INSERT INTO plants (caller, id, name) VALUES ('me', 2, 'the other')`)
  await other.query('COMMIT')
  expect(await outcomes).toEqual(['exists', 'exists'])
})

test('token uses take their locks in one order, whatever order they arrive in', async () => {
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
  // Rejects with 40P01 if the store already holds the second.
  await other.query(use, [second])
  await other.query('COMMIT')
  expect(await outcome).toBe('recorded')
  const kept = await store.listTokens()
  expect(kept === 'unavailable' ? kept : kept.map(({ lastUsedAt }) => lastUsedAt)).toEqual([100_000, 100_000])
})
