import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { newConnection } from '../support/client/new-connection.ts'
import { type RunningServer, type ServedDatabase, servedDatabase } from '../support/server/served-database.ts'

/** Writes bytes and keeps the connection. @returns what it has received so far, and whether it is closed */
async function openConnection(origin: string, bytes: string) {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let received = ''
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined)
  socket.write(bytes)
  return {
    received: () => received,
    closed,
    write: (more: string) => void socket.write(more),
    read: () => {
      socket.setEncoding('latin1').on('data', (text: string) => (received += text))
    },
  }
}

const list = (token: string) => `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`

function create(token: string, id: number): string {
  const body = JSON.stringify({ id, name: String(id) })
  return (
    `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${String(body.length)}\r\n\r\n${body}`
  )
}

/** Signals the server to stop, and waits until it takes no new connection. */
async function stop({ child, origin }: RunningServer, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  child.kill(signal)
  while ((await newConnection(origin, '/livez')) !== 'refused') await new Promise((resolve) => setTimeout(resolve, 10))
}

/** 15 MB: more than the buffers of a connection hold, so that the answer of a client that does not read is unfinished. */
function fillWithLongList({ file }: ServedDatabase): number {
  const plants = 15_000
  const database = new Database(file)
  database
    .prepare<[number, string]>(
      `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
       INSERT INTO plants (caller, id, name) SELECT 'me', id, ? FROM ids`,
    )
    .run(plants, '\u{1f331}'.repeat(250))
  database.close()
  return plants
}

test.each(['SIGTERM', 'SIGINT', 'SIGQUIT'] as const)(
  'a request that is on its way at %s is answered, and those that wait behind it are not carried out',
  async (signal) => {
    const { file, token, serve } = await servedDatabase()
    const server = await serve()
    const client = await openConnection(server.origin, create(token, 1).slice(0, -4))
    client.read()
    // The server has it when a later request on another connection is answered.
    await server.names()
    await stop(server, signal)
    client.write(create(token, 1).slice(-4) + create(token, 2) + create(token, 3))
    await client.closed
    expect(client.received().match(/^HTTP.*$/gm)).toEqual(['HTTP/1.1 200 OK'])
    expect(client.received()).toMatch(/^connection: close\r$/im)
    expect(await server.ended).toBe(0)
    expect(existsSync(`${file}-wal`)).toBe(false)
    const database = new Database(file, { readonly: true })
    onTestFinished(() => void database.close())
    expect(database.prepare('SELECT name FROM plants').pluck().all()).toEqual(['1'])
  },
)

test('a request on an idle connection is still answered right after the listener has closed', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const client = await openConnection(server.origin, list(token))
  client.read()
  await expect.poll(client.received).toContain('[]')
  expect(client.received()).not.toMatch(/^connection: close\r$/im)
  await stop(server)
  client.write(list(token))
  await client.closed
  expect(client.received()).toMatch(/^HTTP\/1\.1 200 [^]*\[\]HTTP\/1\.1 200 [^]*\[\]$/)
  expect(client.received()).toMatch(/^connection: close\r$/im)
  expect(await server.ended).toBe(0)
})

test('a long list that is being read when the signal comes is sent to its end', async () => {
  const database = await servedDatabase()
  const plants = fillWithLongList(database)
  const server = await database.serve()
  const client = await openConnection(server.origin, list(database.token))
  await server.create(-1)
  await stop(server)
  client.read()
  await client.closed
  expect(client.received().endsWith('\r\n0\r\n\r\n')).toBe(true)
  expect(client.received().split('"name"').length - 1).toBeGreaterThanOrEqual(plants)
  expect(await server.ended).toBe(0)
})

test('idle connections do not hold the server up', async () => {
  const { serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_GRACE: '60' })
  const livez = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
  const [used, ...others] = await Promise.all(
    [livez, '', livez.slice(0, -6)].map((bytes) => openConnection(server.origin, bytes)),
  )
  used!.read()
  await expect.poll(used!.received).toMatch(/^HTTP\/1\.1 200 /)
  server.child.kill('SIGTERM')
  await Promise.all([used!, ...others].map(({ closed }) => closed))
  expect(await server.ended).toBe(0)
})

test('a client that reads no more of its list is cut off within the grace, and the server stops in order', async () => {
  const database = await servedDatabase()
  fillWithLongList(database)
  const server = await database.serve({ SHUTDOWN_GRACE: '1' })
  await openConnection(server.origin, list(database.token))
  await server.create(-1)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  expect(existsSync(`${database.file}-wal`)).toBe(false)
  expect(server.stderr()).toContain('connections cut off')
})

test('a signal that comes twice at once, as Ctrl-C does at npm start, stops the server in order', async () => {
  const { serve, file } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const client = await openConnection(server.origin, 'GET /livez HTTP/1.1\r\n')
  client.read()
  server.child.kill('SIGINT')
  while ((await newConnection(server.origin, '/readyz')) !== 503);
  server.child.kill('SIGINT')
  client.write('Host: a\r\n\r\n')
  await client.closed
  expect(client.received()).toMatch(/^HTTP\/1\.1 200 /)
  expect(await server.ended).toBe(0)
  expect(existsSync(`${file}-wal`)).toBe(false)
})

test('a second signal ends the server at once, and nothing that it acknowledged is lost', async () => {
  const database = await servedDatabase()
  fillWithLongList(database)
  const server = await database.serve({ SHUTDOWN_GRACE: '600' })
  await openConnection(server.origin, list(database.token))
  expect(await server.create(-1)).toBe(200)
  await stop(server)
  while (server.child.exitCode === null) {
    server.child.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(await server.ended).toBe(1)
  const file = new Database(database.file)
  expect(file.prepare('SELECT name FROM plants WHERE id = -1').pluck().get()).toBe('-1')
  file.close()
})
