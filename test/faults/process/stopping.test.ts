import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type RunningServer, type ServedDatabase, servedDatabase } from '../../support/server/served-database.ts'
import { brokenPromises, emptyRecord, startWriters } from '../../support/client/writers.ts'

/** What a client sees who opens a new connection: a status, or that nobody takes it. */
async function newConnection(origin: string, path: string): Promise<number | 'refused'> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return Number(answer.toString('latin1').split(' ')[1])
  } catch (error) {
    // The kernel resets connections that it had made and the listener had not taken yet.
    if (['ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) return 'refused'
    throw error
  } finally {
    socket.destroy()
  }
}

/** Writes bytes and keeps the connection. @returns what it has received so far, and whether it is closed */
async function openConnection(
  origin: string,
  bytes: string,
): Promise<{ received: () => string; closed: Promise<unknown>; write: (more: string) => void; read: () => void }> {
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
    write: (more) => void socket.write(more),
    read: () => {
      socket.setEncoding('latin1').on('data', (text: string) => (received += text))
    },
  }
}

function logLength(file: string): number {
  return existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0
}

/** More than the buffers of a connection hold, so that the answer of a client that does not read stays unfinished. */
function fillWithLongList({ file }: ServedDatabase): number {
  const plants = 80_000
  const database = new Database(file)
  const insert = database.prepare<[number, string]>(`INSERT INTO plants (caller, id, name) VALUES ('me', ?, ?)`)
  const name = 'Monstera deliciosa'.repeat(10)
  database.transaction(() => {
    for (let id = 0; id < plants; id++) insert.run(id, name)
  })()
  database.close()
  return plants
}

async function stopUnderLoad(signal: NodeJS.Signals): Promise<void> {
  const { file, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const record = emptyRecord()
  const stopWriters = startWriters(server, record, 8)
  await expect.poll(() => record.deleted.size, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0)
  server.child.kill(signal)

  const told: string[] = []
  while (told.at(-1) !== 'readyz refused') {
    told.push(`readyz ${String(await newConnection(server.origin, '/readyz'))}`)
    if (told.at(-1) === 'readyz 503') told.push(`livez ${String(await newConnection(server.origin, '/livez'))}`)
    await delay(50)
  }
  const story = told.filter((line, index) => line !== 'readyz 200' && told.indexOf(line) === index)
  expect(story).toEqual([
    'readyz 503',
    'livez 200',
    ...(story.includes('livez refused') ? ['livez refused'] : []),
    'readyz refused',
  ])

  expect(await server.ended).toBe(0)
  await stopWriters()
  // A client whose connection ends between two requests sends the next one in vain; none was answered otherwise than
  // well.
  expect(Object.keys(record.statuses).sort()).toEqual(['200', '204'])
  expect(logLength(file)).toBe(0)
  const database = new Database(file, { readonly: true })
  expect(brokenPromises(record, database.prepare<[], string>('SELECT name FROM plants').pluck().all())).toEqual({
    lost: [],
    returned: [],
  })
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'at %s under load /readyz is 503 before the listener closes, no write is lost, the log is folded in, exit code 0',
  stopUnderLoad,
)

test('a request that is on its way when the signal comes is answered, on a connection that then closes', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve()
  const body = '{"id":1,"name":"a"}'
  const client = await openConnection(
    server.origin,
    `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${String(body.length)}\r\n\r\n${body.slice(0, 4)}`,
  )
  client.read()
  // The server has it when a later request on another connection is answered.
  await server.names()
  server.child.kill('SIGTERM')
  await refusal(server)
  client.write(body.slice(4))
  await client.closed
  expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(client.received()).toMatch(/\r\nconnection: close\r\n/i)
  expect(await server.ended).toBe(0)
})

test('requests that wait behind the last answer of a connection are not carried out', async () => {
  const { file, token, serve } = await servedDatabase()
  const server = await serve()
  const create = (id: number) => {
    const body = JSON.stringify({ id, name: String(id) })
    return (
      `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${String(body.length)}\r\n\r\n${body}`
    )
  }
  const client = await openConnection(server.origin, create(1).slice(0, -4))
  client.read()
  // The server has it when a later request on another connection is answered.
  await server.names()
  server.child.kill('SIGTERM')
  await refusal(server)
  client.write(create(1).slice(-4) + create(2) + create(3))
  await client.closed
  expect(client.received().match(/^HTTP.*$/gm)).toEqual(['HTTP/1.1 200 OK'])
  expect(await server.ended).toBe(0)
  const database = new Database(file, { readonly: true })
  onTestFinished(() => void database.close())
  expect(database.prepare('SELECT name FROM plants').pluck().all()).toEqual(['1'])
})

test('under load every client is answered until it is refused, and no connection that waits is reset', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const { hostname, port } = new URL(server.origin)
  const request = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  const ends: Record<string, number> = {}

  /** Asks again and again, each time on a new connection, until one fails. */
  async function ask(): Promise<void> {
    for (;;) {
      const socket = connect(Number(port), hostname)
      try {
        await once(socket, 'connect')
        socket.write(request)
        const [answer] = (await once(socket, 'data')) as [Buffer]
        if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(answer.toString('latin1'))
      } catch (error) {
        const end = (error as NodeJS.ErrnoException).code ?? String(error)
        ends[end] = (ends[end] ?? 0) + 1
        return
      } finally {
        socket.destroy()
      }
    }
  }

  const clients = Array.from({ length: 64 }, ask)
  await delay(200)
  server.child.kill('SIGTERM')
  await Promise.all(clients)
  expect(ends).toEqual({ ECONNREFUSED: 64 })
  expect(await server.ended).toBe(0)
})

test('a request on an idle connection is still answered right after the listener has closed', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const request = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const client = await openConnection(server.origin, request)
  client.read()
  await expect.poll(client.received).toContain('[]')
  expect(client.received()).not.toMatch(/^connection: close\r$/im)
  server.child.kill('SIGTERM')
  await refusal(server)
  client.write(request)
  await client.closed
  expect(client.received()).toMatch(/^HTTP\/1\.1 200 [^]*\[\]HTTP\/1\.1 200 [^]*\[\]$/)
  expect(client.received()).toMatch(/^connection: close\r$/im)
  expect(await server.ended).toBe(0)
})

test('a long list that is being read when the signal comes is sent to its end', async () => {
  const database = await servedDatabase()
  const plants = fillWithLongList(database)
  const server = await database.serve()
  const client = await openConnection(
    server.origin,
    `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${database.token}\r\n\r\n`,
  )
  await server.create(-1)
  server.child.kill('SIGTERM')
  await refusal(server)
  client.read()
  await client.closed
  expect(client.received().endsWith('\r\n0\r\n\r\n')).toBe(true)
  expect(client.received().split('"name"').length - 1).toBeGreaterThanOrEqual(plants)
  expect(await server.ended).toBe(0)
})

test('idle connections do not hold the server up', async () => {
  const { serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_GRACE: '60' })
  const used = await openConnection(server.origin, 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  const unused = await openConnection(server.origin, '')
  const halfSent = await openConnection(server.origin, 'GET /livez HTTP/1.1\r\nHo')
  used.read()
  await expect.poll(used.received).toMatch(/^HTTP\/1\.1 200 /)
  server.child.kill('SIGTERM')
  await Promise.all([used.closed, unused.closed, halfSent.closed])
  expect(await server.ended).toBe(0)
})

test('a client that reads no more of its list is cut off within the grace, and the server stops in order', async () => {
  const database = await servedDatabase()
  fillWithLongList(database)
  const server = await database.serve({ SHUTDOWN_GRACE: '1' })
  await openConnection(
    server.origin,
    `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${database.token}\r\n\r\n`,
  )
  await server.create(-1)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  expect(logLength(database.file)).toBe(0)
  expect(server.stderr()).toContain('connections cut off')
})

test('a signal that comes twice at once, as Ctrl-C does at npm start, stops the server in order', async () => {
  const { serve, file } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const client = await openConnection(server.origin, 'GET /livez HTTP/1.1\r\n')
  client.read()
  server.child.kill('SIGINT')
  while ((await newConnection(server.origin, '/readyz')) !== 503) await delay(1)
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
  await openConnection(
    server.origin,
    `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${database.token}\r\n\r\n`,
  )
  expect(await server.create(-1)).toBe(200)
  server.child.kill('SIGTERM')
  await refusal(server)
  while (server.child.exitCode === null) {
    server.child.kill('SIGTERM')
    await delay(50)
  }
  expect(await server.ended).toBe(1)
  const file = new Database(database.file)
  expect(file.prepare('SELECT name FROM plants WHERE id = -1').pluck().get()).toBe('-1')
  file.close()
})

/** Waits until the server takes no new connection. */
async function refusal({ origin }: RunningServer): Promise<void> {
  while ((await newConnection(origin, '/livez')) !== 'refused') await delay(10)
}
