import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../src/store/postgres/schema.ts'
import type * as storeModule from '../../../src/store/postgres/store.ts'
import { tableNames } from '../../../src/store/tables.ts'
import { copyProject } from '../../contract/project-copy.ts'
import { newPlant } from '../../support/plants.ts'
import {
  openConnection,
  openTestStore,
  temporaryDatabase,
  waitUntilBlocking,
} from '../../support/server/postgres-database.ts'
import { type RunningServer, servedPostgres } from '../../support/server/served-database.ts'
import { nodeBinary, startProcess } from '../../support/server/start-process.ts'
import { throwFault } from '../store-suite.ts'

/** How long requests may take while another server migrates. */
const promisedMilliseconds = 2_500

/** A later release, whose migration changes the tokens alone. */
async function laterRelease() {
  const { root, edit } = await copyProject()
  await edit('src/store/postgres/schema.ts', (text) =>
    text.replace('\n]\n', (end) => `\n  \`ALTER TABLE tokens ADD COLUMN note text;\`,${end}`),
  )
  const { openPostgresStore } = (await import(join(root, 'src/store/postgres/store.ts'))) as typeof storeModule
  return {
    main: join(root, 'src/main.ts'),
    open: async (url: string, options: Partial<Parameters<typeof openPostgresStore>[0]> = {}) => {
      const store = await openPostgresStore({ url, onFault: throwFault, ...options })
      onTestFinished(() => store.close())
    },
  }
}

/** Makes a database of this release. @returns whether a later one has changed it, too */
async function currentDatabase() {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const client = await openConnection(url)
  const isChanged = async () => {
    const { rows } = await client.query<{ version: number }>('SELECT version FROM plant_store_schema')
    const { fields } = await client.query('SELECT * FROM tokens LIMIT 0')
    const hasColumn = fields.some(({ name }) => name === 'note')
    expect(rows).toEqual([{ version: migrations.length + Number(hasColumn) }])
    return hasColumn
  }
  return { url, client, isChanged }
}

/** Opens a session that holds the locks of `pg_dump` until it ends its transaction. */
async function startDump(url: string): Promise<Client> {
  const dump = await openConnection(url)
  await dump.query(`
    SET application_name = 'pg_dump';
    BEGIN; LOCK TABLE plant_store_schema, ${tableNames.join()} IN ACCESS SHARE MODE`)
  return dump
}

/** Starts clients that create, list and check readiness. @returns a function that stops them and returns responses */
function startLoad({ send }: RunningServer) {
  const responses: { status: number; milliseconds: number }[] = []
  let isStopped = false
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let id = client; !isStopped; id += 8) {
      for (const [method, path, body] of [
        ['POST', '/plants', newPlant({ id: BigInt(id) })],
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
    `SELECT pid FROM pg_locks WHERE NOT granted AND relation IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)`,
    [['plant_store_schema', ...tableNames]],
  )
  return rowCount
}

test('a migration waits for a dump without delaying requests of running servers', async () => {
  const { url, client, isChanged } = await currentDatabase()
  const later = await laterRelease()
  const running = await (await servedPostgres(url)).serve()
  const dump = await startDump(url)
  const stopLoad = startLoad(running)
  const starting = startProcess({ DATABASE_URL: url }, [nodeBinary, later.main])
  onTestFinished(() => starting.then((server) => server.end()))
  await waitUntilBlocking(dump, 1)
  await waitUntilBlocking(dump, 0)
  const another = later.open(url)
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
  expect(await isChanged()).toBe(true)
  expect(started.stderr()).toContain('the start waits for locks on tokens, plant_store_schema')
  // Two processes start, and the next try takes seconds.
}, 40_000)

test('a server killed during a migration leaves no lock behind', async () => {
  const { url, client, isChanged } = await currentDatabase()
  const { main } = await laterRelease()
  const dump = await startDump(url)
  const killed = spawn(nodeBinary, [main], {
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
  expect(await isChanged()).toBe(false)
})

test('a start that cannot get its locks names their holder and changes nothing', async () => {
  const { open } = await laterRelease()
  async function expectNamed(tables: string, statements: string, doing: string): Promise<void> {
    const { url, client, isChanged } = await currentDatabase()
    const holder = await openConnection(url)
    await holder.query(`SET application_name = 'holder'; ${statements}`)
    const [row] = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows
    const pid = String(row?.pid)
    await expect(open(url, { migrationMilliseconds: 0 })).rejects.toThrow(
      new RegExp(
        `^cannot open the database \\S+: the start waits for ${tables}, held by session ${pid} ` +
          `\\(holder, user postgres, ${doing}\\); wait until they are free, or end the session with ` +
          `SELECT pg_terminate_backend\\(${pid}\\), and start again; nothing was changed$`,
      ),
    )
    expect(await waitingSessions(client)).toBe(0)
    await holder.query('ROLLBACK')
    expect(await isChanged()).toBe(false)
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
  const { url, isChanged } = await currentDatabase()
  const other = await openConnection(url)
  await other.query('BEGIN; LOCK TABLE plants')
  const waits: string[] = []
  const { open } = await laterRelease()
  await open(url, { onWarning: (message) => void waits.push(message) })
  expect(waits).toEqual([])
  expect(await isChanged()).toBe(true)
  await other.query('COMMIT')
})
