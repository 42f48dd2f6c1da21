import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../src/store/postgres/schema.ts'
import {
  openConnection,
  openTestStore,
  temporaryDatabase,
  waitUntilBlocking,
} from '../../support/server/postgres-database.ts'
import { type RunningServer, servedPostgres } from '../../support/server/served-database.ts'
import { nodeBinary, projectFolder, startProcess } from '../../support/server/start-process.ts'

/** How long requests may take while another server migrates. */
const promisedMilliseconds = 2_500

/** Makes a database of the release before scopes. */
async function databaseBeforeScopes() {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query(`
    CREATE TABLE plant_store_schema (version integer NOT NULL);
    ${migrations.slice(0, 2).join('')}
    INSERT INTO plant_store_schema VALUES (2)`)
  return { url, client }
}

/**
 * Returns the URL with which this release serves an old database as the release before scopes did: through views, which
 * lock the same tables.
 */
async function asBeforeScopes(url: string, client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT current_schema AS name')
  const name = rows[0]?.name ?? ''
  await client.query(`
    CREATE SCHEMA ${name}_before;
    CREATE VIEW ${name}_before.tokens AS SELECT *, NULL::text AS scope FROM tokens;
    -- The columns of a view have no NOT NULL, which the start expects.
    UPDATE pg_attribute AS column_ SET attnotnull = before.attnotnull FROM pg_attribute AS before
      WHERE column_.attrelid = '${name}_before.tokens'::regclass AND before.attrelid = '${name}.tokens'::regclass
        AND before.attname = column_.attname;
    CREATE RULE add AS ON INSERT TO ${name}_before.tokens DO INSTEAD
      INSERT INTO ${name}.tokens VALUES (NEW.hash, NEW.prefix, NEW.caller, NEW.issued_at, NEW.expires_at);
    CREATE VIEW ${name}_before.plant_store_schema AS
      SELECT ${String(migrations.length)} AS version FROM plant_store_schema`)
  onTestFinished(() => client.query(`DROP SCHEMA ${name}_before CASCADE`).then(() => undefined))
  const before = new URL(url)
  before.searchParams.set('options', `-c search_path=${name}_before,${name}`)
  return before.href
}

/** Opens a session that holds the locks of `pg_dump` until it ends its transaction. */
async function startDump(url: string): Promise<Client> {
  const dump = await openConnection(url)
  await dump.query(`
    SET application_name = 'pg_dump';
    BEGIN; LOCK TABLE plant_store_schema, plants, tokens IN ACCESS SHARE MODE`)
  return dump
}

/** Starts clients that create, list and check readiness. @returns a function that stops them and returns responses */
function startLoad({ send }: RunningServer) {
  const responses: { status: number; milliseconds: number }[] = []
  let isStopped = false
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let id = client; !isStopped; id += 8) {
      for (const [method, path, body] of [
        ['POST', '/plants', { id, name: String(id) }],
        ['GET', '/plants?limit=20', undefined],
        ['GET', '/readyz', undefined],
      ] as const) {
        const from = performance.now()
        const status = await send(method, path, body).then(
          ({ status }) => status,
          () => 0,
        )
        responses.push({ status, milliseconds: performance.now() - from })
      }
      await sleep(5)
    }
  })
  const stop = async () => {
    isStopped = true
    await Promise.all(clients)
    return responses
  }
  onTestFinished(() => stop().then(() => undefined))
  return stop
}

/** Counts the sessions that wait for a lock on the tables of the schema. */
async function waitingSessions(client: Client): Promise<number | null> {
  const { rowCount } = await client.query(
    `SELECT pid FROM pg_locks WHERE NOT granted AND relation IN (
      SELECT to_regclass(name) FROM unnest(ARRAY['plant_store_schema', 'plants', 'tokens']) AS name)`,
  )
  return rowCount
}

test('a migration waits for a dump without delaying requests of running servers', async () => {
  const { url, client } = await databaseBeforeScopes()
  const running = await (await servedPostgres(await asBeforeScopes(url, client))).serve()
  const dump = await startDump(url)
  const stopLoad = startLoad(running)
  const starting = startProcess({ DATABASE_URL: url })
  onTestFinished(() => starting.then((server) => server.end()))
  await waitUntilBlocking(dump, 1)
  await waitUntilBlocking(dump, 0)
  const another = openTestStore(url)
  // Longer than the pause between tries: a start does not queue behind a session that it knows.
  for (const end = performance.now() + 3_500; performance.now() < end;) {
    expect(await waitingSessions(client)).toBe(0)
    await sleep(20)
  }
  await dump.query('COMMIT')
  const started = await starting
  await another
  const responses = await stopLoad()
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  expect(Math.max(...responses.map(({ milliseconds }) => milliseconds))).toBeLessThan(promisedMilliseconds)
  expect((await client.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: migrations.length }])
  expect(started.stderr()).toContain('the start waits for locks on tokens, plant_store_schema')
  // Two processes start, and the next try takes seconds.
}, 40_000)

test('a server killed during a migration leaves no lock behind', async () => {
  const { url, client } = await databaseBeforeScopes()
  const dump = await startDump(url)
  const killed = spawn(nodeBinary, [join(projectFolder, 'src/main.ts')], {
    env: { ...process.env, PORT: '0', DATABASE_URL: url },
    stdio: 'ignore',
  })
  const ended = once(killed, 'close')
  await waitUntilBlocking(dump)
  killed.kill('SIGKILL')
  const from = performance.now()
  await ended
  await expect.poll(() => waitingSessions(client)).toBe(0)
  expect(performance.now() - from).toBeLessThan(promisedMilliseconds)
  expect((await client.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 2 }])
})

test('a start that cannot get its locks names their holder and changes nothing', async () => {
  async function expectNamed(tables: string, statements: string, doing: string): Promise<void> {
    const { url, client } = await databaseBeforeScopes()
    const holder = await openConnection(url)
    await holder.query(`SET application_name = 'holder'; ${statements}`)
    const [row] = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows
    const pid = String(row?.pid)
    await expect(openTestStore(url, { migrationMilliseconds: 0 })).rejects.toThrow(
      new RegExp(
        `^cannot open the database \\S+: the start waits for ${tables}, held by session ${pid} ` +
          `\\(holder, user postgres, ${doing}\\); wait until they are free, or end the session with ` +
          `SELECT pg_terminate_backend\\(${pid}\\), and start again; nothing was changed$`,
      ),
    )
    expect(await waitingSessions(client)).toBe(0)
    await holder.query('ROLLBACK')
    expect((await client.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 2 }])
    const { fields } = await client.query('SELECT * FROM tokens LIMIT 0')
    expect(fields.map(({ name }) => name)).not.toContain('scope')
  }
  const changed = 'locks on tokens, plant_store_schema'
  const idle = 'idle in transaction, begun [0-9TZ:.-]{24}'
  await Promise.all([
    expectNamed(changed, 'BEGIN; SELECT FROM tokens', idle),
    expectNamed(changed, 'BEGIN; UPDATE tokens SET last_used_at = 1', idle),
    expectNamed(changed, 'BEGIN; LOCK TABLE plant_store_schema IN SHARE MODE', idle),
    expectNamed('locks on plant_store_schema', 'BEGIN; LOCK TABLE plant_store_schema', idle),
  ])
})

test('a session that uses another table does not delay a migration', async () => {
  const { url } = await databaseBeforeScopes()
  const other = await openConnection(url)
  await other.query('BEGIN; LOCK TABLE plants')
  const waits: string[] = []
  await openTestStore(url, { onWarning: (message) => void waits.push(message) })
  expect(waits).toEqual([])
  await other.query('COMMIT')
})
