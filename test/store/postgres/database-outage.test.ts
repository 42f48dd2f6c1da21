import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { errors } from '../../../generated/errors.ts'
import { connect } from '../../support/server/postgres-database.ts'
import { type TemporaryPostgres, startPostgres } from '../../../bench/servers/postgres-node.ts'
import { type ServerProcess, runScript, startProcess } from '../../support/server/start-process.ts'

describe('a server whose database', () => {
  let database: TemporaryPostgres
  let server: ServerProcess
  let token: string

  beforeAll(async () => {
    // One of its own, for the other tests need theirs.
    database = await startPostgres({ isDurable: false })
    server = await startProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'error' })
    token = (await runScript('scripts/token.ts', ['issue', 'me'], { DATABASE_URL: database.url })).stdout.trim()
    return async () => {
      await server.end()
      await database.remove()
    }
  })

  function send(method: string, path: string, plant?: object): Promise<Response> {
    const content = plant === undefined ? {} : { body: JSON.stringify(plant) }
    return fetch(server.origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...content,
    })
  }

  async function expectUnavailable(response: Promise<Response>): Promise<void> {
    const { status, headers, json } = await response.then(async (received) => ({
      status: received.status,
      headers: received.headers,
      json: (await received.json()) as { error: number },
    }))
    expect({ status, error: json.error }).toEqual(errors.unavailable)
    expect(headers.get('retry-after')).toBe('1')
  }

  test('goes away answers 503 as long as it is away, lives, and serves again when it is back', async () => {
    expect((await send('POST', '/plants', { id: 1, name: 'before' })).status).toBe(200)
    expect((await send('GET', '/readyz')).status).toBe(200)
    await database.stop()
    await expectUnavailable(send('GET', '/plants'))
    await expectUnavailable(send('POST', '/plants', { id: 2, name: 'meanwhile' }))
    await expectUnavailable(send('DELETE', '/plants/1'))
    await expectUnavailable(send('GET', '/readyz'))
    expect((await send('GET', '/livez')).status).toBe(200)
    await database.start()
    expect((await send('POST', '/plants', { id: 3, name: 'after' })).status).toBe(200)
    expect(await (await send('GET', '/plants')).json()).toEqual([{ name: 'before' }, { name: 'after' }])
    expect((await send('GET', '/readyz')).status).toBe(200)
  })

  test.each([
    ['no password', '', 'the server asks for a password; set PGPASSWORD'],
    ['a wrong password', 'wrong', '.*; correct the user, or the password in PGPASSWORD'],
  ])('gets %s does not start, and says what to do', async (_what, password, message) => {
    const client = await connect(database.url)
    onTestFinished(() => client.end())
    // What initdb writes unless it is told otherwise (postgresql.org/docs/18/auth-pg-hba-conf.html).
    const rule = 'host all all 127.0.0.1/32 scram-sha-256'
    await client.query(`COPY (SELECT '${rule}') TO PROGRAM 'cat > pg_hba.conf'; SELECT pg_reload_conf()`)
    const url = new URL(database.url)
    url.password = password
    await expect
      .poll(async () => (await runScript('src/main.ts', [], { DATABASE_URL: url.href, PORT: '0' })).stderr)
      .toMatch(new RegExp(`^plant-store: cannot open the database [^ ]+: ${message}\n$`))
  })

  test('is slow answers 503 in bounded time, and has done nothing then', async () => {
    const other = await connect(database.url)
    onTestFinished(() => other.end())
    await other.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE')
    await Promise.all([
      expectUnavailable(send('GET', '/plants')),
      expectUnavailable(send('POST', '/plants', { id: 4, name: 'slow' })),
      expectUnavailable(send('DELETE', '/plants/4')),
    ])
    await other.query('ROLLBACK')
    expect((await send('DELETE', '/plants/4')).status).toBe(404)
  })

  test('refuses a plant for a reason of its own logs the reason without the plant', async () => {
    const client = await connect(database.url)
    onTestFinished(() => client.end())
    // The errors of new sessions then have the values of their statement.
    await client.query(
      `ALTER ROLE CURRENT_USER SET log_parameter_max_length_on_error = -1;
       ALTER TABLE plants ADD CONSTRAINT no_ivy CHECK (name <> 'Hedera helix')`,
    )
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = CURRENT_USER',
    )
    // Until the server has noticed that its connections are gone, the answer is 503.
    await expect.poll(async () => (await send('POST', '/plants', { id: 4, name: 'Hedera helix' })).status).toBe(500)
    await expect.poll(server.stderr).toContain('no_ivy')
    expect(server.stderr()).not.toContain('Hedera helix')
  })
})
