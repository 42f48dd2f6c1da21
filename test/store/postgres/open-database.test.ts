import { expect, inject, onTestFinished, test } from 'vitest'
import { migrations } from '../../../src/store/postgres/schema.ts'
import { UnusableStore } from '../../../src/store/store.ts'
import { openConnection, openTestStore, temporaryDatabase } from '../../support/server/postgres-database.ts'
import { storedPlant } from '../../support/plants.ts'

const plant = storedPlant({ id: 1n })

/** Expects a start to be refused in one line, without the password. */
async function expectRefusal(url: string, message: RegExp): Promise<void> {
  const failure: unknown = await openTestStore(url).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UnusableStore)
  expect((failure as UnusableStore).message).toMatch(message)
  expect((failure as UnusableStore).message).not.toMatch(/secret|\n/)
}

async function tablesIn(url: string): Promise<string[]> {
  const { rows } = await (
    await openConnection(url)
  ).query<{ table_name: string }>(
    'SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema ORDER BY table_name',
  )
  return rows.map(({ table_name }) => table_name)
}

test.for(['read committed', 'serializable'])(
  'several stores that open an empty %s database create one schema',
  async (isolation) => {
    const url = await temporaryDatabase({ default_transaction_isolation: isolation.replace(' ', '\\ ') })
    const stores = await Promise.all(Array.from({ length: 5 }, () => openTestStore(url)))
    const outcomes = await Promise.all(stores.map(({ store }) => store.create('me', plant)))
    expect(outcomes.sort()).toEqual(['created', 'exists', 'exists', 'exists', 'exists'])
    const client = await openConnection(url)
    expect((await client.query('SELECT version FROM plant_store_schema')).rows).toEqual([
      { version: migrations.length },
    ])
  },
)

test('a database from before scopes is migrated, and its tokens keep all rights', async () => {
  const url = await temporaryDatabase()
  const client = await openConnection(url)
  await client.query(`${migrations.slice(0, 2).join('')} CREATE TABLE plant_store_schema AS SELECT 2 AS version`)
  await client.query(`INSERT INTO tokens (hash, prefix, caller, issued_at) VALUES ('\\x00', 'plst_old', 'me', 1)`)
  const { store } = await openTestStore(url)
  expect(await store.findCaller(Buffer.alloc(1), 2)).toStrictEqual({ caller: 'me', scope: undefined })
  const { rows } = await client.query(
    `SELECT conname FROM pg_constraint WHERE conrelid = 'plant_store_schema'::regclass AND contype = 'p'`,
  )
  expect(rows).toEqual([{ conname: 'plant_store_schema_pkey' }])
})

test.for([
  [
    'DROP COLUMN tag',
    'lacks the column plants.tag: if it is new, add its migration; if you wrote it into a migration that has run, add',
  ],
  ['ALTER COLUMN tag TYPE integer USING 0', 'has plants.tag as integer, but the kind text\\? is text; correct'],
  ['ALTER COLUMN tag SET NOT NULL', 'has plants.tag as text NOT NULL, but the kind text\\? is text; correct'],
  ['ALTER COLUMN name DROP NOT NULL', 'has plants.name as text, but the kind text is text NOT NULL; correct'],
] as const)('a database after %s is refused', async ([change, message]) => {
  const url = await temporaryDatabase()
  await openTestStore(url)
  await (await openConnection(url)).query(`ALTER TABLE plants ${change}`)
  await expectRefusal(url, new RegExp(message))
})

const writable = 'this service writes, so add target_session_attrs=read-write$'

test.for<[string, string, string]>([
  ['several hosts', 'postgres://me:secret@one:1,two:2/plants', `its URL has several hosts; ${writable}`],
  ['a standby', 'postgres://me@one/plants?target_session_attrs=standby', `attrs=standby; ${writable}`],
  [
    'no server',
    'postgres://me:secret@127.0.0.1:1/plants',
    '127\\.0\\.0\\.1:1/plants: .*ECONNREFUSED.*; start the data',
  ],
  ['no address', 'postgres://me:secret@127.0.0.1:port/plants', 'its URL is malformed$'],
  ['no database', '/nothing', 'database "nothing" does not exist; create it, or name another one$'],
])('a URL with %s is refused in one line', async ([, url, message]) => {
  const address = url.startsWith('/') ? new URL(url, inject('databaseUrl')).href : url
  await expectRefusal(address, new RegExp(`^cannot open the database.*${message}`))
})

test('the store uses the host that accepts writes', async () => {
  const url = await temporaryDatabase()
  const authority = /@([^/]+)/.exec(url)?.[1] ?? ''
  const several = url.replace(authority, `127.0.0.1:1,${authority}`) + '&target_session_attrs=read-write'
  const { store } = await openTestStore(several)
  expect(await store.create('me', plant)).toBe('created')
})

test('a read-only database is not ready', async () => {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const readOnly = url.replace('?options=', '?options=-c%20default_transaction_read_only%3Don%20')
  const { store } = await openTestStore(readOnly)
  expect(await store.isReady()).toBe(false)
  expect(await store.create('me', plant)).toBe('unavailable')
})

test.for<[string, string, string, string]>([
  [
    'a schema from the future',
    'CREATE TABLE plant_store_schema AS SELECT 99 AS version',
    'has schema version 99, but this release knows versions up to \\d+: start a newer release, or, .* npm run dev -- --fresh; nothing was changed$',
    'plant_store_schema',
  ],
  [
    "another program's table of the same name",
    'CREATE TABLE tokens (theirs integer)',
    'relation "tokens" already exists',
    'tokens',
  ],
])('%s is refused and left unchanged', async ([, made, message, table]) => {
  const url = await temporaryDatabase()
  await (await openConnection(url)).query(made)
  await expectRefusal(url, new RegExp(message))
  expect(await tablesIn(url)).toEqual([table])
})

test('a database with an encoding other than UTF-8 is refused', async () => {
  const client = await openConnection(inject('databaseUrl'))
  const name = `latin1_${String(process.pid)}`
  await client.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
  onTestFinished(() => client.query(`DROP DATABASE ${name}`).then(() => undefined))
  await expectRefusal(
    new URL(`/${name}`, inject('databaseUrl')).href,
    /has the encoding LATIN1; create one with ENCODING 'UTF8'$/,
  )
})

test('a database without a table is refused, and not ready if it loses one', async () => {
  const url = await temporaryDatabase()
  const { store, faults } = await openTestStore(url)
  const client = await openConnection(url)
  expect(await store.isReady()).toBe(true)
  await client.query('ALTER TABLE plants RENAME TO lost')
  expect(await store.isReady()).toBe(false)
  expect(await store.create('me', plant)).toBe('unavailable')
  expect(new Set(faults.map(({ message }) => message))).toEqual(new Set(['relation "plants" does not exist']))
  await expectRefusal(url, /lacks the table plants: if it is new, add its migration/)
})

/** Returns a database with a role that may not create or update tables. */
async function limitRights() {
  const url = await temporaryDatabase()
  await openTestStore(url)
  const client = await openConnection(url)
  const { rows } = await client.query<{ schema: string }>('SELECT current_schema AS schema')
  const role = rows[0]?.schema ?? ''
  await client.query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA ${role} TO ${role}; ` +
      `GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA ${role} TO ${role}`,
  )
  onTestFinished(() => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`).then(() => undefined))
  const limited = new URL(url)
  limited.username = role
  limited.password = 'secret'
  return { url: limited.href, role, client }
}

test('a start is refused if the role has only one connection left', async () => {
  const { url, role, client } = await limitRights()
  await client.query(`ALTER ROLE ${role} CONNECTION LIMIT 1`)
  await expectRefusal(url, /^cannot open the database 127\.0\.0\.1:.*: too many connections for role "test_[^\n]*$/)
})

test('a store is unavailable while its role lacks rights, and then recovers', async () => {
  const { url, role, client } = await limitRights()
  const { store, faults } = await openTestStore(url)
  expect(await store.isReady()).toBe(true)
  await client.query(`REVOKE ALL ON plants FROM ${role}`)
  expect([
    await store.isReady(),
    await store.create('me', plant),
    await store.list('me', 1),
    await store.list('me', undefined),
  ]).toEqual([false, 'unavailable', 'unavailable', 'unavailable'])
  expect(faults.map(({ message }) => message)).toContain('permission denied for table plants')
  await client.query(`GRANT SELECT, INSERT, DELETE ON plants TO ${role}`)
  expect(await store.isReady()).toBe(true)
  expect(await store.create('me', plant)).toBe('created')
})

test('a write without permission fails; other writes of the batch succeed', async () => {
  const { store, faults } = await openTestStore((await limitRights()).url)
  const outcomes = await Promise.all([
    store.create('me', plant),
    store.recordUses([{ hash: new Uint8Array(32), usedAt: 1 }]),
    store.create('me', { ...plant, id: 2n }),
  ])
  expect(outcomes).toEqual(['created', 'unavailable', 'created'])
  expect(faults.map(({ message }) => message)).toEqual(['permission denied for table tokens'])
})
