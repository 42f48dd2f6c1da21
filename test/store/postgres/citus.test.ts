import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isOwned, tables } from '../../../src/store/tables.ts'
import { openConnection, openTestStore, temporaryDatabase } from '../../support/server/postgres-database.ts'
import { namesOf } from '../list-text.ts'
import { storedPlant } from '../../support/plants.ts'

/** Opens a store in a database that has, of Citus, the table by which the store knows it. */
async function openOnCitus(options: Parameters<typeof openTestStore>[1] = {}) {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query('CREATE TABLE pg_dist_partition ()')
  return { ...(await openTestStore(url, options)), client }
}

const callers = ['a', 'b', 'c']

test('the file for Citus distributes what callers own, and keeps every other table on the coordinator', async () => {
  const file = await readFile('deploy/citus.sql', 'utf8')
  const statements = tables.map((table) =>
    isOwned(table)
      ? `SELECT create_distributed_table('${table.name}', 'caller');`
      : `SELECT citus_add_local_table_to_metadata('${table.name}');`,
  )
  const ofVersion = `SELECT citus_add_local_table_to_metadata('plant_store_schema');`
  expect(file.split('\n').filter((line) => line.startsWith('SELECT'))).toEqual([...statements, ofVersion])
})

test('on Citus, a transaction has the writes of one caller', async () => {
  const { store, client } = await openOnCitus()
  const ids = [1n, 2n, 3n]
  await Promise.all(
    callers.flatMap((caller) => ids.map((id) => store.create(caller, storedPlant({ id, name: 'new' })))),
  )
  const { rows } = await client.query('SELECT array_agg(DISTINCT caller) AS callers FROM plants GROUP BY xmin::text')
  expect(rows.map(({ callers }: { callers?: string[] }) => callers).sort()).toEqual(callers.map((caller) => [caller]))
  expect(await namesOf(store, 'b', 2)).toEqual(['new', 'new'])
})

test('on Citus, writes of more callers than may wait are refused', async () => {
  const { store, client } = await openOnCitus({ maxQueued: 2, connections: { max: 1 } })
  await client.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE')
  const outcomes: Promise<string>[] = []
  for (const caller of callers) {
    outcomes.push(store.create(caller, storedPlant({ id: 1n, name: 'new' })))
    // Each leaves the queue, and waits for the connection.
    await setImmediate()
  }
  expect(await store.create('d', storedPlant({ id: 1n, name: 'new' }))).toBe('unavailable')
  await client.query('ROLLBACK')
  expect(await Promise.all(outcomes)).toEqual(['created', 'created', 'created'])
})
