import { setTimeout as sleep } from 'node:timers/promises'
import { isLockTimeout } from '../../src/store/postgres/errors.ts'
import { openDatabase } from '../../src/store/postgres/open-database.ts'
import { migrations } from '../../src/store/postgres/schema.ts'
import { numberParameters } from '../../src/store/postgres/statements.ts'
import { unfinishedVersion } from '../../src/store/schema-version.ts'
import type { Value } from '../../src/store/table.ts'
import { tableNames } from '../../src/store/tables.ts'
import { UsageError } from '../command.ts'
import { type OpenRowsOptions, type StoreRows, rowsOf } from './rows.ts'

/** Reading the rows of a large table can take minutes. */
const statementMilliseconds = 3_600_000

/** How long to wait for transactions that write. Those of servers take less. */
const lockMilliseconds = 2_500

/** How long to wait for sessions to end. PostgreSQL lists those of a stopped server for a moment. */
const sessionMilliseconds = 2_000

const pollMilliseconds = 100

/** The name of a move's sessions. */
const ownName = 'plant-store move'

interface State {
  /** The `application_name` of servers that have the same URL. */
  name: string
  version: number
}

/** A session of a server, with its name, user and address. */
interface Session {
  pid: number
  facts: string
}

/** Opens the rows of a PostgreSQL database. */
export async function openPostgresRows(url: string, { role, onWarning }: OpenRowsOptions): Promise<StoreRows> {
  const { pool, isCitus } = await openDatabase({
    url,
    connections: {
      max: 1,
      connectionTimeoutMillis: 10_000,
      statement_timeout: statementMilliseconds,
      query_timeout: statementMilliseconds,
    },
    // The next statement reports the fault.
    onFault: () => undefined,
    onWarning,
    isMoveTarget: role === 'target',
  })
  const client = await pool.connect()
  client.on('error', () => undefined)

  async function run<Columns>(text: string, values: Value[] = []): Promise<Columns[]> {
    // The caller names the statement's columns as `Columns`.
    return (await client.query(numberParameters(text), values)).rows as Columns[]
  }

  async function close(): Promise<void> {
    // Ends the session, and with it the transaction.
    client.release(true)
    await pool.end()
  }

  /** Locks a source against writes until it is closed. The lock of a target shows that no other move reads from it. */
  async function lock(): Promise<void> {
    try {
      await run('BEGIN')
      await run(`SET LOCAL lock_timeout = ${String(lockMilliseconds)}`)
      await run(`LOCK TABLE ${tableNames.join()} IN ${role === 'source' ? 'SHARE' : 'ROW EXCLUSIVE'} MODE`)
      if (role === 'target') await run('COMMIT')
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      const message = `another session has locked the ${role}, or it is the ${role === 'source' ? 'target' : 'source'}`
      throw new UsageError(`${message}; nothing was changed`, { cause: error })
    }
  }

  /** The oldest session of a server. Only its name tells, because servers may have another schema of the database. */
  async function findSession(name: string): Promise<Session | undefined> {
    // A transaction caches the list of sessions.
    await run('SELECT pg_stat_clear_snapshot()')
    // Citus shows the sessions of all nodes in a view of its own.
    const view = isCitus ? 'citus_stat_activity' : 'pg_stat_activity'
    const [session] = await run<Session>(
      `SELECT pid, concat_ws(', ', application_name, 'user ' || usename, 'from ' || host(client_addr)) AS facts
       FROM ${view} WHERE datname = current_database() AND application_name = ? ORDER BY backend_start LIMIT 1`,
      [name],
    )
    return session
  }

  async function assertUnused(name: string): Promise<void> {
    const deadline = performance.now() + sessionMilliseconds
    let session = await findSession(name)
    while (session !== undefined && performance.now() < deadline) {
      await sleep(pollMilliseconds)
      session = await findSession(name)
    }
    if (session === undefined) return
    const sessionName = `session ${String(session.pid)} (${session.facts})`
    throw new UsageError(`${sessionName} uses the ${role}: stop the servers, and run the command again`)
  }

  try {
    // `openDatabase` has written the row.
    const [{ name, version }] = (await run<State>(
      `SELECT current_setting('application_name') AS name, version FROM plant_store_schema`,
    )) as [State]
    await run(`SET application_name = '${ownName}'`)
    return {
      tables: rowsOf(run),
      lock,
      assertUnused: () => assertUnused(name),
      isUnfinished: version > migrations.length,
      setUnfinished: async (isUnfinished) => {
        const newVersion = isUnfinished ? unfinishedVersion(migrations.length) : migrations.length
        await run('UPDATE plant_store_schema SET version = ?', [newVersion])
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
