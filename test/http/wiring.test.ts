import { once } from 'node:events'
import { connect } from 'node:net'
import { Encoded } from 'fastify-contract/encoded'
import { expect, onTestFinished, test } from 'vitest'
import { handlers } from '../../src/handlers.ts'
import type { Store } from '../../src/store/store.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { startApp, temporaryStore } from '../support/server/start-app.ts'

const requests = [
  { method: 'GET', url: '/plants' },
  { method: 'POST', url: '/plants', body: { id: 1, name: 'a' } },
  { method: 'DELETE', url: '/plants/1' },
]
const wrong = new Error('the secret of the house')

function errorLines(logLines: string[]): Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ level }) => Number(level) >= 50)
}

async function storeWith(broken: Partial<Store>): Promise<Store> {
  return { ...(await temporaryStore()), ...broken }
}

test.each([undefined, 600])(
  'the start warns of no failure that breaks the contract (rate limit %s)',
  async (rateLimit) => {
    const { logLines } = await startApp({ rateLimit })
    expect(logLines).toEqual([])
  },
)

test('an error of the store gives an opaque 500 and one log entry with the request id', async () => {
  const fail = () => Promise.reject(wrong)
  for (const broken of [{ list: fail, create: fail, delete: fail }, { findCaller: fail }]) {
    for (const request of requests) {
      const { send, logLines } = await startApp({ store: await storeWith(broken) })
      const response = await send({ ...request, headers: { 'x-request-id': 'mine' } })
      expect(expectFailure(response, 'internal')).toContain('X-Request-Id')
      expect(response.text).not.toMatch(/secret|Error|\.ts/)
      expect(errorLines(logLines)).toMatchObject([{ requestId: 'mine', err: { message: wrong.message } }])
    }
  }
})

test('an unavailable store gives 503 with Retry-After and no error in the log', async () => {
  const unavailable = () => Promise.resolve('unavailable' as const)
  const all = { list: unavailable, create: unavailable, delete: unavailable }
  for (const broken of [all, { findCaller: unavailable }]) {
    for (const request of requests) {
      const { send, logLines } = await startApp({ store: await storeWith(broken) })
      const response = await send(request)
      expectFailure(response, 'unavailable')
      expect([response.headers['retry-after'], response.headers['www-authenticate']]).toEqual(['1', undefined])
      expect(errorLines(logLines)).toEqual([])
    }
  }
})

test('a list that fails while it is sent is cut off visibly, and the error is logged', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.from('[{"name":"a"}')
    await new Promise(setImmediate)
    throw wrong
  }
  const { token, listen, logLines } = await startApp({
    store: await storeWith({ list: () => Promise.resolve(new Encoded(failing())) }),
  })
  const response = await fetch(`${await listen()}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  await expect.poll(() => logLines.filter((line) => line.includes('response cut off'))).toHaveLength(1)
  expect(errorLines(logLines)).toMatchObject([{ err: { message: wrong.message } }])
})

test('a request refused with its connection is counted, and logged in one line', async () => {
  const answered: unknown[] = []
  const { listen, logLines } = await startApp({
    handlers,
    observer: { answered: (...values) => void answered.push(values.slice(0, 2)), contractBroken: () => undefined },
  })
  const response = await fetch(await listen(), { headers: { 'x-long': 'x'.repeat(20_000) } })
  expect(response.status).toBe(431)
  expect(answered).toEqual([[undefined, 431]])
  expect(logLines.filter((line) => line.includes('connection refused'))).toHaveLength(1)
})

/** Creates a plant, to which a handler replies with what the compiler would refuse. */
async function createdAs(body: object) {
  const broken: string[] = []
  const createPlant = (() => ({ status: 200, body })) as unknown as (typeof handlers)['createPlant']
  const { send, logLines } = await startApp({
    handlers: { ...handlers, createPlant },
    observer: { answered: () => undefined, contractBroken: (id) => void broken.push(id) },
  })
  const response = await send({ method: 'POST', url: '/plants', body: { id: 1, name: 'a' } })
  expect(broken).toEqual(['createPlant'])
  expect(response.text + logLines.join()).not.toContain('secret')
  return { response, log: logLines.join() }
}

test('a reply that breaks the contract becomes 500, and is logged and counted', async () => {
  const { response, log } = await createdAs({ name: ['secret'] })
  expectFailure(response, 'internal')
  expect(log).toContain('the 200 reply of createPlant breaks the contract: body/name must be a string')
})

test('an undeclared property of a reply is dropped, logged and counted', async () => {
  const { response, log } = await createdAs({ name: 'a', caller: 'secret' })
  expect([response.status, response.text]).toEqual([200, '{"name":"a"}'])
  expect(log).toContain('was sent without an undeclared property: body/caller is not a property here')
})

test('the connection closes after a malformed body if the client has ended its side', async () => {
  const { listen, token } = await startApp()
  const { hostname, port } = new URL(await listen())
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const head = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  socket.end(`${head}Content-Length: 6\r\n\r\n{"id":`)
  await once(socket.resume(), 'end')
})
