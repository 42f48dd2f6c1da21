import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../../../src/auth/tokens.ts'
import { migrations } from '../../../../src/store/postgres/schema.ts'
import { connect, temporaryDatabase, waitUntilBlocking } from '../../../support/server/postgres-database.ts'
import { type ServerProcess, nodeBinary, projectFolder, startProcess } from '../../../support/server/start-process.ts'
import { openTestStore } from '../open-test-store.ts'

/** How long a request of a server that runs may take while another one migrates. */
const promisedMilliseconds = 2_500

async function openConnection(url: string): Promise<Client> {
  const client = await connect(url)
  onTestFinished(() => client.end())
  return client
}

/** A database as the release before scopes made it, with a token for the caller `me`. */
async function databaseBeforeScopes() {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query(`
    CREATE TABLE plant_store_schema (version integer NOT NULL);
    ${migrations.slice(0, 2).join('')}
    INSERT INTO plant_store_schema VALUES (2)`)
  const { text: token, stored } = createToken('me', Date.now())
  await client.query('INSERT INTO tokens (hash, prefix, caller, issued_at) VALUES ($1, $2, $3, $4)', [
    stored.hash,
    stored.prefix,
    stored.caller,
    stored.issuedAt,
  ])
  return { url, client, token }
}

/**
 * The URL by which this release serves a database as the release before scopes did: through views, which take the same
 * locks on the tables behind them.
 */
async function asBeforeScopes(url: string, client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT current_schema AS name')
  const name = rows[0]?.name ?? ''
  await client.query(`
    CREATE SCHEMA ${name}_before;
    CREATE VIEW ${name}_before.tokens AS SELECT *, NULL::text AS scope FROM tokens;
    CREATE VIEW ${name}_before.plant_store_schema AS
      SELECT ${String(migrations.length)} AS version FROM plant_store_schema`)
  onTestFinished(() => client.query(`DROP SCHEMA ${name}_before CASCADE`).then(() => undefined))
  const before = new URL(url)
  before.searchParams.set('options', `-c search_path=${name}_before,${name}`)
  return before.href
}

/** A session that holds locks as a `pg_dump` does, until it ends its transaction. */
async function startDump(url: string): Promise<Client> {
  const dump = await openConnection(url)
  await dump.query(`
    SET application_name = 'pg_dump';
    BEGIN; LOCK TABLE plant_store_schema, plants, tokens IN ACCESS SHARE MODE`)
  return dump
}

/** Clients that create, list and ask for readiness without a pause. @returns what stops them, and each answer */
function startLoad({ origin }: ServerProcess, token: string) {
  const answers: { status: number; milliseconds: number }[] = []
  const stopped = new AbortController()
  async function send(path: string, body?: object): Promise<void> {
    const from = performance.now()
    const status = await fetch(origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then(
      (response) => response.status,
      () => 0,
    )
    answers.push({ status, milliseconds: performance.now() - from })
  }
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let id = client; !stopped.signal.aborted; id += 8) {
      await send('/plants', { id, name: String(id) })
      await send('/plants?limit=20')
      await send('/readyz')
      await sleep(5)
    }
  })
  const stop = async () => {
    stopped.abort()
    await Promise.all(clients)
    return answers
  }
  onTestFinished(() => stop().then(() => undefined))
  return stop
}

/** Sessions that wait for a lock on the tables of a connection's schema. */
async function waitingSessions(client: Client): Promise<number | null> {
  const { rowCount } = await client.query(
    `SELECT pid FROM pg_locks WHERE NOT granted AND relation IN (
      SELECT to_regclass(name) FROM unnest(ARRAY['plant_store_schema', 'plants', 'tokens']) AS name)`,
  )
  return rowCount
}

test('servers that migrate wait for a dump, and no request of a server that runs fails or waits for them', async () => {
  const { url, client, token } = await databaseBeforeScopes()
  const running = await startProcess({ DATABASE_URL: await asBeforeScopes(url, client) })
  onTestFinished(() => running.end())
  const dump = await startDump(url)
  const stopLoad = startLoad(running, token)
  const starting = startProcess({ DATABASE_URL: url })
  onTestFinished(() => starting.then((server) => server.end()))
  await waitUntilBlocking(dump, 1)
  await waitUntilBlocking(dump, 0)
  const another = openTestStore(url)
  // For longer than a server pauses: it does not wait again for a session that it sees.
  for (const end = performance.now() + 3_500; performance.now() < end;) {
    expect(await waitingSessions(client)).toBe(0)
    await sleep(20)
  }
  await dump.query('COMMIT')
  const started = await starting
  await another
  const answers = await stopLoad()
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(promisedMilliseconds)
  expect((await client.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 4 }])
  expect(started.stderr()).toContain('the start waits for locks on tokens, plant_store_schema')
  // Two processes start, and it takes seconds until the next try.
}, 40_000)

test('a server that is killed while it migrates leaves no statement behind for which others wait', async () => {
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

test('a start that cannot have its locks names the session that holds them, and leaves all as it was', async () => {
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

test('a session that uses another table is not in the way of a migration', async () => {
  const { url } = await databaseBeforeScopes()
  const other = await openConnection(url)
  await other.query('BEGIN; LOCK TABLE plants')
  const waits: string[] = []
  await openTestStore(url, { onWarning: (message) => void waits.push(message) })
  expect(waits).toEqual([])
  await other.query('COMMIT')
})
