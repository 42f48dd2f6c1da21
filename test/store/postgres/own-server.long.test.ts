import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type PostgresNode, startPostgres } from '../../support/server/postgres-node.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { openConnection, openTestStore } from '../../support/server/postgres-database.ts'
import { expectFailure } from '../../support/responses/expected-contract.ts'
import { servedPostgres } from '../../support/server/served-database.ts'
import { runScript } from '../../support/server/start-process.ts'
import { throwFault } from '../store-suite.ts'
import { newPlant, storedPlant } from '../../support/plants.ts'

const pageSize = 8_192

const callers = ['first', 'damaged', 'last'] as const

/** The hash of a token by its number. */
function hashOf(number: number): Buffer {
  return createHash('sha256').update(String(number)).digest()
}

// A server of its own: damage stays, and the other tests need theirs to run.
let database: PostgresNode
let undamaged: string
beforeAll(async () => {
  database = await startPostgres()
  await (await openPostgresStore({ url: database.url, onFault: throwFault })).close()
  await database.query(
    `INSERT INTO plants (caller, id, name) SELECT caller, 10 * number, 'Monstera deliciosa'
     FROM unnest($1::text[]) AS caller, generate_series(1, 2000) AS number ORDER BY caller, number`,
    [callers],
  )
  // Enough rows that tokens are found by the index.
  await database.query(
    `INSERT INTO tokens (hash, prefix, caller, issued_at)
     SELECT sha256(number::text::bytea), 'plst_', 'me', 0 FROM generate_series(0, 19999) AS number`,
  )
  const [plantKeys, tokens] = [await fileOf('plants_pkey'), await fileOf('tokens')]
  await database.stop()
  damage(plantKeys, (page) => callers.every((caller) => page.includes(caller) === (caller === 'damaged')))
  damage(tokens, (page) => page.includes(hashOf(0)))
  await database.start()
  await database.query('CREATE DATABASE undamaged')
  undamaged = new URL('/undamaged', database.url).href
  return () => database[Symbol.asyncDispose]()
})

async function fileOf(relation: string): Promise<string> {
  const [row] = await database.query<{ folder: string; path: string }>(
    `SELECT current_setting('data_directory') AS folder, pg_relation_filepath($1) AS path`,
    [relation],
  )
  return join(row!.folder, row!.path)
}

/** Damages pages of a table or an index, so that their checksums fail. */
function damage(file: string, isChosen: (page: Buffer) => boolean): void {
  const bytes = readFileSync(file)
  const descriptor = openSync(file, 'r+')
  for (let offset = 0; offset < bytes.length; offset += pageSize) {
    if (!isChosen(bytes.subarray(offset, offset + pageSize))) continue
    writeSync(descriptor, Buffer.alloc(64, 0xff), 0, 64, offset + pageSize / 2)
  }
  closeSync(descriptor)
}

test('writes to damaged pages fail; other writes of the batch succeed', async () => {
  const { store, faults } = await openTestStore(database.url)
  const ids = Array.from({ length: 20 }, (_, index) => BigInt(10_000 + 10 * index))
  const outcomes = await Promise.all(
    ids.flatMap((id) =>
      callers.map(async (caller) => ({
        caller,
        created: await store.create(caller, storedPlant({ id: id + 1n, name: 'new' })),
        deleted: await store.delete(caller, id),
      })),
    ),
  )
  for (const { caller, ...outcome } of outcomes) {
    expect({ caller, ...outcome }).toEqual(
      caller === 'damaged'
        ? { caller, created: 'unavailable', deleted: 'unavailable' }
        : { caller, created: 'created', deleted: 'deleted' },
    )
  }
  expect(faults).toHaveLength(2 * ids.length)
  expect(faults).toContainEqual(expect.objectContaining({ code: 'XX001' }))
  const rows = await database.query<{ caller: string; id: string }>(`SELECT caller, id FROM plants WHERE name = 'new'`)
  expect(rows).toHaveLength(2 * ids.length)
})

test('reads of damaged pages fail; other reads of the batch succeed', async () => {
  const { store } = await openTestStore(database.url)
  const lists = await Promise.all(
    Array.from({ length: 16 }, async (_, index) => {
      const caller = callers[index % 3]!
      return { isDamaged: caller === 'damaged', list: await store.list(caller, 100) }
    }),
  )
  for (const { isDamaged, list } of lists) expect(list === 'unavailable').toBe(isDamaged)

  const numbers = Array.from({ length: 500 }, (_, index) => 40 * index)
  const found = await Promise.all(numbers.map((number) => store.findCaller(hashOf(number), 0)))
  expect(found[0]).toBe('unavailable')
  expect(found.slice(5)).toEqual(Array(495).fill({ caller: 'me', scope: undefined }))
})

test('the server sends 503 while its database is down, and then recovers', async () => {
  const server = await (await servedPostgres(undamaged)).serve()
  expect(await server.create(1)).toBe(200)
  await database.stop()
  for (const [method, path, plant] of [
    ['GET', '/plants'],
    ['POST', '/plants', newPlant({ id: 2n })],
    ['DELETE', '/plants/1'],
    ['GET', '/readyz'],
  ] as const) {
    const response = await server.send(method, path, plant)
    expectFailure(response, 'unavailable')
    expect(response.headers.get('retry-after')).toBe('1')
  }
  expect((await server.send('GET', '/livez')).status).toBe(200)
  await database.start()
  expect(await server.create(3)).toBe(200)
  expect(await server.names()).toEqual(['1', '3'])
  expect((await server.send('GET', '/readyz')).status).toBe(200)
})

test('an error of the database is logged without the plant that caused it', async () => {
  const { serve } = await servedPostgres(undamaged)
  const client = await openConnection(undamaged)
  // Errors of new sessions then include the values of the statement.
  await client.query(
    `ALTER ROLE CURRENT_USER SET log_parameter_max_length_on_error = -1;
     ALTER TABLE plants ADD CONSTRAINT no_ivy CHECK (name <> 'Hedera helix')`,
  )
  const server = await serve()
  expect((await server.send('POST', '/plants', newPlant({ id: 4n, name: 'Hedera helix' }))).status).toBe(500)
  await expect.poll(server.stderr).toContain('no_ivy')
  expect(server.stderr()).not.toContain('Hedera helix')
})

test.each([
  ['no password', '', 'the server asks for a password; set PGPASSWORD'],
  ['a wrong password', 'wrong', '.*; correct the user, or the password in PGPASSWORD'],
])('a start with %s fails and says what to do', async (_what, password, message) => {
  const client = await openConnection(undamaged)
  // The default of initdb (postgresql.org/docs/18/auth-pg-hba-conf.html).
  const rule = 'host all all 127.0.0.1/32 scram-sha-256'
  await client.query(`COPY (SELECT '${rule}') TO PROGRAM 'cat > pg_hba.conf'; SELECT pg_reload_conf()`)
  const url = new URL(undamaged)
  url.password = password
  await expect
    .poll(async () => (await runScript('src/main.ts', [], { DATABASE_URL: url.href, PORT: '0' })).stderr)
    .toMatch(new RegExp(`^plant-store: cannot open the database [^ ]+: ${message}\n$`))
})
