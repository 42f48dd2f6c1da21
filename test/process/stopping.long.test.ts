import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { stringifyJson } from 'fastify-contract/json'
import { expect, onTestFinished, test } from 'vitest'
import { type RunningServer, servedDatabase } from '../support/server/served-database.ts'
import { readColumn } from '../support/server/sqlite-file.ts'
import { newPlant } from '../support/plants.ts'

function create(token: string, id: number): string {
  const body = stringifyJson(newPlant({ id: BigInt(id), name: String(id) }))
  return (
    `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${String(body.length)}\r\n\r\n${body}`
  )
}

/** Sends a request without its last bytes and waits until the server has read them. */
async function beginRequest({ origin, names }: RunningServer, request: string) {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  const closed = new Promise<string>((resolve) => {
    socket
      .on('error', () => undefined)
      .once('close', () => {
        resolve(received)
      })
  })
  await once(socket, 'connect')
  socket.write(request.slice(0, -4))
  // By now the server has responded to a later request.
  await names()
  return { closed, end: (more = '') => void socket.write(request.slice(-4) + more) }
}

async function waitUntilRefused({ origin }: RunningServer): Promise<void> {
  const isRefused = () =>
    fetch(`${origin}/livez`, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    )
  await expect.poll(isRefused).toBe(true)
}

const namesIn = (file: string) => readColumn(file, 'SELECT name FROM plants')

test('a stop completes the current request, and drops those queued behind it', async () => {
  const { file, token, serve } = await servedDatabase()
  const server = await serve()
  const request = await beginRequest(server, create(token, 1))
  // As Ctrl-C under npm start does: the terminal signals both, and npm passes its signal on.
  server.child.kill('SIGINT')
  server.child.kill('SIGTERM')
  await waitUntilRefused(server)
  request.end(create(token, 2) + create(token, 3))
  const received = await request.closed
  expect(received.match(/^HTTP.*$/gm)).toEqual(['HTTP/1.1 200 OK'])
  expect(received).toMatch(/^connection: close\r$/im)
  expect(await server.ended).toBe(0)
  expect(existsSync(`${file}-wal`)).toBe(false)
  expect(namesIn(file)).toEqual(['1'])
})

test('a second signal ends the server at once and loses no acknowledged write', async () => {
  const { file, token, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_GRACE: '600' })
  expect(await server.create(1)).toBe(200)
  await beginRequest(server, create(token, 2))
  server.child.kill('SIGTERM')
  await waitUntilRefused(server)
  while (server.child.exitCode === null) {
    server.child.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(await server.ended).toBe(1)
  expect(namesIn(file)).toEqual(['1'])
})

test('a stopping server responds to every client until it takes no more connections', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve({ SHUTDOWN_DELAY: '1' })
  const { hostname, port } = new URL(server.origin)
  const request = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  const ends: Record<string, number> = {}

  /** Sends requests on new connections until one fails. */
  async function ask(): Promise<void> {
    for (;;) {
      const socket = connect(Number(port), hostname)
      try {
        await once(socket, 'connect')
        socket.write(request)
        const [received] = (await once(socket, 'data')) as [Buffer]
        if (!received.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(received.toString('latin1'))
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
