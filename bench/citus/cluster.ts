import type { Lab } from '../servers/lab.ts'
import type { PostgresNode } from '../servers/postgres-node.ts'

/** A coordinator of Citus and its workers. */
export interface CitusCluster {
  lab: Lab
  /** Of Citus and PostgreSQL. */
  version: string
  coordinator: PostgresNode
  workers: PostgresNode[]
  addWorker: () => Promise<void>
}

/** What docs/postgres.md asks for, and few shards, so that tables are made quickly. */
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
  const start = async (name: string) => {
    const node = await lab.node(name, { settings })
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
  const [row] = await coordinator.query<{ citus: string; postgres: string }>(
    `SELECT citus_version() AS citus, current_setting('server_version') AS postgres`,
  )
  const version = `${row?.citus.split(' on ')[0] ?? ''}, PostgreSQL ${row?.postgres ?? ''}, Node ${process.versions.node}`
  return { lab, version, coordinator, workers, addWorker }
}
