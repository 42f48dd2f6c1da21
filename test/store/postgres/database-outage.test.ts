import { beforeAll, expect, test } from 'vitest'
import { openConnection } from '../../support/server/postgres-database.ts'
import { type PostgresNode, startPostgres } from '../../support/server/postgres-node.ts'
import { expectFailure } from '../../support/responses/expected-contract.ts'
import { servedPostgres } from '../../support/server/served-database.ts'
import { runScript } from '../../support/server/start-process.ts'

// A server of its own, for the other tests need theirs.
let database: PostgresNode
beforeAll(async () => {
  database = await startPostgres({ isDurable: false })
  return () => database[Symbol.asyncDispose]()
})

test('the server sends 503 while its database is down, and then recovers', async () => {
  const server = await (await servedPostgres(database.url)).serve()
  expect(await server.create(1)).toBe(200)
  await database.stop()
  for (const [method, path, plant] of [
    ['GET', '/plants'],
    ['POST', '/plants', { id: 2, name: 'meanwhile' }],
    ['DELETE', '/plants/1'],
    ['GET', '/readyz'],
  ] as const) {
    const answer = await server.send(method, path, plant)
    expectFailure(answer, 'unavailable')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect((await server.send('GET', '/livez')).status).toBe(200)
  await database.start()
  expect(await server.create(3)).toBe(200)
  expect(await server.names()).toEqual(['1', '3'])
  expect((await server.send('GET', '/readyz')).status).toBe(200)
})

test('an error of the database is logged without the plant that caused it', async () => {
  const { serve } = await servedPostgres(database.url)
  const client = await openConnection(database.url)
  // The errors of new sessions then have the values of their statement.
  await client.query(
    `ALTER ROLE CURRENT_USER SET log_parameter_max_length_on_error = -1;
     ALTER TABLE plants ADD CONSTRAINT no_ivy CHECK (name <> 'Hedera helix')`,
  )
  const server = await serve()
  expect((await server.send('POST', '/plants', { id: 4, name: 'Hedera helix' })).status).toBe(500)
  await expect.poll(server.stderr).toContain('no_ivy')
  expect(server.stderr()).not.toContain('Hedera helix')
})

test.each([
  ['no password', '', 'the server asks for a password; set PGPASSWORD'],
  ['a wrong password', 'wrong', '.*; correct the user, or the password in PGPASSWORD'],
])('a start with %s fails and says what to do', async (_what, password, message) => {
  const client = await openConnection(database.url)
  // What initdb writes unless it is told otherwise (postgresql.org/docs/18/auth-pg-hba-conf.html).
  const rule = 'host all all 127.0.0.1/32 scram-sha-256'
  await client.query(`COPY (SELECT '${rule}') TO PROGRAM 'cat > pg_hba.conf'; SELECT pg_reload_conf()`)
  const url = new URL(database.url)
  url.password = password
  await expect
    .poll(async () => (await runScript('src/main.ts', [], { DATABASE_URL: url.href, PORT: '0' })).stderr)
    .toMatch(new RegExp(`^plant-store: cannot open the database [^ ]+: ${message}\n$`))
})
