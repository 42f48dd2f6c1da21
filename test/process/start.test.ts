import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stringifyJson } from 'fastify-contract/json'
import { expect, onTestFinished, test } from 'vitest'
import { openableOrigin } from '../../src/process/welcome.ts'
import { receive } from '../support/client/raw-http.ts'
import { servedDatabase, urlOf } from '../support/server/served-database.ts'
import { temporaryFolder, temporaryLocation } from '../support/server/start-app.ts'
import { type ServerProcess, nodeBinary, projectFolder, startProcess } from '../support/server/start-process.ts'
import { newPlant, readPlants } from '../support/plants.ts'

const main = join(projectFolder, 'src/main.ts')

/** Starts a server on a new database, unless the environment names one. */
async function start(environment: Record<string, string>, command?: [string, ...string[]]): Promise<ServerProcess> {
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(), 'data', 'plants.db')}`
  const server = await startProcess({ DATABASE_URL, LOG_LEVEL: 'info', ...environment }, command)
  onTestFinished(() => server.end())
  return server
}

test('npm start in an empty folder prints curl lines that work, and keeps the plant', async () => {
  const file = join(await temporaryFolder(), 'data', 'plants.db')
  const environment = { DATABASE_URL: `sqlite:${file}` }
  const first = await start(environment, ['npm', 'start', '--silent'])
  const { origin } = first
  const [token = ''] = /plst_[\w-]{43}/.exec(first.stdout()) ?? []
  const bearer = `-H 'Authorization: Bearer ${token}'`
  const [, body = ''] = /-d '(.*)'/.exec(first.stdout()) ?? []
  expect(first.stdout().split('\n')).toEqual([
    `Plant Store  ${origin}`,
    `Docs         ${origin}/docs`,
    `Database     ${file}, which is empty`,
    `Token        ${token}`,
    '             for the caller "me"; it is shown only once',
    `Try          curl ${bearer} -H 'Content-Type: application/json' -d '${body}' ${origin}/plants`,
    `             curl ${bearer} ${origin}/plants`,
    '',
  ])
  expect((await fetch(`${origin}/docs`)).status).toBe(200)
  const printed: string[] = []
  for (const line of first.stdout().match(/curl .*/g) ?? [])
    printed.push((await promisify(execFile)('bash', ['-c', `${line} --silent --show-error`])).stdout)
  const [plant] = printed.map(readPlants)
  expect(plant).toMatchObject({ name: 'Monstera deliciosa' })
  expect(printed.map(readPlants)).toEqual([plant, [plant]])

  await first.end('SIGTERM')
  expect(await first.ended).toBe(0)
  expect(first.stderr()).toContain('"operation":"createPlant"')
  expect(first.stderr()).not.toContain(token.slice(5))

  const second = await start(environment)
  expect(second.stdout()).not.toMatch(/plst_|Database/)
  const list = await fetch(`${second.origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect(readPlants(await list.text())).toEqual([plant])
})

test('a server that other machines can reach prints an address that opens, and no token', async () => {
  const { stdout, port } = await start({ HOST: '0.0.0.0' })
  expect(stdout()).not.toContain('plst_')
  expect(stdout()).toContain('Token        npm run token -- issue CALLER\n')
  const origin = `http://127.0.0.1:${String(port)}`
  expect(stdout()).toContain(`Plant Store  ${origin}\nDocs         ${origin}/docs\n`)
  // Not every machine has IPv6.
  expect(openableOrigin('http://[::]:3000')).toBe('http://[::1]:3000')
})

/** Sets JOURNAL_STREAM to the device and inode of a descriptor, as systemd does. */
const namingJournal = (descriptor: string, redirections = ''): [string, ...string[]] => [
  'bash',
  '-c',
  `exec 8>&1 9>&2; export JOURNAL_STREAM=$(stat --dereference --format=%d:%i /proc/self/fd/${descriptor}); ` +
    `exec "$0" "$1" 8>&- 9>&- ${redirections}`,
  nodeBinary,
  main,
]

test('no token is printed into the systemd journal', async () => {
  const environment = { DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'plants.db')}` }
  for (const descriptor of ['8', '9']) {
    const server = await start(environment, namingJournal(descriptor))
    expect(server.stdout()).not.toContain('plst_')
    expect(server.stdout()).toContain('Token        npm run token -- issue CALLER\n')
    await server.end()
  }
  // The store is still empty. Here the log goes to the journal, and standard output is a pipe.
  expect((await start(environment, namingJournal('9', '> >(cat)'))).stdout()).toMatch(/^Token +plst_/m)
})

test('a start with an unwritable standard output succeeds and logs the failure', async () => {
  const { serve } = await servedDatabase()
  // The shell prints the address from the log, because the helper waits for it.
  const server = await serve({ LOG_LEVEL: 'info' }, [
    'bash',
    '-c',
    `exec 3>&1
    "$0" "$1" 2> >(tee >(sed -un 's/.*listening at \\([^"]*\\)".*/Plant Store  \\1\\nToken        -/p' >&3) >&2) \\
      >/dev/full &
    trap 'kill $!' TERM; wait; wait $!`,
    nodeBinary,
    main,
  ])
  await expect.poll(server.stderr).toContain('standard output cannot be written (ENOSPC')
  expect(await server.create(1)).toBe(200)
  await server.end('SIGTERM')
  expect(await server.ended).toBe(0)
})

test('METRICS_PORT serves the metrics at their own address until the server stops', async () => {
  const server = await start({ METRICS_PORT: '0', TRUST_PROXY: '127.0.0.1' })
  await expect.poll(server.stderr).toContain('metrics at')
  expect(server.stderr()).toContain('"level":40')
  expect(server.stderr()).toContain('"msg":"TRUST_PROXY has no effect without RATE_LIMIT"')
  const url = /metrics at (http[^"]+)/.exec(server.stderr())?.[1] ?? ''
  const [authorization = ''] = /Bearer plst_[\w-]+/.exec(server.stdout()) ?? []
  const headers = { authorization, 'content-type': 'application/json' }
  await fetch(`${server.origin}/plants`, { method: 'POST', headers, body: stringifyJson(newPlant({ id: 1n })) })
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  const text = await response.text()
  expect(text).toContain('plant_store_requests_total{operation="createPlant",status="200"} 1')
  expect(text).toMatch(/^plant_store_batch_writes_count [1-9]/m)
  for (const [address, method] of [
    [`${server.origin}/metrics`, 'GET'],
    [url.replace('/metrics', '/plants'), 'GET'],
    [url, 'POST'],
  ] as const)
    expect((await fetch(address, { method })).status).toBe(404)
  await server.end()
  await expect(fetch(url)).rejects.toThrow()
})

test('the start warns if the limit of open files is below MAX_CONNECTIONS', async () => {
  const startWith = async (limit: number) => {
    const command = `ulimit -n ${String(limit)}; exec "$0" "$1"`
    const server = await start({ MAX_CONNECTIONS: '1000', LOG_LEVEL: 'warn' }, [
      'bash',
      '-c',
      command,
      nodeBinary,
      main,
    ])
    await server.end()
    return server.stderr()
  }
  const warning =
    '"msg":"MAX_CONNECTIONS 1000 needs 1100 open files, but the limit of this process is 1099; ' +
    'raise the limit (ulimit -n 1100, or LimitNOFILE= in a systemd unit), or lower MAX_CONNECTIONS"'
  expect(await startWith(1_099)).toContain(warning)
  expect(await startWith(1_100)).not.toContain('open files')
})

test('docs files that failed for lack of open files are served once there are some', async () => {
  const server = await start({})
  const limit = (files: number) =>
    execFileSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${String(files)}:`])
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  const paths = ['/docs/static/index.css', '/docs/static/swagger-ui.css']
  const responses = await receive(
    server.origin,
    get('/livez'),
    async (received) => {
      await expect.poll(received).toContain('{"status":"ok"}')
      limit(0)
    },
    ...paths.map(get),
    async (received) => {
      await expect.poll(() => received().match(/"error":50000/g)).toHaveLength(paths.length)
      limit(1_000)
    },
    ...paths.map(get),
    'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 500, 500, 200, 200, 200])
})

test('REUSE_PORT lets two servers share a port; one continues when the other ends', async () => {
  const environment = { DATABASE_URL: urlOf(await temporaryLocation()), REUSE_PORT: '1' }
  const first = await start(environment)
  const second = await start({ ...environment, PORT: new URL(first.origin).port })
  const [authorization = ''] = /Bearer plst_[\w-]+/.exec(first.stdout()) ?? []
  const headers = { authorization, 'content-type': 'application/json', connection: 'close' }
  const create = async (id: number) => {
    const body = stringifyJson(newPlant({ id: BigInt(id) }))
    return (await fetch(`${first.origin}/plants`, { method: 'POST', headers, body })).status
  }

  // The kernel gives each new connection to one of them.
  for (let id = 0; id < 40; id++) expect(await create(id)).toBe(200)
  const answeredBy = ({ stderr }: ServerProcess) => stderr().split('"operation":"createPlant"').length - 1
  await expect.poll(() => answeredBy(first) + answeredBy(second)).toBe(40)
  expect(answeredBy(first)).toBeGreaterThan(0)
  expect(answeredBy(second)).toBeGreaterThan(0)

  await first.end()
  for (let id = 40; id < 50; id++) expect(await create(id)).toBe(200)
  const list = await fetch(`${first.origin}/plants`, { headers })
  expect(await list.json()).toHaveLength(50)
})
