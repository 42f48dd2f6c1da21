import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, QueryResultRow } from 'pg'
import { isLockTimeout } from './errors.ts'

/**
 * How long a statement waits for a lock. Statements of running servers queue behind it, so this is less than their
 * timeout of two seconds. After one second PostgreSQL cancels an autovacuum that blocks the lock
 * (postgresql.org/docs/18/runtime-config-locks.html, deadlock_timeout), so this is more.
 */
const lockMilliseconds = 1_100

/** How long a statement takes at most, locks and work together. */
const statementMilliseconds = 1_500

/**
 * How long a statement that holds locks waits for another. PostgreSQL looks for deadlocks after a second. By then this
 * wait is over, so PostgreSQL never cancels a session that locks in another order.
 */
const nextLockMilliseconds = 100

/** The shortest pause between tries, in which running servers work undisturbed. */
const pauseMilliseconds = 2_500

/** A session that holds a lock for this long is named. Statements that queued behind the try finish sooner. */
const holdingMilliseconds = 250

/** The most sessions that a message names. */
const maxNamed = 3

/**
 * Bounds each statement of a transaction, and ends the transaction of a process that hangs. The bounds are the
 * server's, because a statement goes on after its client is gone.
 */
export const boundLocks = `
  SET LOCAL lock_timeout = ${String(lockMilliseconds)};
  SET LOCAL statement_timeout = ${String(statementMilliseconds)};
  SET LOCAL idle_in_transaction_session_timeout = ${String(2 * pauseMilliseconds)};`

/** The key of a migration's advisory lock: "Plnt" in ASCII, and the schema of the tables. */
const migrationLock = '1349283444, (SELECT oid::integer FROM pg_namespace WHERE nspname = current_schema)'

/** Takes the advisory lock, which blocks no running server, and then bounds what follows. */
export const lockMigrations = `
  SET LOCAL lock_timeout = 0;
  SET LOCAL statement_timeout = ${String(4 * pauseMilliseconds)};
  SELECT pg_advisory_xact_lock(${migrationLock});
  ${boundLocks}`

/** Statements that lock each table against all other sessions. */
export function lockTables(tables: readonly string[]): string {
  const locks = tables.map((table) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;`)
  return locks.join(` SET LOCAL lock_timeout = ${String(nextLockMilliseconds)}; `)
}

/** Statements that need locks, bounded by `boundLocks`. */
export interface LockingStatements {
  /** Sent as one message, which the server runs whole or not at all. */
  text: string
  /** Rolls back a failed try; undefined outside a transaction. */
  undo?: string
  /** The tables to lock. */
  tables: readonly string[]
}

export interface RetryOptions {
  /** The end of the last try, by `performance.now()`. */
  deadline: number
  /** Receives, after each failed try, a message that names the sessions. */
  onWait: (reason: string) => void
}

/**
 * Runs statements, and retries them until no other session holds their locks.
 *
 * @returns the rows of the last statement
 * @throws Error naming the sessions that hold the locks, when time is up
 */
export async function retryLocked<Row extends QueryResultRow>(
  client: Client,
  { text, undo = '', tables }: LockingStatements,
  { deadline, onWait }: RetryOptions,
): Promise<Row[]> {
  const look = () =>
    findHolders(client, tables).catch(async () => {
      await client.query(undo)
      return []
    })
  for (;;) {
    try {
      // Several statements have several results, which the type does not show.
      const results = (await client.query<Row>(text)) as unknown as { rows: Row[] }[]
      return results.at(-1)?.rows ?? []
    } catch (error) {
      if (!isLockTimeout(error)) throw error
    }
    await client.query(undo)
    const holders = await look()
    const locks = tables.length === 0 ? 'the migration lock' : `locks on ${tables.join(', ')}`
    const reason = `the start waits for ${locks}${describe(holders)}`
    const assertTime = () => {
      if (performance.now() + pauseMilliseconds > deadline) throw new Error(`${reason}; ${remedyFor(holders)}`)
    }
    onWait(reason)
    assertTime()
    await sleep(pauseMilliseconds)
    // While they hold the locks, another try would only make servers wait.
    while ((await look()).some(({ id }) => holders.some((holder) => holder.id === id))) assertTime()
  }
}

/** A session that holds locks. */
interface Holder {
  /** Identifies the transaction. */
  id: string
  /** Null for a prepared transaction. */
  pid: string | null
  /** Its program, user and state, and when its transaction began. */
  facts: string
}

/** The sessions that hold locks for longer than a running server's statement, the oldest first. */
async function findHolders(client: Client, tables: readonly string[]): Promise<Holder[]> {
  const text = `
    SELECT DISTINCT virtualtransaction AS id, pid, xact_start,
      concat_ws(', ', coalesce(nullif(application_name, ''), backend_type), 'user ' || usename,
        coalesce(state, 'in a state hidden from this role'),
        to_char(xact_start AT TIME ZONE 'UTC', '"begun "YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS facts
    FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
    WHERE granted AND pid IS DISTINCT FROM pg_backend_pid() AND coalesce(datname = current_database(), true)
      AND (relation IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)
        OR (locktype = 'advisory' AND (classid, objid) = (${migrationLock})))
    ORDER BY xact_start`
  const query = async () => {
    // A transaction caches the list of sessions.
    await client.query('SELECT pg_stat_clear_snapshot()')
    return (await client.query<Holder>(text, [tables])).rows
  }
  const first = await query()
  await sleep(holdingMilliseconds)
  return (await query()).filter(({ id: seen }) => first.some((holder) => holder.id === seen))
}

function describe(holders: Holder[]): string {
  if (holders.length === 0) return ''
  const named = holders
    .slice(0, maxNamed)
    .map(({ pid, facts }) =>
      pid === null ? 'a prepared transaction (see pg_prepared_xacts)' : `session ${pid} (${facts})`,
    )
  const others = holders.length - named.length
  return `, held by ${named.join(', ')}${others > 0 ? ` and ${String(others)} more` : ''}`
}

function remedyFor(holders: Holder[]): string {
  const pid = holders.find((holder) => holder.pid !== null)?.pid
  const remedy =
    pid === undefined
      ? 'wait'
      : `wait until they are free, or end the session with SELECT pg_terminate_backend(${String(pid)})`
  return `${remedy}, and start again; nothing was changed`
}
