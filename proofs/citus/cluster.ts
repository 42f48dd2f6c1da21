import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Missing, report } from '../../test/support/run-named.ts'
import type { Caller } from '../../test/support/server/issue-tokens.ts'
import type { Lab } from '../../test/support/server/lab.ts'
import type { PostgresNode } from '../../test/support/server/postgres-node.ts'
import { projectFolder } from '../../test/support/server/start-process.ts'

/**
 * Finds the PostgreSQL of the first `pg_config` in PATH.
 *
 * @returns the folder of its programs
 * @throws Missing when there is none, or it has no Citus
 */
async function findPrograms(): Promise<string> {
  const { stdout } = await promisify(execFile)('pg_config', ['--bindir', '--sharedir'])
  const [bin = '', share = ''] = stdout.split('\n')
  if (existsSync(join(share, 'extension/citus.control'))) return bin
  throw new Missing(`the PostgreSQL of the pg_config in PATH has no Citus: install it, see https://docs.citusdata.com`)
}

/** A coordinator of Citus and its workers. */
export interface CitusCluster {
  lab: Lab
  coordinator: PostgresNode
  workers: PostgresNode[]
  addWorker: () => Promise<void>
}

/** The settings of docs/postgres.md, with few shards so that tables are made quickly. */
const settings = [
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_connections=300',
  'max_prepared_transactions=300',
  'citus.node_conninfo=sslmode=disable',
  'citus.shard_count=8',
]

/** Starts a coordinator and two workers. */
export async function startCluster(lab: Lab): Promise<CitusCluster> {
  const bin = await findPrograms()
  const start = async (name: string) => {
    const node = await lab.node(name, { bin, settings })
    await node.query('CREATE EXTENSION citus')
    return node
  }
  const coordinator = await start('coordinator')
  await coordinator.query(`SELECT citus_set_coordinator_host('127.0.0.1', ${String(coordinator.port)})`)
  const workers: PostgresNode[] = []
  const addWorker = async () => {
    const worker = await start(`worker${String(workers.length + 1)}`)
    await coordinator.query('SELECT citus_add_node($1, $2)', ['127.0.0.1', worker.port])
    workers.push(worker)
  }
  await addWorker()
  await addWorker()
  const versions = `split_part(citus_version(), ' on ', 1) || ', PostgreSQL ' || current_setting('server_version')`
  const [row] = await coordinator.query<{ versions: string }>(`SELECT ${versions} AS versions`)
  console.log(`${row?.versions ?? ''}, Node ${process.versions.node}\n`)
  return { lab, coordinator, workers, addWorker }
}

/** @returns the names of the callers whose plants are on the node with this port */
export async function callersOn({ coordinator }: CitusCluster, callers: Caller[], port: number): Promise<Set<string>> {
  const rows = await coordinator.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS name
      JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('plants', name)
      JOIN pg_dist_node USING (groupid) WHERE nodeport = $2`,
    [callers.map(({ name }) => name), port],
  )
  return new Set(rows.map(({ name }) => name))
}

/** What is committed in two phases would appear only later. */
export async function reportPrepared({ coordinator, workers }: CitusCluster, name: string): Promise<void> {
  let prepared = 0
  for (const node of [coordinator, ...workers]) {
    const [row] = await node.query<{ count: string }>('SELECT count(*) FROM pg_prepared_xacts')
    prepared += Number(row?.count)
  }
  report(`${name}: transactions in two phases`, prepared, prepared === 0)
}

/** What the operator runs once the tables are there. */
export const tablesFile = join(projectFolder, 'deploy/citus.sql')

const storeTests = 'test/store/postgres/store.test.ts'

const locksOfWorker = 'it looks for waiting sessions on the coordinator, and they wait on a worker'

/** The tests that say something of one PostgreSQL server, and the reason of each. */
const leftOut = {
  'writes that fail only as a batch are stored one by one': 'Citus refuses triggers on distributed tables',
  'a write that conflicts on a serializable database is retried after 40001': locksOfWorker,
  'writes that deadlock with another transaction are retried after 40P01': locksOfWorker,
  'writes take their locks in one order, whatever order they arrive in': locksOfWorker,
}

/** Runs the tests of the store on a cluster. @throws Error when a test that is left out has another title */
export function runStoreTests(url: string): void {
  const titles = Object.keys(leftOut)
  const source = readFileSync(join(projectFolder, storeTests), 'utf8')
  const unknown = titles.find((title) => !source.includes(`'${title}'`))
  if (unknown !== undefined) throw new Error(`${storeTests} has no test of the title: ${unknown}`)
  // One file at a time: Citus finds a deadlock where two sessions drop schemas.
  const options = ['--no-file-parallelism', '--testTimeout=120000', '--hookTimeout=120000']
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--project=postgres', ...options],
      ...[`--testNamePattern=^(?!(?:${titles.join('|')})$)`, storeTests],
    ],
    {
      cwd: projectFolder,
      env: { ...process.env, NO_COLOR: '1', TEST_DATABASE_URL: url, TEST_TABLES_FILE: tablesFile },
      encoding: 'utf8',
    },
  )
  report('tests of the store', /^ +Tests +(.*)$/m.exec(stdout)?.[1] ?? 'none', status === 0)
  for (const [title, reason] of Object.entries(leftOut)) report('left out', `${title}: ${reason}`)
  if (status !== 0) console.log(`${stdout}${stderr}`.slice(-8_000))
}
