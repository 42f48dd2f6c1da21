import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createToken } from '../../../src/auth/tokens.ts'
import { migrations } from '../../../src/store/postgres/schema.ts'
import { connect, temporaryDatabase } from '../../support/server/postgres-database.ts'
import { startProcess } from '../../support/server/start-process.ts'
import { openTestStore } from './open-test-store.ts'

async function openConnection(url: string) {
  const client = await connect(url)
  onTestFinished(() => client.end())
  return client
}

async function tablesIn(url: string): Promise<string[]> {
  const client = await openConnection(url)
  const { rows } = await client.query<{ table_name: string }>(
    'SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema ORDER BY table_name',
  )
  return rows.map(({ table_name }) => table_name)
}

test.for(['read committed', 'serializable'])(
  'several that open an empty %s database at once make the schema once',
  async (isolation) => {
    const url = await temporaryDatabase({ default_transaction_isolation: isolation.replace(' ', '\\ ') })
    const stores = await Promise.all(Array.from({ length: 5 }, () => openTestStore(url)))
    const outcomes = await Promise.all(stores.map(({ store }) => store.create('me', { id: 1n, name: 'Monstera' })))
    expect(outcomes.sort()).toEqual(['created', 'exists', 'exists', 'exists', 'exists'])
    const client = await openConnection(url)
    expect((await client.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 4 }])
  },
)

test('a database that is opened again holds what it held', async () => {
  const url = await temporaryDatabase()
  const first = await openTestStore(url)
  await first.store.create('me', { id: 1n, name: 'Monstera' })
  const second = await openTestStore(url)
  expect(await second.store.create('me', { id: 1n, name: 'Monstera' })).toBe('exists')
})

test('the fault of a connection that nobody uses says what happened and nothing of the connection', async () => {
  const url = new URL(await temporaryDatabase())
  url.searchParams.set('application_name', randomUUID())
  const { store, faults } = await openTestStore(url.href)
  await store.create('me', { id: 1n, name: 'Monstera' })
  const client = await openConnection(url.href)
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE pid <> pg_backend_pid() AND application_name = current_setting($1)`,
    ['application_name'],
  )
  await expect.poll(() => faults.length).toBeGreaterThan(0)
  for (const fault of faults) {
    expect(fault.message).toMatch(/terminat/)
    expect(Object.keys(fault)).not.toContain('client')
  }
})

test('a database of the release before scopes is migrated, and its tokens keep all rights', async () => {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query(`${migrations.slice(0, 2).join('')} CREATE TABLE plant_store_schema AS SELECT 2 AS version`)
  await client.query(`INSERT INTO tokens (hash, prefix, caller, issued_at) VALUES ('\\x00', 'plst_old', 'me', 1)`)
  const { store } = await openTestStore(url)
  expect(await store.findCaller(Buffer.alloc(1), 2)).toStrictEqual({ caller: 'me', scope: undefined })
})

test('a schema of the release before gets the key by which Citus can replicate its version', async () => {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query(`
    CREATE TABLE plants (caller text COLLATE "C", id bigint, name text NOT NULL, tag text, PRIMARY KEY (caller, id));
    CREATE TABLE tokens (hash bytea PRIMARY KEY, prefix text COLLATE "C" NOT NULL, caller text NOT NULL,
      issued_at bigint NOT NULL, expires_at bigint, last_used_at bigint);
    CREATE TABLE plant_store_schema (version integer NOT NULL);
    INSERT INTO plant_store_schema (version) VALUES (2);
    INSERT INTO plants VALUES ('me', 1, 'Monstera')`)
  const { store } = await openTestStore(url)
  expect(await store.create('me', { id: 1n, name: 'Monstera' })).toBe('exists')
  const { rows } = await client.query(
    `SELECT conname FROM pg_constraint WHERE conrelid = 'plant_store_schema'::regclass AND contype = 'p'`,
  )
  expect(rows).toEqual([{ conname: 'plant_store_schema_pkey' }])
})

test.for<[string, string]>([
  ['several hosts', 'postgres://me@one:1,two:2/plants'],
  ['target_session_attrs=standby', 'postgres://me@one:1,two:2/plants?target_session_attrs=standby'],
  ['target_session_attrs=read-only', 'postgres://me@one/plants?target_session_attrs=read-only'],
])('a URL with %s is refused by name', async ([what, url]) => {
  await expect(openTestStore(url)).rejects.toThrow(
    `cannot open the database: its URL has ${what}; this service writes, so add target_session_attrs=read-write`,
  )
})

test('of several hosts the one that accepts writes is used', async () => {
  const url = await temporaryDatabase()
  const authority = /@([^/]+)/.exec(url)?.[1] ?? ''
  const several = url.replace(authority, `127.0.0.1:1,${authority}`) + '&target_session_attrs=read-write'
  const { store } = await openTestStore(several)
  expect(await store.create('me', { id: 1n, name: 'Monstera' })).toBe('created')
})

test('a database that accepts no writes is not ready', async () => {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const readOnly = url.replace('?options=', '?options=-c%20default_transaction_read_only%3Don%20')
  const { store } = await openTestStore(readOnly)
  expect(await store.isReady()).toBe(false)
  expect(await store.create('me', { id: 1n, name: 'Monstera' })).toBe('unavailable')
})

test('a schema from the future is refused', async () => {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query('CREATE TABLE plant_store_schema AS SELECT 7 AS version')
  await expect(openTestStore(url)).rejects.toThrow(
    'has schema version 7, and this release knows versions up to 4: start a newer release; nothing was changed',
  )
  expect(await tablesIn(url)).toEqual(['plant_store_schema'])
})

test("another program's table of the same name is refused and left alone", async () => {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query('CREATE TABLE tokens (theirs integer)')
  await expect(openTestStore(url)).rejects.toThrow('relation "tokens" already exists')
  expect(await tablesIn(url)).toEqual(['tokens'])
})

/** The same database for a role that has only some rights on its tables, which `alter` changes. */
async function limitRights(url: string, rights: string) {
  const client = await openConnection(url)
  const { rows } = await client.query<{ schema: string }>('SELECT current_schema AS schema')
  const schema = rows[0]?.schema ?? ''
  await client.query(
    `CREATE ROLE ${schema} LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA ${schema} TO ${schema}; ` +
      `GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${schema}`,
  )
  onTestFinished(() => client.query(`DROP OWNED BY ${schema}; DROP ROLE ${schema}`).then(() => undefined))
  const limited = new URL(url)
  limited.username = schema
  limited.password = 'secret'
  return { url: limited.href, role: schema, client }
}

test('a schema that is up to date is opened without the right to make tables', async () => {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const { store } = await openTestStore((await limitRights(url, 'SELECT, INSERT, DELETE')).url)
  expect(await store.create('me', { id: 1n, name: 'Monstera' })).toBe('created')
})

test('a start is refused where the role has one connection left', async () => {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const limited = await limitRights(url, 'SELECT, INSERT, DELETE')
  await limited.client.query(`ALTER ROLE ${limited.role} CONNECTION LIMIT 1`)
  await expect(openTestStore(limited.url)).rejects.toThrow(
    /^cannot open the database 127\.0\.0\.1:.*: too many connections for role "test_[^\n]*$/,
  )
})

test('a server whose role may not record when tokens are used says so and goes on', async () => {
  const url = await temporaryDatabase()
  const { text: token, stored } = createToken('me', Date.now())
  await (await openTestStore(url)).store.addToken(stored)
  const server = await startProcess({ DATABASE_URL: (await limitRights(url, 'SELECT, INSERT, DELETE')).url })
  onTestFinished(() => server.end())
  const list = () => fetch(`${server.origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect((await list()).status).toBe(200)
  await expect.poll(server.stderr).toContain('permission denied for table tokens')
  expect((await list()).status).toBe(200)
  await server.end()
  expect(await server.ended).toBe(0)
})

test('a database that lacks a table is refused, and is not ready when it loses one', async () => {
  const url = await temporaryDatabase()
  const { store, faults } = await openTestStore(url)
  const client = await openConnection(url)
  expect(await store.isReady()).toBe(true)
  await client.query('DROP TABLE plants')
  expect(await store.isReady()).toBe(false)
  expect(await store.create('me', { id: 1n, name: 'Monstera' })).toBe('unavailable')
  expect(new Set(faults.map(({ message }) => message))).toEqual(new Set(['relation "plants" does not exist']))
  await expect(openTestStore(url)).rejects.toThrow(/^cannot open the database .*: relation "plants" does not exist$/)
})

test('without its rights a role is not served, and is again as soon as it has them', async () => {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const limited = await limitRights(url, 'SELECT, INSERT, DELETE')
  const { store, faults } = await openTestStore(limited.url)
  expect(await store.isReady()).toBe(true)
  await limited.client.query(`REVOKE ALL ON plants FROM ${limited.role}`)
  expect([
    await store.isReady(),
    await store.create('me', { id: 1n, name: 'Monstera' }),
    await store.list('me', 1),
    await store.list('me', undefined),
  ]).toEqual([false, 'unavailable', 'unavailable', 'unavailable'])
  expect(faults.map(({ message }) => message)).toContain('permission denied for table plants')
  await limited.client.query(`GRANT SELECT, INSERT, DELETE ON plants TO ${limited.role}`)
  expect(await store.isReady()).toBe(true)
  expect(await store.create('me', { id: 1n, name: 'Monstera' })).toBe('created')
})

test('a write that the role may not do leaves those that arrived with it alone', async () => {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const { store } = await openTestStore((await limitRights(url, 'SELECT, INSERT, DELETE')).url)
  const outcomes = await Promise.all([
    store.create('me', { id: 1n, name: 'Monstera' }),
    store.recordUses([{ hash: new Uint8Array(32), usedAt: 1 }]),
    store.create('me', { id: 2n, name: 'Monstera' }),
  ])
  expect(outcomes).toEqual(['created', 'unavailable', 'created'])
})

test('a database that does not keep text as UTF-8 is refused', async () => {
  const client = await openConnection(inject('databaseUrl'))
  const name = `latin1_${String(process.pid)}`
  await client.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
  onTestFinished(() => client.query(`DROP DATABASE ${name}`).then(() => undefined))
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  await expect(openTestStore(url.href)).rejects.toThrow(
    /keeps text as LATIN1; this service needs one that was created with ENCODING 'UTF8'/,
  )
})
