import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { startApp, temporaryFolder } from '../../support/server/start-app.ts'

const waitMilliseconds = 100

/** Holds the event loop up, as work that takes too long does. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** Has a request waiting at the server while the event loop is held up. @returns its answer */
async function requestDuring(origin: string, path: string, token: string, milliseconds: number): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  // The server has taken the connection after a turn of the event loop.
  await delay(20)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  // The bytes are with the kernel now, and the loop has not looked for requests again.
  block(milliseconds)
  await once(socket, 'close')
  return received
}

test('a request that has waited too long is refused with 503 and Retry-After, and the next one is served', async () => {
  const { listen, token } = await startApp({ limits: { waitMilliseconds } })
  const origin = await listen()
  const answer = await requestDuring(origin, '/plants', token, 3 * waitMilliseconds)
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  expectFailure({ status: Number(head.split(' ')[1]), text }, 'unavailable')
  expect(head).toMatch(/\r\nretry-after: 1(\r\n|$)/i)
  expect(head).toMatch(/\r\nx-request-id: /i)
  expect((await fetch(`${origin}/plants`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
})

test('whether the server is alive and ready is answered however long it has waited', async () => {
  const { listen, token } = await startApp({ limits: { waitMilliseconds } })
  const origin = await listen()
  for (const path of ['/livez', '/readyz'])
    expect(await requestDuring(origin, path, token, 3 * waitMilliseconds)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a request after a long time without any has not waited', async () => {
  const { listen, token } = await startApp({ limits: { waitMilliseconds } })
  const origin = await listen()
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  await delay(3 * waitMilliseconds)
  socket.write(`GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
})

test('when the queue of writes is full the next write is refused at once, and reads go on', async () => {
  const file = join(await temporaryFolder(), 'plants.db')
  const store = openSqliteStore({ file, onFault: () => undefined, maxQueued: 3, lockTimeoutMilliseconds: 60_000 })
  onTestFinished(() => store.close())
  const { send } = await startApp({ store })
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = [1, 2, 3].map((id) => send({ method: 'POST', url: '/plants', body: { id, name: 'a' } }))
  await delay(50)
  const refused = await send({ method: 'POST', url: '/plants', body: { id: 4, name: 'a' } })
  expectFailure(refused, 'unavailable')
  expect(refused.headers['retry-after']).toBe('1')
  expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
  other.exec('ROLLBACK')
  other.close()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
})
