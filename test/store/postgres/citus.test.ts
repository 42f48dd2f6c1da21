import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { WorkerWatch, isCoordinator, readLayout } from '../../../src/store/postgres/citus.ts'
import { isOwned, tables } from '../../../src/store/tables.ts'
import { openConnection, openTestStore, temporaryDatabase } from '../../support/server/postgres-database.ts'

/** The parts of Citus that the store uses, as tables and functions of PostgreSQL. */
const catalog = `
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char");
  CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
  CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text, reachable boolean);
  INSERT INTO pg_dist_placement VALUES (1, 1), (2, 2);
  INSERT INTO pg_dist_node VALUES (1, 'one', 1, 'primary', true), (2, 'two', 2, 'primary', true), (2, 'b', 2, 'secondary', true);
  CREATE FUNCTION get_shard_id_for_distribution_column(text, caller text) RETURNS bigint LANGUAGE sql
    AS $$ SELECT length(caller) $$;
  CREATE FUNCTION citus_check_connection_to_node(name text, port int) RETURNS boolean LANGUAGE sql
    AS $$ SELECT reachable FROM pg_dist_node WHERE nodename = name AND nodeport = port $$;
  CREATE FUNCTION citus_is_coordinator() RETURNS boolean LANGUAGE sql AS 'SELECT count(*) > 1 FROM pg_dist_node';`

/** Makes a database that looks like a Citus of two workers, and a connection to it. */
async function openCatalog() {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const client = await openConnection(url)
  await client.query(catalog)
  return { url, client }
}

const add = (table: string) => `SELECT citus_add_local_table_to_metadata('${table}');`
const owned = tables.filter(isOwned).map(({ name }) => name)
const layoutOfOwned = owned.map((name) => `('${name}', 'h', 's')`).join()

test.each<[string, string, boolean, string[]]>([
  [
    'no table',
    '',
    false,
    [
      ...owned.map((name) => `SELECT create_distributed_table('${name}', 'caller');`),
      add('tokens'),
      add('plant_store_schema'),
    ],
  ],
  [
    'the tables of the documentation',
    `${layoutOfOwned}, ('tokens', 'n', 's'), ('plant_store_schema', 'n', 's')`,
    true,
    [],
  ],
  [
    'tokens by their hash and a version on all nodes',
    `${layoutOfOwned}, ('tokens', 'h', 's'), ('plant_store_schema', 'n', 't')`,
    true,
    ['tokens', 'plant_store_schema'].map((table) => `SELECT undistribute_table('${table}'); ${add(table)}`),
  ],
])('the advice fits a Citus layout with %s', async (_layout, rows, isSharded, statements) => {
  const { client } = await openCatalog()
  if (rows !== '') await client.query(`INSERT INTO pg_dist_partition VALUES ${rows}`)
  const warnings = statements.map(
    (statement) => `Citus: on the coordinator, run ${statement} (see docs/postgres.md, Citus)`,
  )
  const layout = await readLayout(client)
  expect({ ...layout, warnings: layout.warnings.sort() }).toEqual({ isSharded, warnings: warnings.sort() })
})

test('a node that is not the coordinator is recognized', async () => {
  const { client } = await openCatalog()
  expect(await isCoordinator(client)).toBe(true)
  await client.query('DELETE FROM pg_dist_node')
  expect(await isCoordinator(client)).toBe(false)
})

/** Watches the workers of a catalog. Worker 1 has the plants of `a`; worker 2 those of `bb` and `cc`. */
async function watch(maxQueued = 100) {
  const { url, client } = await openCatalog()
  const pool = new Pool({ connectionString: url, max: 3 })
  const workers = new WorkerWatch(pool, maxQueued)
  onTestFinished(async () => {
    workers.stop()
    await pool.end()
  })
  return { workers, client }
}

const done = () => Promise.resolve('done')
const lost = new Error('Query read timeout')

test.each<[string, () => Promise<string>]>([
  ['that is unavailable', () => Promise.resolve('unavailable')],
  ['whose connection is lost', () => Promise.reject(lost)],
])('a statement %s pauses its worker until the worker responds', async (_how, fail) => {
  const { workers, client } = await watch()
  await client.query(`UPDATE pg_dist_node SET reachable = false WHERE groupid = 2`)
  const [first, ...later] = await Promise.all(
    [fail, done, done].map((ask) => workers.run('bb', ask).catch((error: unknown) => error)),
  )
  expect(['unavailable', lost]).toContain(first)
  // They waited for the first statement's connection.
  expect(later).toEqual(['unavailable', 'unavailable'])
  expect(await workers.run('cc', () => expect.unreachable())).toBe('unavailable')
  expect(await workers.run('a', done)).toBe('done')
  await client.query(`UPDATE pg_dist_node SET reachable = true`)
  await expect.poll(() => workers.run('cc', done)).toBe('done')
})

test('an error without an outage pauses no other statement', async () => {
  const { workers, client } = await watch()
  await client.query(`UPDATE pg_dist_node SET reachable = false`)
  const refused = workers.run('a', () => client.query('SELECT 1 / 0'))
  await expect(refused).rejects.toThrow('division by zero')
  expect(await workers.run('a', done)).toBe('done')
})

test('two connections stay free, and statements beyond the limit are refused', async () => {
  const { workers } = await watch(3)
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<string>())
  let started = 0
  const held = () => gates[started++]!.promise
  const outcomes = Array.from({ length: 3 }, () => workers.run('a', held))
  expect(await workers.run('a', held)).toBe('unavailable')
  for (let turn = 1; turn <= 3; turn++) {
    await expect.poll(() => started).toBe(turn)
    gates[turn - 1]!.resolve('done')
  }
  expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'done'])
})
