import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Pool } from 'pg'
import { limitConcurrency } from './connections.ts'
import { isDamage, isOutage } from './errors.ts'
import type { Caller } from '../store.ts'
import { isOwned, tableNames, tables } from '../tables.ts'

interface LayoutRow {
  name: string
  /**
   * `pg_dist_partition.partmethod`: h for distributed by hash, n for one node or all; null if Citus has no such table.
   */
  method: string | null
  /** `pg_dist_partition.repmodel`: t for on all nodes. */
  replication: string | null
}

const distribute = (name: string) => `SELECT create_distributed_table('${name}', 'caller');`
const addLocal = (name: string) => `SELECT citus_add_local_table_to_metadata('${name}');`

const distributed: readonly string[] = tables.filter(isOwned).map(({ name }) => name)
const local = [...tableNames.filter((name) => !distributed.includes(name)), 'plant_store_schema']

/**
 * Keeps what a caller owns on one worker, and all tokens on the coordinator, where one query finds those of many
 * callers.
 */
export const distributeTables = [...distributed.map(distribute), ...local.map(addLocal)].join('\n')

/** Whether a node is the coordinator. A worker would make tables that no other node knows. */
export async function isCoordinator(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ coordinator: boolean }>('SELECT citus_is_coordinator() AS coordinator')
  return rows[0]?.coordinator === true
}

/** Whether the plants are distributed, and what the operator should change, in one line each. */
export async function readLayout(client: Client): Promise<{ isSharded: boolean; warnings: string[] }> {
  const { rows } = await client.query<LayoutRow>(
    `SELECT name, partmethod AS method, repmodel AS replication
     FROM unnest($1::text[]) AS name LEFT JOIN pg_dist_partition ON logicalrelid = to_regclass(name)`,
    [[...distributed, ...local]],
  )
  const warnings = rows.flatMap((row) => {
    const statement = remedyFor(row)
    return statement === undefined ? [] : [`Citus: on the coordinator, run ${statement} (see docs/postgres.md, Citus)`]
  })
  return { isSharded: rows.some(({ name, method }) => name === 'plants' && method === 'h'), warnings }
}

function remedyFor({ name, method, replication }: LayoutRow): string | undefined {
  if (distributed.includes(name)) return method === 'h' ? undefined : distribute(name)
  if (method === 'n' && replication !== 't') return undefined
  return method === null ? addLocal(name) : `SELECT undistribute_table('${name}'); ${addLocal(name)}`
}

/** Connections that stay free for tokens. */
const reservedConnections = 2

const pauseMilliseconds = 1_000

/** Finds the primary of the worker group with a caller's plants. */
const workerOf = {
  name: 'workerOf',
  text: `SELECT nodename AS name, nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column('plants', $1::text) AND noderole = 'primary'`,
}

const isReachable = { name: 'isReachable', text: 'SELECT citus_check_connection_to_node($1, $2) AS reachable' }

/**
 * Runs the statements of single callers, except those for a worker that does not answer: each would hold a connection
 * until its timeout, and a few would hold the whole pool. Sends no query of its own until a statement fails.
 */
export class WorkerWatch {
  readonly #pool: Pool
  readonly #maxQueued: number
  readonly #limit: ReturnType<typeof limitConcurrency>
  /** The workers whose statements failed, until they answer a check. */
  readonly #doubted = new Set<string>()
  #isStopped = false
  #waiting = 0

  /** @param maxQueued the most statements that wait for a connection */
  constructor(pool: Pool, maxQueued: number) {
    this.#pool = pool
    this.#maxQueued = maxQueued
    this.#limit = limitConcurrency(Math.max(1, pool.options.max - reservedConnections))
  }

  /**
   * Runs a statement or transaction for one caller when a connection is free. Returns `unavailable` without running it
   * if the caller's worker does not answer or too many wait.
   */
  async run<Result>(caller: Caller, ask: () => Promise<Result>): Promise<Result | 'unavailable'> {
    if (this.#waiting >= this.#maxQueued) return 'unavailable'
    this.#waiting++
    try {
      return await this.#limit(async () =>
        (await this.#isDoubted(caller)) ? 'unavailable' : this.#observe(caller, ask),
      )
    } finally {
      this.#waiting--
    }
  }

  stop(): void {
    this.#isStopped = true
  }

  async #isDoubted(caller: Caller): Promise<boolean> {
    return this.#doubted.size > 0 && this.#doubted.has(await this.#workerOf(caller))
  }

  /**
   * Doubts the caller's worker if the statement failed as in an outage, before the next one gets the connection. Citus
   * reports some lost workers as internal errors.
   */
  async #observe<Result>(caller: Caller, ask: () => Promise<Result>): Promise<Result> {
    try {
      const result = await ask()
      if (result === 'unavailable') await this.#doubt(caller)
      return result
    } catch (error) {
      if (isOutage(error) || isDamage(error)) await this.#doubt(caller)
      throw error
    }
  }

  async #doubt(caller: Caller): Promise<void> {
    const worker = await this.#workerOf(caller)
    if (worker === '' || this.#doubted.has(worker)) return
    this.#doubted.add(worker)
    void this.#watch(worker)
  }

  /** Checks a worker until it answers. */
  async #watch(worker: string): Promise<void> {
    while (!this.#isStopped && !(await this.#isReachable(worker)))
      await sleep(pauseMilliseconds, undefined, { ref: false })
    this.#doubted.delete(worker)
  }

  /** The host and port of the caller's worker; empty if it cannot be read, which the statement that follows reports. */
  async #workerOf(caller: Caller): Promise<string> {
    const found = this.#pool.query<{ name: string; port: number }>(workerOf, [caller])
    return found.then(
      ({ rows: [worker] }) => (worker === undefined ? '' : `${worker.name}:${String(worker.port)}`),
      () => '',
    )
  }

  async #isReachable(worker: string): Promise<boolean> {
    const colon = worker.lastIndexOf(':')
    const values = [worker.slice(0, colon), Number(worker.slice(colon + 1))]
    try {
      return (await this.#pool.query<{ reachable: boolean }>(isReachable, values)).rows[0]?.reachable !== false
    } catch (error) {
      // Without the right to check, the worker counts as reachable.
      return !isOutage(error) && !isDamage(error)
    }
  }
}
