import type { Client } from 'pg'
import type { Statement } from '../statements.ts'

interface LayoutRow {
  name: string
  /** Of `pg_dist_partition`: h is distributed by hash, n is on one node or on all; null if Citus does not know it. */
  method: string | null
  /** Of `pg_dist_partition`: t is on all nodes. */
  replication: string | null
}

export const citusStatements = {
  isCoordinator: (): Statement<{ coordinator: boolean }> => ({ text: 'SELECT citus_is_coordinator() AS coordinator' }),

  /** All plants of a caller on one worker; tokens on the coordinator, where one lookup finds those of many callers. */
  distribute: (): Statement => ({
    text: `SELECT create_distributed_table('plants', 'caller');
      SELECT citus_add_local_table_to_metadata('tokens');
      SELECT citus_add_local_table_to_metadata('plant_store_schema');`,
  }),

  layout: (): Statement<LayoutRow> => ({
    text: `SELECT name, partmethod AS method, repmodel AS replication
      FROM unnest(ARRAY['plants', 'tokens', 'plant_store_schema']) AS name
      LEFT JOIN pg_dist_partition ON logicalrelid = to_regclass(name)`,
  }),

  /** The primary of the worker group that has a caller's plants. */
  workerOf: (caller: string): Statement<{ name: string; port: number }> => ({
    name: 'workerOf',
    text: `SELECT nodename AS name, nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
      WHERE shardid = get_shard_id_for_distribution_column('plants', $1::text) AND noderole = 'primary'`,
    values: [caller],
  }),

  isReachable: (name: string, port: number): Statement<{ reachable: boolean }> => ({
    name: 'isReachable',
    text: 'SELECT citus_check_connection_to_node($1, $2) AS reachable',
    values: [name, port],
  }),
}

/** How the tables of a Citus database are spread, and what its operator should change, in one line each. */
export async function readLayout(client: Client): Promise<{ isSharded: boolean; warnings: string[] }> {
  const { rows } = await client.query<LayoutRow>(citusStatements.layout())
  const warnings = rows.flatMap((row) => {
    const statement = remedyFor(row)
    return statement === undefined ? [] : [`Citus: on the coordinator, run ${statement} (see docs/postgres.md, Citus)`]
  })
  return { isSharded: rows.some(({ name, method }) => name === 'plants' && method === 'h'), warnings }
}

function remedyFor({ name, method, replication }: LayoutRow): string | undefined {
  if (name === 'plants') return method === 'h' ? undefined : `SELECT create_distributed_table('plants', 'caller');`
  if (method === 'n' && replication !== 't') return undefined
  const add = `SELECT citus_add_local_table_to_metadata('${name}');`
  return method === null ? add : `SELECT undistribute_table('${name}'); ${add}`
}
