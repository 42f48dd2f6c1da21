import { once } from 'node:events'
import { createReadStream, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises'
import { Encoded } from 'fastify-contract/encoded'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BodyStream } from '../../src/engine/body-stream.ts'
import { ask } from './support/exchange.ts'
import { type Shop, failures, serve } from './support/serve.ts'

const header = { schema: { type: 'string' } }
const paths = {
  '/file': {
    get: {
      operationId: 'getFile',
      security: [],
      responses: {
        200: {
          description: 'The file.',
          headers: { 'Content-Encoding': header, 'Cache-Control': header },
          content: { 'application/octet-stream': {}, 'application/json': { schema: { type: 'object' } } },
        },
        304: { description: 'The same file.' },
        ...failures,
      },
    },
  },
}

/** Serves a handler at a real address. */
async function serveFile(getFile: () => unknown, limits: Shop['limits'] = {}) {
  const { listen, lines } = await serve({ paths, handlers: { getFile }, limits })
  const faults = () => lines().filter(({ level }) => Number(level) >= 40)
  return { url: `${await listen()}/file`, faults }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'streams-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A stream for a body, and whether it is closed. */
interface Source {
  body: AsyncIterable<Uint8Array>
  isClosed: () => boolean | Promise<boolean>
}

const chunk = Buffer.alloc(16_384)

/** Streams that are endless, or longer than a client that does not read receives. */
const sources: Record<string, () => Source | Promise<Source>> = {
  'a file': async () => {
    const file = join(await temporaryFolder(), 'file')
    await writeFile(file, '')
    await truncate(file, 32 * 1_024 * 1_024)
    const body = createReadStream(file)
    return { body, isClosed: () => body.closed }
  },
  'a stream of the web': () => {
    let isClosed = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(chunk)
      },
      cancel: () => {
        isClosed = true
      },
    })
    return { body, isClosed: () => isClosed }
  },
  'a generator': () => {
    async function* generate(): AsyncGenerator<Uint8Array> {
      // Each chunk is ready at once.
      for (;;) yield await Promise.resolve(chunk)
    }
    const body = generate()
    return { body, isClosed: async () => (await body.next()).done === true }
  },
}

const contentType = 'application/octet-stream'

describe.each(Object.entries(sources))('the stream of a reply is closed: %s', (_kind, open) => {
  test('after a HEAD request', async () => {
    const { body, isClosed } = await open()
    const { url } = await serveFile(() => ({ status: 200, body, contentType }))
    const response = await fetch(url, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null])
    await expect.poll(isClosed).toBe(true)
  })

  test('if the client leaves before the handler returns', async () => {
    const { body, isClosed } = await open()
    const [asked, left] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    const { url } = await serveFile(async () => {
      asked.resolve(undefined)
      await left.promise
      return { status: 200, body, contentType }
    })
    const socket = await ask(url)
    await asked.promise
    socket.resetAndDestroy()
    await delay(50)
    left.resolve(undefined)
    await expect.poll(isClosed).toBe(true)
  })

  test('if the client stops reading and leaves', async () => {
    const { body, isClosed } = await open()
    const { url, faults } = await serveFile(() => ({ status: 200, body, contentType }))
    const socket = await ask(url)
    await once(socket, 'data')
    socket.pause()
    await delay(50)
    socket.destroy()
    await expect.poll(isClosed).toBe(true)
    expect(faults()).toEqual([])
  })
})

test('a stream whose chunks are always ready does not keep the rest of the process waiting', async () => {
  const total = 100_000
  let taken = 0
  const stream = new BodyStream(Readable.from(Array.from({ length: total }, () => Buffer.of(1))))
  // A socket takes what the kernel takes at once.
  const sink = new Writable({
    write(_chunk, _encoding, callback) {
      taken++
      callback()
    },
  })
  const end = once(stream.pipe(sink), 'finish')
  await nextIteration()
  await nextIteration()
  expect(taken).toBeLessThan(total / 2)
  await end
  expect(taken).toBe(total)
})

test.each<[string, object]>([
  ['a header that is not declared', { status: 200, headers: { 'X-Other': 'a' }, contentType }],
  ['a header that HTTP does not allow', { status: 200, headers: { 'Content-Encoding': 'a\nb' }, contentType }],
  ['a status without content', { status: 304 }],
  ['a media type that is not declared', { status: 200, contentType: 'image/png' }],
  ['a media type that is missing', { status: 200 }],
  ['a stream as JSON', { status: 200, contentType: 'application/json' }],
  ['encoded JSON of another media type', { status: 200, contentType, isEncoded: true }],
])('the stream of a reply that breaks the contract is closed: %s', async (_what, reply) => {
  const { body, isClosed } = await sources['a generator']!()
  // The chunks of this source are buffers.
  const sent = 'isEncoded' in reply ? new Encoded(body as AsyncIterable<Buffer>) : body
  const { url, faults } = await serveFile(() => ({ ...reply, body: sent }))
  const response = await fetch(url)
  expect([response.status, await response.json()]).toMatchObject([500, { failure: 'internal' }])
  expect(faults()).toHaveLength(1)
  await expect.poll(isClosed).toBe(true)
})

test('the stream of a reply is closed if too many responses are unread', async () => {
  const { body, isClosed } = await sources['a generator']!()
  const { url } = await serveFile(() => ({ status: 200, body, contentType }), { unreadBytes: 0 })
  expect((await fetch(url)).status).toBe(503)
  await expect.poll(isClosed).toBe(true)
})

/** The files that this process has open. */
function openFiles(): string[] {
  const folder = '/proc/self/fd'
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))]
    } catch {
      // It was closed meanwhile, as the folder's own descriptor.
      return []
    }
  })
}

test('no file stays open if replies with it are not sent', async () => {
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, Buffer.alloc(1_024 * 1_024))
  let calls = 0
  const { url } = await serveFile(() => {
    const body = createReadStream(file)
    return calls++ % 2 === 0 ? { status: 304, body } : { status: 200, body, contentType }
  })
  for (let round = 0; round < 20; round++) {
    await fetch(url, { method: 'HEAD' })
    ;(await ask(url)).destroy()
    await (await fetch(url)).body?.cancel()
  }
  await expect.poll(() => openFiles().filter((path) => path === file)).toEqual([])
})

const fault = new Error('out of water')
const fail = () => {
  throw fault
}

/** Streams that fail at once. */
const failing: Record<string, () => AsyncIterable<unknown>> = {
  'a file that is missing': () => createReadStream('/no/such/file'),
  'a stream that is destroyed already': () => new Readable().destroy(fault),
  'a stream of the web': () =>
    new ReadableStream({
      start: (controller) => {
        controller.error(fault)
      },
    }),
  'a generator': async function* () {
    await nextIteration()
    throw fault
  },
  'an iterator that throws': () => ({ [Symbol.asyncIterator]: () => ({ next: fail, return: fail }) }),
  'a chunk that is a number': () => Readable.from([54]),
  'a stream that somebody else reads': () => {
    const body = new ReadableStream()
    body.getReader()
    return body
  },
}

describe.each(Object.entries(failing))('a stream that fails before its first byte: %s', (_kind, open) => {
  test('gives 500 without the headers of the reply, and is logged once', async () => {
    const headers = { 'Content-Encoding': 'gzip', 'Cache-Control': 'max-age=60' }
    const { url, faults } = await serveFile(() => ({
      status: 200,
      headers,
      body: open(),
      contentType,
    }))
    const response = await fetch(url)
    expect([response.status, await response.json()]).toMatchObject([500, { failure: 'internal' }])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    expect(response.headers.has('content-encoding')).toBe(false)
    expect(faults()).toHaveLength(1)
  })

  test('does no harm if it is not sent', async () => {
    let reply: object = { status: 200, contentType }
    const { url } = await serveFile(() => ({ ...reply, body: open() }))
    expect((await fetch(url, { method: 'HEAD' })).status).toBeGreaterThanOrEqual(200)
    ;(await ask(url)).resetAndDestroy()
    reply = { status: 304 }
    expect((await fetch(url)).status).toBe(500)
  })
})

describe('a stream that fails in the middle', () => {
  const first = Buffer.from('the first')

  /** A stream of one chunk and the result of `next`. */
  async function* chunks(next: () => Buffer): AsyncGenerator<Buffer> {
    yield first
    await nextIteration()
    yield next()
  }

  test.each<[string, () => unknown]>([
    ['a generator that throws', () => chunks(fail)],
    ['encoded JSON that throws', () => new Encoded(chunks(fail))],
    [
      'a stream that is destroyed without an error',
      () => {
        const body = new Readable({ read: () => undefined })
        body.push(first)
        setTimeout(() => body.destroy(), 50)
        return body
      },
    ],
    // The compiler would refuse this.
    ['a chunk that is not bytes', () => chunks(() => ({ a: 1 }) as unknown as Buffer)],
  ])('closes the connection and is logged once: %s', async (_kind, open) => {
    const { url, faults } = await serveFile(() => {
      const body = open()
      return { status: 200, body, contentType: body instanceof Encoded ? 'application/json' : contentType }
    })
    const response = await fetch(url)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    await expect.poll(faults).toHaveLength(1)
    await delay(20)
    expect(faults()).toHaveLength(1)
  })

  test('does no harm after its client has left', async () => {
    const left = Promise.withResolvers<undefined>()
    async function* generate(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yield chunk
          await nextIteration()
        }
      } finally {
        left.resolve(undefined)
        throw fault
      }
    }
    let body: unknown
    const { url } = await serveFile(() => ({ status: 200, contentType, body }))
    body = generate()
    const socket = await ask(url)
    await once(socket, 'data')
    socket.destroy()
    await left.promise
    body = Readable.from([Buffer.from('the next')])
    expect(await (await fetch(url)).text()).toBe('the next')
  })
})

test('a stream may have empty chunks and text chunks', async () => {
  const { url } = await serveFile(() => ({
    status: 200,
    contentType,
    body: Readable.from(['', 'a', Buffer.alloc(0), new Uint8Array([98]), '', '', 'ç', '']),
  }))
  expect(await (await fetch(url)).text()).toBe('abç')
})

test('a stream that fails over a Unix domain socket, which cannot be reset, ends the connection', async () => {
  const path = join(await temporaryFolder(), 'socket')
  async function* body(): AsyncGenerator<Uint8Array> {
    yield chunk
    await delay(20)
    throw new Error('out of water')
  }
  const { app } = await serve({ paths, handlers: { getFile: () => ({ status: 200, body: body(), contentType }) } })
  await app.listen({ path })
  const socket = connect({ path })
  socket.resume().write('GET /file HTTP/1.0\r\n\r\n')
  await once(socket, 'close')
})
