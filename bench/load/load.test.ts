import { once } from 'node:events'
import { type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type LoadJob, load } from './load.ts'

/** Loads a server with this listener. */
async function loadOn(listener: RequestListener, job: Partial<LoadJob> = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  // A server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo
  const list = { kind: 'list', path: '/plants' } as const
  const common = { port, token: 'token', operation: list, connections: 3, maxRequests: 30, maxMilliseconds: 10_000 }
  return load({ ...common, ...job })
}

test('a response in pieces or chunks is counted once', async () => {
  let responses = 0
  const result = await loadOn((_request, response) => {
    if (responses++ % 2 === 0) response.writeHead(200, { 'content-length': 100_000 })
    response.write('a'.repeat(60_000))
    void nextTurn().then(() => response.end('b'.repeat(40_000)))
  })
  expect(result).toMatchObject({ requests: 30, statuses: { 200: 30 }, firstBodyBytes: 100_000 })
})

test('requests at a rate do not wait for responses; missing ones are counted', async () => {
  const { offered } = await loadOn(() => undefined, { rate: 1_000, maxMilliseconds: 300 })
  expect(offered).toMatchObject({ unanswered: 3, responses: [] })
  expect(offered?.unsent).toBeGreaterThan(5)
})

test('a connection closed before its response fails the load', async () => {
  await expect(loadOn((_request, response) => response.socket?.end())).rejects.toThrow('closed the connection')
})
