import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { signalOf } from 'fastify-contract'
import { describe, expect, test } from 'vitest'
import { openSocket } from './support/exchange.ts'
import { quiet } from './support/quiet.ts'
import { bothServers, failures, ok, serve } from './support/serve.ts'

const lines = { 200: { description: '', content: { 'application/jsonl': { itemSchema: {} } } }, ...failures }
const bytes = { 200: { description: '', content: { 'application/octet-stream': {} } }, ...failures }
const operation = (operationId: string, responses: object) => ({ get: { operationId, security: [], responses } })

/** Serves a stream that never has an item or a chunk, behind a handler that waits. */
async function serveQuiet(isGuest: boolean, responses: object, handled: Promise<unknown> = Promise.resolve()) {
  const { body, seen: ofStream } = quiet()
  const seen = Object.assign(ofStream, { opened: 0, aborted: 0 })
  const { app, listen } = await serve({
    paths: { '/quiet': operation('quiet', responses), '/other': operation('other', { ...ok, ...failures }) },
    handlers: {
      quiet: async (_input: object, { request }: { request: FastifyRequest }) => {
        seen.opened++
        await handled
        const signal = signalOf(request)
        if (signal.aborted) seen.aborted++
        else signal.addEventListener('abort', () => seen.aborted++)
        return { status: 200, body }
      },
      other: () => ({ status: 200, body: 'x'.repeat(1_000) }),
    },
    isGuest,
  })
  const origin = await listen()
  const count = promisify(app.server.getConnections.bind(app.server))
  const connections = () => count()
  return { origin, seen, connections }
}

const get = 'GET /quiet HTTP/1.1\r\nHost: a\r\n'
const other = 'GET /other HTTP/1.1\r\nHost: a\r\n\r\n'

const requests: Record<string, string> = {
  'a request': `${get}\r\n`,
  'a request of HTTP/1.0': 'GET /quiet HTTP/1.0\r\n\r\n',
  'a request that closes the connection': `${get}Connection: close\r\n\r\n`,
  'a request with another one behind it': `${get}\r\n${other}`,
  'a request with more behind it than a server reads': `${get}\r\n${other.repeat(5_000)}`,
  'a request with a long body that nobody reads': `${get}Content-Length: 900000\r\n\r\n${'x'.repeat(300_000)}`,
  'a request with chunks that nobody reads': `${get}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(60_000)}`,
  'a request behind another one': `${other}${get}\r\n`,
  'a request behind a quiet one': `${get}\r\n${get}\r\n`,
}

const ways = ['end', 'resetAndDestroy'] as const
const times = ['at once', 'before the handler returns', 'after the headers'] as const

describe.each(bothServers)('%s notices that the client of a quiet stream has left', (_what, isGuest) => {
  test.each(times)('%s', async (time) => {
    const leave = async (bytes: string, way: (typeof ways)[number]) => {
      const { promise: left, resolve: goOn } = Promise.withResolvers()
      const { origin, seen, connections } = await serveQuiet(isGuest, lines, left)
      const socket = await openSocket(origin)
      socket.on('error', () => undefined).resume()
      socket.write(bytes)
      if (time !== 'at once') await expect.poll(() => seen.opened).toBeGreaterThan(0)
      if (time !== 'before the handler returns') goOn(undefined)
      if (time === 'after the headers') await once(socket, 'data')
      socket[way]()
      await delay(100)
      goOn(undefined)
      await expect.poll(connections).toBe(0)
      await expect.poll(() => [seen.closed, seen.aborted]).toEqual([seen.opened, seen.opened])
    }
    const all = Object.entries(requests).flatMap(([name, bytes]) => ways.map((way) => ({ name, bytes, way })))
    const results = await Promise.allSettled(all.map(({ bytes, way }) => leave(bytes, way)))
    expect(all.filter((_one, index) => results[index]?.status === 'rejected')).toEqual([])
  })
})

test.each(bothServers)('%s notices that the client of a quiet stream of bytes has left', async (_what, isGuest) => {
  for (const request of ['a request', 'a request of HTTP/1.0', 'a request with a long body that nobody reads']) {
    const { origin, seen, connections } = await serveQuiet(isGuest, bytes)
    const socket = await openSocket(origin)
    socket.on('error', () => undefined).resume()
    socket.write(requests[request] ?? '')
    await expect.poll(() => seen.opened).toBe(1)
    await delay(100)
    socket.end()
    await expect.poll(connections, { timeout: 10_000 }).toBe(0)
    await expect.poll(() => [seen.closed, seen.aborted]).toEqual([1, 1])
  }
})

test('a client that has ended its side gets the items that flow, also with another request behind', async () => {
  const items = async function* () {
    for (let item = 1; item <= 12; item++) {
      await delay(100)
      yield item
    }
  }
  const { listen } = await serve({
    paths: { '/': operation('flow', lines) },
    handlers: { flow: () => ({ status: 200, body: items() }) },
  })
  const origin = await listen()
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const [bytes, answers] of [
    [get, 1],
    [get + get, 2],
  ] as const) {
    const socket = await openSocket(origin, true)
    socket.end(bytes)
    const received = await text(socket)
    expect(received.split('12\n\r\n0\r\n\r\n')).toHaveLength(answers + 1)
  }
})
