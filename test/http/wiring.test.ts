import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { handlers } from '../../src/handlers.ts'
import { expectFailure } from '../support/responses/expected-contract.ts'
import { startApp, temporaryStore } from '../support/server/start-app.ts'

const requests = [
  { method: 'GET', url: '/plants' },
  { method: 'POST', url: '/plants', body: { id: 1, name: 'a' } },
  { method: 'DELETE', url: '/plants/1' },
]

test.each([undefined, 600])(
  'the start warns of no failure that breaks the contract (rate limit %s)',
  async (rateLimit) => {
    const { logLines } = await startApp({ rateLimit })
    expect(logLines).toEqual([])
  },
)

test('an unavailable store gives 503 with Retry-After and no error in the log', async () => {
  const unavailable = () => Promise.resolve('unavailable' as const)
  const all = { list: unavailable, create: unavailable, delete: unavailable }
  for (const broken of [all, { findCaller: unavailable }]) {
    const { send, logLines } = await startApp({ store: { ...(await temporaryStore()), ...broken } })
    for (const request of requests) {
      const response = await send(request)
      expectFailure(response, 'unavailable')
      expect([response.headers['retry-after'], response.headers['www-authenticate']]).toEqual(['1', undefined])
    }
    expect(logLines.filter((line) => line.includes('"level":50'))).toEqual([])
  }
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
