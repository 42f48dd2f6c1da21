import { EventEmitter, on, once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { signalOf } from 'fastify-contract'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ask, openSocket } from './support/exchange.ts'
import { type Shop, bothServers, failures, serve } from './support/serve.ts'

const int64 = { type: 'integer', format: 'int64' }
const pet = { type: 'object', required: ['id'], properties: { id: int64, name: { type: 'string' } } }
const event = {
  type: 'object',
  properties: { event: { type: 'string' }, id: { type: 'string' }, retry: { type: 'integer' }, data: {} },
}
const nullable = {
  type: 'object',
  properties: Object.fromEntries(['event', 'id', 'retry', 'data'].map((name) => [name, { type: ['string', 'null'] }])),
}
const lines = 'application/jsonl'
const events = 'text/event-stream'

type Items = (request: FastifyRequest) => unknown

interface Watched extends Shop {
  type?: string
  media?: object
}

/** Serves a stream of items at a real address. */
async function watch(items: Items, { type = lines, media = { itemSchema: pet }, ...more }: Watched = {}) {
  const onContractBroken = vi.fn<() => void>()
  const content = { [type]: media }
  const operation = {
    operationId: 'watch',
    security: [],
    responses: { 200: { description: '', content }, ...failures },
  }
  const other = { operationId: 'other', security: [], responses: { 204: { description: '' }, ...failures } }
  const { app, listen, lines } = await serve({
    paths: { '/items': { get: operation }, '/other': { get: other } },
    handlers: {
      watch: (_input: object, { request }: { request: FastifyRequest }) => ({ status: 200, body: items(request) }),
      other: () => ({ status: 204 }),
    },
    ...more,
    options: { onContractBroken },
  })
  const origin = await listen()
  const faults = () => lines().filter(({ level }) => Number(level) >= 40)
  return { app, origin, url: `${origin}/items`, faults, onContractBroken }
}

async function* listed(...items: unknown[]): AsyncGenerator {
  for (const item of items) {
    await nextIteration()
    yield item
  }
}

const large = { id: 9007199254740993n, name: 'ç\n"' }

test.each<[type: string, body: string, items: unknown[], media?: object]>([
  [lines, '{"id":9007199254740993,"name":"ç\\n\\""}\n{"id":2}\n', [large, { id: 2n }]],
  ['application/x-ndjson', '{"id":1}\n', [{ id: 1n }]],
  ['application/json-seq', '\u001e{"id":1}\n\u001e{"id":2}\n', [{ id: 1n }, { id: 2n }]],
  ['application/geo+json-seq', '\u001e{"id":1}\n', [{ id: 1n }]],
  [events, 'event: a\nid: 1\nretry: 10\ndata: b\n\n', [{ data: 'b', retry: 10, id: '1', event: 'a' }], event],
  [events, 'data: a\ndata: b\ndata: c\ndata: \ndata: \n\n', [{ data: 'a\nb\r\nc\r\r' }], event],
  [events, 'data: \n\ndata:  a\n\n', [{ data: '' }, { data: ' a' }], event],
  [events, 'data: {"id":9007199254740993,"name":"ç\\n\\""}\n\n', [{ data: large }], { properties: { data: pet } }],
  [
    events,
    'data: a\n\nid: 1\n\n',
    [
      { event: null, data: 'a', retry: null },
      { id: '1', data: null },
    ],
    nullable,
  ],
  [events, 'event: 5\n\n', [{ event: 5 }], { type: 'object', properties: { event: { type: 'integer' } } }],
  [lines, '', []],
  [lines, '"a"\nnull\n', ['a', null], { type: ['string', 'null'] }],
])('items are framed as %s says: %j', async (type, body, items, itemSchema = pet) => {
  const { url, faults } = await watch(() => listed(...items), { type, media: { itemSchema } })
  const response = await fetch(url)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    type === events ? 'text/event-stream; charset=utf-8' : type,
  ])
  expect(await response.text()).toBe(body)
  expect(faults()).toEqual([])
})

test('a text has quotation marks if the data of every event is JSON', async () => {
  const media = { itemSchema: event, 'x-event-data': 'json' }
  const { url } = await watch(() => listed({ data: 'a' }, { data: 1 }), { type: events, media })
  expect(await (await fetch(url)).text()).toBe('data: "a"\n\ndata: 1\n\n')
})

test('undeclared properties of items are dropped, logged once and reported once', async () => {
  const items = () => listed({ id: 1n }, { id: 2n, secret: 'a' }, { id: 3n, secret: 'b' })
  const { url, faults, onContractBroken } = await watch(items)
  expect(await (await fetch(url)).text()).toBe('{"id":1}\n{"id":2}\n{"id":3}\n')
  const msg = 'dropped from the 200 reply of watch: item 2: item/secret is not declared'
  expect(faults()).toMatchObject([{ msg, reqId: expect.any(String) as string }])
  expect(onContractBroken.mock.calls).toEqual([['watch']])
})

test.each<[wrong: unknown, problem: string, type?: string, itemSchema?: object]>([
  [{ id: 1n, name: 1 }, 'item/name must be a string'],
  [undefined, 'item is undefined'],
  [Symbol('a'), 'item is not JSON', lines, {}],
  [{ event: 'a\nb' }, 'item/event has a line break, which no client could read', events, event],
  [{ id: 'a\0' }, 'item/id has a line break or U+0000, which no client could read', events, event],
  [{ retry: -1 }, 'item/retry is not a number of milliseconds', events, event],
  [{}, 'item has no event, id, retry or data', events, event],
])('a wrong item ends the stream and is reported: %o', async (wrong, problem, type = lines, itemSchema = pet) => {
  const right = type === lines ? { id: 1n } : { data: 'a' }
  let isClosed = false
  const { url, faults, onContractBroken } = await watch(
    async function* () {
      try {
        await nextIteration()
        yield right
        yield wrong
        yield right
      } finally {
        isClosed = true
      }
    },
    { type, media: { itemSchema } },
  )
  const response = await fetch(url)
  const received: string[] = []
  const reading = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) received.push(chunk)
  }
  await expect(reading()).rejects.toThrow()
  expect(received.join('')).toBe(type === lines ? '{"id":1}\n' : 'data: a\n\n')
  await expect
    .poll(faults)
    .toMatchObject([{ err: { message: `the 200 reply of watch breaks the contract: item 2: ${problem}` } }])
  expect(onContractBroken.mock.calls).toEqual([['watch']])
  expect(isClosed).toBe(true)
})

test('an item that cannot be read or written ends the stream', async () => {
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  const failing = {
    get id() {
      throw new Error('out of water')
    },
  }
  for (const [item, message] of [
    [circular, 'circular'],
    [failing, 'out of water'],
  ] as const) {
    const { url, faults } = await watch(() => listed({}, item), { media: { itemSchema: {} } })
    const response = await fetch(url)
    await expect(response.text()).rejects.toThrow()
    await expect.poll(faults).toMatchObject([{ err: { message: expect.stringContaining(message) as string } }])
  }
})

describe('a stream that fails before its first item gives 500, and is logged once', () => {
  const fault = new Error('out of water')
  const fail = () => {
    throw fault
  }
  async function* failing(): AsyncGenerator {
    yield await nextIteration().then(fail)
  }

  test.each<[string, Items, string]>([
    ['a wrong item', () => listed({ id: 'b' }), 'item 1: item/id must be an integer'],
    ['a generator that throws', () => failing(), 'out of water'],
    ['an iterator that throws', () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }), 'out of water'],
    ['a stream that is destroyed', () => new Readable({ objectMode: true }).destroy(fault), 'out of water'],
    ['a list', () => [{ id: 1n }], 'the body is not an async iterable of items'],
    ['a generator that is not asynchronous', () => [].values(), 'the body is not an async iterable of items'],
    ['a text', () => 'a', 'the body is not an async iterable of items'],
  ])('%s', async (_what, items, message) => {
    const { url, faults } = await watch(items)
    const response = await fetch(url)
    expect([response.status, await response.json()]).toMatchObject([500, { failure: 'internal' }])
    expect(faults()).toMatchObject([{ err: { message: expect.stringContaining(message) as string } }])
  })
})

/** Endless items, and what became of them. */
function endless(item: unknown, wait: () => unknown = () => undefined) {
  const seen = { drawn: 0, isClosed: false }
  async function* generate(): AsyncGenerator {
    try {
      for (;;) {
        await wait()
        seen.drawn++
        yield item
      }
    } finally {
      seen.isClosed = true
    }
  }
  return { seen, generate }
}

describe.each(bothServers)('on %s', (_what, isGuest) => {
  test('a client that leaves ends the generator', async () => {
    const { seen, generate } = endless({ id: 1n }, () => delay(5))
    const { url, faults } = await watch(generate, { isGuest })
    const socket = await ask(url)
    await once(socket, 'data')
    socket.destroy()
    await expect.poll(() => seen.isClosed).toBe(true)
    expect(faults()).toEqual([])
  })

  test('a client that has left before the handler returns ends a stream without items', async () => {
    const { promise: left, resolve: goOn } = Promise.withResolvers<unknown>()
    const body = new Readable({ objectMode: true, read: () => undefined })
    const { app, url } = await watch(() => body, { isGuest, before: (app) => app.addHook('preHandler', () => left) })
    const socket = await openSocket(url)
    socket.end('GET /items HTTP/1.1\r\nHost: a\r\n\r\n')
    await delay(50)
    goOn(undefined)
    await expect.poll(() => body.closed).toBe(true)
    await expect.poll(() => promisify(app.server.getConnections.bind(app.server))()).toBe(0)
  })

  test('an item is drawn when the client has taken those before', async () => {
    const { seen, generate } = endless({ id: 1n, name: 'a'.repeat(1_000_000) })
    const { url } = await watch(generate, { isGuest })
    const socket = await ask(url)
    await once(socket, 'data')
    socket.pause()
    // Until the sockets are full: the kernel keeps some megabytes.
    let drawn = 0
    while (drawn !== seen.drawn) {
      drawn = seen.drawn
      await delay(100)
    }
    expect(drawn).toBeLessThan(20)
    socket.resume()
    await expect.poll(() => seen.drawn).toBeGreaterThan(drawn)
  })

  test('items that are always ready do not keep other clients waiting', async () => {
    const { generate } = endless({ id: 1n })
    const { origin, url } = await watch(generate, { isGuest })
    const sockets = await Promise.all(Array.from({ length: 20 }, () => ask(url)))
    for (const socket of sockets) socket.resume()
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    const start = performance.now()
    expect((await fetch(`${origin}/other`)).status).toBe(204)
    expect(performance.now() - start).toBeLessThan(3_000)
  })

  test('the headers arrive before the first item', async () => {
    const { promise: first, resolve: draw } = Promise.withResolvers<unknown>()
    const { seen, generate } = endless({ id: 1n }, () => first)
    const { url } = await watch(generate, { isGuest })
    // fetch of Node 22 would connect again, and the connection would keep the server from closing.
    const socket = await ask(url)
    const [head] = (await once(socket, 'data')) as [Buffer]
    expect([String(head).split('\r\n', 1)[0], seen.drawn]).toEqual(['HTTP/1.1 200 OK', 0])
    socket.destroy()
    draw(undefined)
    await expect.poll(() => seen.isClosed).toBe(true)
  })

  test('a client of HTTP/1.0 gets the items, and sees a failure', async () => {
    let wrong: unknown = { id: 2n }
    const { url } = await watch(() => listed({ id: 1n }, wrong), { isGuest })
    const read = async () => {
      const socket = await ask(url, '1.0')
      return (await text(socket)).replace(/^[^]*\r\n\r\n/, '')
    }
    expect(await read()).toBe('{"id":1}\n{"id":2}\n')
    wrong = {}
    await expect(read()).rejects.toThrow('ECONNRESET')
  })

  test('HEAD starts no stream', async () => {
    const { seen, generate } = endless({ id: 1n })
    const { url } = await watch(generate, { isGuest })
    const response = await fetch(url, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type'), seen]).toEqual([
      200,
      lines,
      { drawn: 0, isClosed: false },
    ])
  })
})

/** Replaces the timers, but not those of Node's sockets. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('a quiet stream outlives the time limit of idle connections', async () => {
  async function* generate(): AsyncGenerator {
    yield { id: 1n }
    await delay(900)
    yield { id: 2n }
  }
  const { url, faults } = await watch(generate, { limits: { socketIdleMilliseconds: 300 } })
  expect(await (await fetch(url)).text()).toBe('{"id":1}\n{"id":2}\n')
  expect(faults()).toEqual([])
})

test('a time limit ends a stream whose client stops reading', async () => {
  const { seen, generate } = endless({ id: 1n, name: 'a'.repeat(100_000) })
  const { url } = await watch(generate, { limits: { socketIdleMilliseconds: 100 } })
  const socket = await ask(url)
  await once(socket, 'data')
  socket.pause()
  await expect.poll(() => seen.isClosed).toBe(true)
})

test('a stream is refused if too many items are unread', async () => {
  const { seen, generate } = endless({ id: 1n, name: 'a'.repeat(100_000) })
  const { url } = await watch(generate, { limits: { unreadBytes: 50_000 } })
  const first = await ask(url)
  await once(first, 'data')
  first.pause()
  await expect.poll(async () => (await fetch(url, { method: 'HEAD' })).status).toBe(503)
  first.destroy()
  await expect.poll(() => seen.isClosed).toBe(true)
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
})

test.each(bothServers)('a shutdown ends the streams of %s within its grace', async (_what, isGuest) => {
  const { seen, generate } = endless({ id: 1n }, () => delay(5))
  if (isGuest) useFakeTimers()
  const { app, url } = await watch(generate, { isGuest, limits: { shutdownGraceMilliseconds: 500 } })
  // Where the end of the connection is that of the body.
  const socket = await ask(url, '1.0')
  const error = once(socket, 'end').catch((thrown: unknown) => thrown)
  await once(socket, 'data')
  const closing = app.close()
  if (isGuest) await vi.advanceTimersByTimeAsync(8_000)
  await closing
  await expect.poll(() => seen.isClosed).toBe(true)
  expect(await error).toMatchObject({ code: 'ECONNRESET' })
})

test('a thousand open streams do not keep other clients waiting', async () => {
  const bus = new EventEmitter().setMaxListeners(0)
  const seen = { open: 0 }
  const { origin, url } = await watch(async function* (request) {
    seen.open++
    try {
      for await (const [item] of on(bus, 'item', { signal: signalOf(request) })) yield item
    } finally {
      seen.open--
    }
  })
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => ask(url)))
  let received = 0
  for (const socket of sockets) socket.on('data', (chunk: Buffer) => (received += chunk.includes('{"id":54}') ? 1 : 0))
  await expect.poll(() => seen.open).toBe(1_000)
  bus.emit('item', { id: 54n })
  const start = performance.now()
  expect((await fetch(`${origin}/other`)).status).toBe(204)
  expect(performance.now() - start).toBeLessThan(3_000)
  await expect.poll(() => received).toBe(1_000)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => seen.open).toBe(0)
})
