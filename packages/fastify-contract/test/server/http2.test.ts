import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import fastify, { type FastifyInstance } from 'fastify'
import { Encoded } from 'fastify-contract/encoded'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { quiet } from './support/quiet.ts'
import { type TestHandler, failures, serve } from './support/serve.ts'

const content = {
  'application/jsonl': { itemSchema: { type: 'object', required: ['id'] } },
  'application/octet-stream': {},
  'application/json': { schema: {} },
}
const responses = { 200: { description: '', content }, ...failures }
const body = {
  required: true,
  content: { 'text/plain': { schema: { type: 'string' } }, 'application/octet-stream': {} },
}
const paths = {
  '/get': { get: { operationId: 'get', security: [], responses } },
  '/post': { post: { operationId: 'post', security: [], requestBody: body } },
}

/** Serves a contract on a server of HTTP/2, with a client. */
async function serveHttp2(handlers: Record<string, TestHandler>) {
  // Its type is that of another server.
  const app = fastify({ http2: true, bodyLimit: 100_000 }) as unknown as FastifyInstance
  const { listen } = await serve({
    app,
    paths,
    handlers: { get: () => undefined, post: () => undefined, ...handlers },
  })
  const session = connect(await listen())
  onTestFinished(() => {
    session.destroy()
  })
  return { app, session }
}

async function read(stream: ClientHttp2Stream): Promise<{ status: number; text: string }> {
  const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
  return { status: headers[':status'], text: await text(stream) }
}

function post(session: ClientHttp2Session, headers: object, ...chunks: (string | Buffer)[]): ClientHttp2Stream {
  const stream = session.request({ ':path': '/post', ':method': 'POST', 'content-type': 'text/plain', ...headers })
  for (const chunk of chunks) stream.write(chunk)
  return stream
}

describe('over HTTP/2, a reply that fails midway has no regular end:', () => {
  async function* bytes() {
    yield Buffer.from('{"id":1}')
    await delay(50)
    throw new Error('out of water')
  }
  async function* items(wrong?: unknown) {
    yield { id: 1 }
    await delay(50)
    if (wrong === undefined) throw new Error('out of water')
    yield wrong
  }
  test.each<[string, () => unknown]>([
    ['a generator of items that throws', () => ({ contentType: 'application/jsonl', body: items() })],
    ['a wrong item', () => ({ contentType: 'application/jsonl', body: items({ name: 1 }) })],
    ['a stream of bytes', () => ({ contentType: 'application/octet-stream', body: bytes() })],
    ['a stream of JSON', () => ({ contentType: 'application/json', body: new Encoded(bytes()) })],
  ])('%s', async (_what, reply) => {
    const { session } = await serveHttp2({ get: () => ({ status: 200, ...Object(reply()) }) as unknown })
    const stream = session.request({ ':path': '/get' })
    const received: string[] = []
    stream.setEncoding('utf8').on('data', (chunk: string) => received.push(chunk))
    const [error] = (await once(stream, 'error')) as [Error]
    expect([error.message, stream.rstCode]).toEqual([
      'Stream closed with error code NGHTTP2_INTERNAL_ERROR',
      constants.NGHTTP2_INTERNAL_ERROR,
    ])
    expect(received.join('').trim()).toBe('{"id":1}')
  })

  test('one that a shutdown cuts off', async () => {
    const { app, session } = await serveHttp2({
      get: () => ({ status: 200, contentType: 'application/jsonl', body: quiet().body }),
    })
    const stream = session.request({ ':path': '/get' })
    await once(stream, 'response')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const failed = once(stream, 'error')
    const closing = app.close()
    await vi.advanceTimersByTimeAsync(8_000)
    await failed
    await closing
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR)
  })
})

describe('over HTTP/2, a client that leaves ends a quiet stream', () => {
  test.each(['at once', 'before the handler returns', 'after the headers'])('%s', async (time) => {
    for (const leave of [
      (stream: ClientHttp2Stream) => {
        stream.close(constants.NGHTTP2_CANCEL)
      },
      (stream: ClientHttp2Stream) => stream.session?.destroy(),
    ]) {
      const { seen, body } = quiet()
      const { promise: left, resolve: goOn } = Promise.withResolvers()
      const isOpened = vi.fn<() => void>()
      const { session } = await serveHttp2({
        get: async () => {
          isOpened()
          await left
          return { status: 200, contentType: 'application/jsonl', body }
        },
      })
      const stream = session.request({ ':path': '/get' })
      stream.on('error', () => undefined)
      if (time !== 'before the handler returns') goOn(undefined)
      if (time === 'after the headers') await once(stream, 'response')
      else if (time === 'before the handler returns') await expect.poll(() => isOpened.mock.calls).toHaveLength(1)
      leave(stream)
      await delay(100)
      goOn(undefined)
      if (isOpened.mock.calls.length > 0) await expect.poll(() => seen.closed).toBe(1)
    }
  })
})

test('over HTTP/2, a quiet stream stays open', async () => {
  const { seen, body } = quiet()
  const { session } = await serveHttp2({ get: () => ({ status: 200, contentType: 'application/jsonl', body }) })
  const stream = session.request({ ':path': '/get' })
  await once(stream, 'response')
  await delay(1_200)
  expect([seen.closed, stream.closed]).toEqual([0, false])
})

describe('over HTTP/2, the content of a request', () => {
  const echo = ({ body }: { body: unknown }) => ({ status: 200, body: String(body) })

  test('is read up to the limit', async () => {
    const { session } = await serveHttp2({ post: echo })
    const stream = post(session, {}, 'a', 'b')
    stream.end('c')
    expect(await read(stream)).toEqual({ status: 200, text: '"abc"' })
    for (const [headers, content, status] of [
      [{}, 'x'.repeat(120_000), 413],
      [{ 'content-type': 'image/png' }, 'a', 415],
      [{ 'content-encoding': 'gzip' }, 'a', 415],
    ] as const) {
      const refused = post(session, headers)
      refused.end(content)
      expect(await read(refused)).toMatchObject({ status })
    }
  })

  test('is not handled if its client leaves before its end', async () => {
    const handled = vi.fn<(input: { body: unknown }) => unknown>(echo)
    const { session } = await serveHttp2({ post: handled })
    for (const type of ['text/plain', 'application/octet-stream']) {
      const stream = post(session, { 'content-type': type }, 'half')
      stream.on('error', () => undefined)
      await delay(50)
      stream.destroy(new Error('left'))
      await delay(50)
    }
    const stream = post(session, {}, 'cut by the end of the session')
    stream.on('error', () => undefined)
    await delay(50)
    session.destroy()
    await delay(100)
    expect(handled.mock.calls).toEqual([])
  })
})
