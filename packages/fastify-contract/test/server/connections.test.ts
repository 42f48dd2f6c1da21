import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, openSocket, until } from './support/exchange.ts'
import { type Shop, failures, serve } from './support/serve.ts'

const operation = { operationId: 'wait' }
const paths = { '/wait': { get: operation } }
const bytes = { 200: { description: 'Bytes.', content: { 'application/octet-stream': {} } }, ...failures }
const ofBytes = { '/wait': { get: { ...operation, responses: bytes } } }
const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n`
const beside: NonNullable<Shop['beside']> = (app) =>
  void app.get('/beside', (_request, reply) => reply.code(204).send())
const next = `${head('/beside')}\r\n`
const last = `${head('/beside')}Connection: close\r\n\r\n`

/** The field and the bytes of content in chunks of one byte, without their end. */
const inChunks = (count: number) => `Transfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(count)}`

/** Serves an operation that responds when the test says so. */
async function serveHeld(limits: NonNullable<Shop['limits']> = {}) {
  const held: (() => void)[] = []
  let most = 0
  const wait = async () => {
    await new Promise<void>((resolve) => {
      most = Math.max(most, held.push(resolve))
    })
    return { status: 200, body: 'waited' }
  }
  const served = await serve({ paths, handlers: { wait }, beside, limits })
  const release = async (count: number) => {
    for (let released = 0; released < count; released++) {
      await expect.poll(() => held.length, { interval: 1 }).toBeGreaterThan(0)
      held.shift()?.()
    }
  }
  return { ...served, origin: await served.listen(), held, release, most: () => most }
}

/** Pipelines that close their connection, and the statuses of their responses. */
const pipelines: [title: string, requests: string, statuses: number[]][] = [
  [
    'of which some are refused',
    `${next}GET /things HTTP/1.1\r\nHost: a\r\n\r\n${head('/nowhere')}\r\n` +
      `PUT /things HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}${last}`,
    [204, 401, 404, 405, 204],
  ],
  ['after one without Host', `GET /beside HTTP/1.1\r\n\r\n${last}`, [400, 204]],
  ['with empty lines between', `${next}\r\n\r\n${last}`, [204, 204]],
  ['after CONNECT', `${next}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${next}`, [204, 404]],
  ['that begin with CONNECT in chunks', `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n${inChunks(3)}${next}`, [404]],
  ['that expect 100 Continue', `${create('Expect: 100-continue\r\n')}${last}`, [100, 200, 204]],
  [
    'that create and delete',
    `${create()}${`${head('/things/1')}\r\n${head('/things/1')}Connection: close\r\n\r\n`.replaceAll('GET', 'DELETE')}`,
    [200, 204, 404],
  ],
]

/** Creates a thing. */
function create(fields = ''): string {
  const content = `Content-Type: application/json\r\nContent-Length: 8\r\n${fields}\r\n{"id":1}`
  return head('/things').replace('GET', 'POST') + content
}

/** Opens a connection to a server. @returns the socket of the client, and the end of that of the server */
async function connectTo(app: FastifyInstance, origin: string, allowHalfOpen = false) {
  const accepted = once(app.server, 'connection')
  const socket = await openSocket(origin, allowHalfOpen)
  const [served] = (await accepted) as [Socket]
  // An error event may come first.
  const closed = new Promise((resolve) => served.once('close', resolve))
  return { socket, closed }
}

/** Counts the requests that a server reads. */
function countReads(app: FastifyInstance): { count: number } {
  const read = { count: 0 }
  app.server.on('request', () => read.count++)
  return read
}

const statusesOf = async (responses: ReturnType<typeof exchange>) => (await responses).map(({ status }) => status)

describe('the requests of one connection', () => {
  test.each(pipelines)('%s get the same responses at once or byte by byte', async (_title, requests, statuses) => {
    const bytewise = Array.from(requests).flatMap((byte) => [byte, () => nextTurn()])
    for (const pieces of [[requests], bytewise]) {
      const { listen } = await serve({ beside })
      expect(await statusesOf(exchange(await listen(), ...pieces))).toEqual(statuses)
    }
  })

  test('are served one at a time', async () => {
    const { origin, held, release, most } = await serveHeld()
    const received = exchange(origin, `${head('/wait')}\r\n`.repeat(4) + `${head('/wait')}Connection: close\r\n\r\n`)
    await release(5)
    expect(await statusesOf(received)).toEqual([200, 200, 200, 200, 200])
    expect([most(), held]).toEqual([1, []])
  })

  test('are dropped when the connection is gone', async () => {
    const { app, origin, held, release } = await serveHeld()
    const { socket, closed } = await connectTo(app, origin)
    socket.write(`${head('/wait')}\r\n`.repeat(50))
    await expect.poll(() => held.length).toBe(1)
    socket.resetAndDestroy()
    await once(socket, 'close')
    await release(1)
    await closed
    expect(held).toEqual([])
  })

  test('wait unread behind an unfinished one, and are all served in the end', async () => {
    const { origin, release } = await serveHeld()
    // More than the server reads at once.
    const many = `${head('/beside')}X-Filler: ${'x'.repeat(200)}\r\n\r\n`.repeat(1_500)
    const received = exchange(origin, `${head('/wait')}\r\n${many}`, last)
    await release(1)
    expect((await statusesOf(received)).filter((status) => status === 204)).toHaveLength(1_501)
  })

  test('are read only one ahead of the one in work', async () => {
    const { app, origin, release } = await serveHeld()
    const read = countReads(app)
    const received = exchange(origin, `${head('/wait')}\r\n${next.repeat(900)}`, last)
    await release(1)
    expect(read.count).toBe(2)
    expect(await statusesOf(received)).toHaveLength(902)
  })

  test.each<[string, (socket: Socket) => void]>([
    ['closed', (socket) => void socket.destroy()],
    ['half-closed, then closed', (socket) => void socket.end(() => socket.destroy())],
    ['reset', (socket) => void socket.resetAndDestroy()],
  ])('are not read when the client has %s the connection', async (_how, leave) => {
    const { app, listen } = await serve({ beside })
    const origin = await listen()
    const read = countReads(app)
    const { socket, closed } = await connectTo(app, origin)
    socket.write(next.repeat(900))
    await once(socket, 'readable')
    leave(socket)
    await closed
    expect(read.count).toBeLessThan(90)
  })

  test('close the connection after the next response if too many bytes wait', async () => {
    const { origin, release, lines } = await serveHeld({ pipelinedBytes: 2_000 })
    const received = exchange(origin, `${head('/wait')}\r\n${next.repeat(40)}`)
    await release(1)
    expect(await statusesOf(received)).toEqual([200])
    expect(lines().filter(({ msg }) => String(msg).includes('more than 2000 bytes wait'))).toHaveLength(1)
    expect(await statusesOf(exchange(origin, next.repeat(10) + last))).toHaveLength(11)
  })

  test('are not parsed after a reset that the server finds out by writing', async () => {
    const large = Buffer.alloc(4_000_000)
    const leave = (client: Socket) => client.resetAndDestroy()
    let client: Socket | undefined
    const { app, listen } = await serve({
      beside: (app) =>
        void app.get('/large', (_request, reply) => {
          if (client !== undefined) reply.raw.once('close', leave.bind(undefined, client))
          client = undefined
          return reply.send(large)
        }),
    })
    const origin = await listen()
    const read = countReads(app)
    const { socket, closed } = await connectTo(app, origin)
    client = socket
    socket.on('data', () => undefined).write(`${head('/large')}X-Filler: ${'x'.repeat(2_000)}\r\n\r\n`.repeat(200))
    await closed
    await nextTurn()
    expect(read.count).toBe(2)
  })

  test('are all served when each response fills the socket', async () => {
    const large = Buffer.alloc(4_000_000)
    const { listen } = await serve({ beside: (app) => void app.get('/large', (_request, reply) => reply.send(large)) })
    const socket = await openSocket(await listen())
    const status = 'HTTP/1.1 200'
    let [responses, rest] = [0, '']
    socket.setEncoding('latin1').on('data', (text: string) => {
      const parts = `${rest}${text}`.split(status)
      responses += parts.length - 1
      // A chunk may end within a status line.
      rest = parts.at(-1)!.slice(1 - status.length)
    })
    for (const sent of [20, 40]) {
      socket.write(`${head('/large')}\r\n`.repeat(20))
      await expect.poll(() => responses).toBe(sent)
    }
  })

  test('may wait beyond the time limit of a request', async () => {
    const { origin, release } = await serveHeld({ requestMilliseconds: 200, checkMilliseconds: 20 })
    const received = exchange(origin, `${head('/wait')}\r\n${create('Connection: close\r\n')}`)
    await delay(600)
    await release(1)
    expect(await statusesOf(received)).toEqual([200, 404])
  })

  test('are answered after the client has closed its side', async () => {
    const { origin, release } = await serveHeld()
    const socket = await openSocket(origin)
    socket.end(`${head('/wait')}\r\n`.repeat(3))
    const received = text(socket)
    await release(3)
    expect((await received).match(/HTTP\/1\.1 200/g)).toHaveLength(3)
  })

  test.each([
    ['of a length', 'Content-Length: 8\r\n\r\n'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n'],
  ])('are refused without content %s when the client has closed its side', async (_title, fields) => {
    // The server has read the end of the stream when it responds.
    const later: typeof beside = (app) =>
      void app.get('/later', async (_request, reply) => {
        await delay(50)
        return reply.code(204).send()
      })
    const { listen } = await serve({ beside: later })
    const socket = await openSocket(await listen())
    const post = `${head('/things').replace('GET', 'POST')}Content-Type: application/json\r\n${fields}`
    socket.end(`${head('/later')}\r\n${post}`)
    expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 204', 'HTTP/1.1 400'])
  })
})

describe('content in chunks', () => {
  const post = head('/raw').replace('GET', 'POST')

  /** Serves a route that reads its content by itself, when the test says so, and takes long for each chunk of it. */
  async function serveRaw() {
    const { promise: reading, resolve: read } = Promise.withResolvers<unknown>()
    const requests: IncomingMessage[] = []
    const app = await serve({
      beside: (app) => {
        void app.register((scope) => {
          scope.removeAllContentTypeParsers()
          scope.addContentTypeParser('*', (_request, payload, done) => {
            done(null, payload)
          })
          scope.post('/raw', async (request, reply) => {
            requests.push(request.raw)
            await reading
            let length = 0
            // The content type parser passes it on.
            for await (const chunk of request.body as AsyncIterable<Buffer>) {
              length += chunk.length
              await nextTurn()
            }
            return reply.send({ length })
          })
          return Promise.resolve()
        })
      },
    })
    return { origin: await app.listen(), requests, read }
  }

  test('is not parsed before something reads it', async () => {
    const { origin, requests, read } = await serveRaw()
    const type = 'Content-Type: a/b\r\n'
    const received = exchange(
      origin,
      `${post}${type}${inChunks(30_000)}`,
      '0\r\n\r\n',
      last.replace('beside', 'things'),
    )
    await expect.poll(() => requests.length).toBe(1)
    await delay(50)
    expect(requests[0]!.readableLength).toBe(0)
    read(undefined)
    expect((await received).map(({ status, text }) => [status, text])).toEqual([
      [200, '{"length":30000}'],
      [200, '[]'],
    ])
  })

  test('is read to its end when it arrives in any pieces', async () => {
    const { origin, read } = await serveRaw()
    read(undefined)
    const type = 'Content-Type: a/b\r\n'
    const pause = () => delay(1)
    const bytes = `${post}${type}${inChunks(500)}a;x=y\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n`
    for (const size of [1, 7, 1_000, 3_000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      )
      const paced = size > 1 ? pieces.flatMap((piece) => [piece, pause]) : pieces
      const received = await exchange(origin, ...paced, last.replace('beside', 'things'))
      expect(received.map(({ status, text }) => [status, text])).toEqual([
        [200, '{"length":510}'],
        [200, '[]'],
      ])
    }
  })
})

describe('a burst of requests', () => {
  const content = { content: { 'application/json': { schema: {} }, 'image/png': {} } }
  const busy = { '/wait': { get: operation, post: { ...operation, operationId: 'read', requestBody: content } } }
  const post = (length: number) =>
    `${head('/wait').replace('GET', 'POST')}Content-Type: application/json\r\nContent-Length: ${String(length)}\r\n` +
    `\r\n${'1'.padEnd(length)}`

  /** Serves operations that keep the process busy. @returns also open connections */
  async function serveBusy(count: number, limits: NonNullable<Shop['limits']> = {}) {
    let inTurn = 0
    let most = 0
    const takeLong = () => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0))
      most = Math.max(most, inTurn)
      const end = performance.now() + 2
      while (performance.now() < end);
      return { status: 200, body: 'done' }
    }
    const { app, listen } = await serve({ paths: busy, handlers: { wait: takeLong, read: takeLong }, beside, limits })
    let accepted = 0
    app.server.on('connection', () => accepted++)
    const origin = await listen()
    const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(origin)))
    await expect.poll(() => accepted).toBe(count)
    /** Sends a request on all connections but the first. @returns the statuses of the responses */
    const sendAll = async (request: string) => {
      const [first, ...rest] = sockets
      // The first one waits for the validators.
      first!.write(request)
      await once(first!, 'data')
      const responses = rest.map(async (socket) => {
        const closed = once(socket, 'close').then(() => {
          throw new Error('a connection was closed without a response')
        })
        // The first of both types it.
        return (await Promise.race([once(socket, 'data'), closed])) as [Buffer]
      })
      for (const socket of rest) socket.write(request)
      return (await Promise.all(responses)).map(([response]) => response.toString('latin1', 9, 12))
    }
    return { app, sockets, sendAll, most: () => most }
  }

  test.each([
    ['without content', `${head('/wait')}\r\n`],
    ['with short content', post(100)],
    ['with long content', post(10_000)],
  ])('%s is served over several turns of the event loop', async (_what, request) => {
    const { sendAll, most } = await serveBusy(150)
    await sendAll(request)
    // Two turns may fall between two calls of setImmediate.
    expect(most()).toBeLessThan(60)
  })

  test('is left unread while 128 wait for their turn', async () => {
    const { app, sendAll } = await serveBusy(400)
    let [waiting, most] = [0, 0]
    app.server.on('request', (_request, response: ServerResponse) => {
      most = Math.max(most, ++waiting)
      response.once('close', () => waiting--)
    })
    expect(await sendAll(`${head('/wait')}\r\n`)).toEqual(Array.from({ length: 399 }, () => '200'))
    // A turn starts more, which then wait for their content.
    expect(most).toBeLessThan(320)
  })

  test('that is pipelined does not keep others unread', async () => {
    const { app, sockets, sendAll } = await serveBusy(100)
    const read = countReads(app)
    const [kept, ...others] = sockets
    await sendAll(`${head('/wait')}\r\n`)
    for (const socket of others) socket.resume().write(`${head('/wait')}\r\n`.repeat(30))
    await once(others[0]!, 'data')
    read.count = 0
    for (let count = 0; count < 2; count++) {
      kept!.write(`${head('/wait')}\r\n`)
      await once(kept!, 'data')
    }
    expect(read.count).toBeLessThan(600)
    for (const socket of sockets) socket.destroy()
  })

  test('does not wait for chunks that never end', async () => {
    const { sockets } = await serveBusy(160)
    const [kept, ...others] = sockets
    const chunks = inChunks(600)
    const [fields, piece] = [post(0).replace(/Content-Length[^]*/, ''), chunks.slice(chunks.indexOf('1\r\n'))]
    for (const socket of others) socket.on('error', () => undefined).write(`${fields}${chunks}`)
    let pieces = 0
    const flood = setInterval(() => {
      pieces++
      for (const socket of others) socket.write(piece)
    }, 5)
    onTestFinished(() => {
      clearInterval(flood)
      for (const socket of sockets) socket.destroy()
    })
    for (let count = 0; count < 10; count++) {
      kept!.write(next)
      await once(kept!, 'data')
    }
    // They come once in a turn of the event loop. Where requests wait for chunks, it is more than 200 turns.
    expect(pieces).toBeLessThan(100)
  })

  test('is served to its end by a server that closes', async () => {
    // A busy machine takes long for it.
    const { app, sendAll } = await serveBusy(200, { shutdownGraceMilliseconds: 50_000 })
    let read = 0
    const closed = new Promise<void>((resolve) => {
      app.server.on('request', () => {
        if (++read === 2) resolve(app.close())
      })
    })
    expect(await sendAll(`${head('/wait')}\r\n`)).toEqual(Array.from({ length: 199 }, () => '200'))
    await closed
  })

  test('is refused in part if too many bytes of bodies wait', async () => {
    const { sendAll } = await serveBusy(40, { waitingBodyBytes: 5_000 })
    const statuses = await sendAll(post(10_000))
    expect(new Set(statuses)).toEqual(new Set(['200', '503']))
    expect(await sendAll(post(10))).not.toContain('503')
    // Nothing of them is parsed.
    expect(await sendAll(post(10_000).replace('application/json', 'image/png'))).not.toContain('503')
  })
})

/** Methods of other protocols that Node's parser accepts, and other versions. */
const foreign = [
  ...['DESCRIBE', 'ANNOUNCE', 'SETUP', 'PLAY', 'PAUSE', 'TEARDOWN', 'GET_PARAMETER', 'RECORD', 'FLUSH'].flatMap(
    (method) => ['RTSP/1.0', 'RTSP/2.0', 'HTTP/1.1'].map((version) => `${method} /things ${version}`),
  ),
  ...['ANNOUNCE /things', 'GET /things RTSP/2.0', 'OPTIONS /things RTSP/2.0', 'PUT /things RTSP/1.0', 'PRI * HTTP/2.0'],
  ...['SOURCE /things ICE/2.0', 'GET /things HTTP/2.0', 'GET /things HTTP/0.9', 'GET /things', 'CONNECT a:1 HTTP/2.0'],
]

describe('a request that is not HTTP/1.0 or HTTP/1.1', () => {
  test('is refused after earlier responses, counted and logged', async () => {
    const refused: number[] = []
    const { listen, lines } = await serve({ beside, onConnectionRefused: (status) => void refused.push(status) })
    const origin = await listen()
    const ids = await Promise.all(
      [...foreign, 'PRI *', 'garbage'].map(async (line) => {
        const received = await exchange(origin, `${next}${line}\r\nHost: a\r\n\r\n${next}`)
        const refusal = received.at(-1)!
        expect([line, ...received.map(({ status }) => status)]).toEqual([line, 204, 400])
        expect([line, refusal.headers['connection']]).toEqual([line, 'close'])
        expect(refusal.text).toContain('malformed_http')
        return refusal.headers['x-request-id']
      }),
    )
    expect(refused).toEqual(ids.map(() => 400))
    const logged = lines().filter(({ msg, status }) => msg === 'connection refused' && status === 400)
    expect(logged.map(({ requestId }) => requestId).sort()).toEqual(ids.sort())
  })

  test.each([
    ['of another version', 'HEAD /things HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['with malformed content', 'HEAD /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'],
  ])('gets a 400 without content if it is a HEAD %s', async (_what, bytes) => {
    const { listen } = await serve()
    const socket = await openSocket(await listen())
    socket.write(bytes)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:[\w-]+: .+\r\n)+\r\n$/)
  })
})

describe('the last response', () => {
  const more = 'x'.repeat(8_000_000)

  /** Requests whose connection closes, and the status of the response. */
  const closing: [request: string, status: number][] = [
    [last, 204],
    [last + next, 204],
    ['GET /beside HTTP/1.0\r\n\r\n', 204],
    ['GET /beside HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 204],
    [`${head('/beside')}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, 204],
    [`${head('/beside')}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
    [`ANNOUNCE /things RTSP/1.0\r\nContent-Length: ${String(more.length)}\r\n\r\n`, 400],
    [`POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 8000000\r\n\r\n`, 401],
    // Chunks that nobody reads.
    [`${head('/beside')}${inChunks(2_000)}`, 204],
    [`${head('/beside')}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ]

  test('reaches a client that continues to send, with Connection: close', async () => {
    // On a busy machine, 88 MB take long.
    const { listen } = await serve({ beside, limits: { headersMilliseconds: 60_000, requestMilliseconds: 60_000 } })
    const origin = await listen()
    // At once, because each connection is read for a second more.
    const all = closing.map(async ([request, status]) => {
      const received = await exchange(origin, request + more)
      const sent = received.map((response) => [response.status, response.headers['connection']])
      expect(sent, request.slice(0, 100)).toEqual([[status, 'close']])
    })
    await Promise.all(all)
  })

  test('closes the connection even if the client never stops sending', async () => {
    const { listen } = await serve({ beside })
    const socket = await openSocket(await listen(), true)
    socket
      .on('error', () => undefined)
      .resume()
      .write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
    const sending = setInterval(() => socket.write('x'), 20)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(sending)
  })

  test('does not reset the connection of a client that sends for a moment longer', async () => {
    const { listen } = await serve({ beside })
    const socket = await openSocket(await listen(), true)
    const errors: Error[] = []
    socket.on('error', (error) => errors.push(error)).resume()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(last)
    await once(socket, 'end')
    for (let count = 0; count < 10; count++) {
      socket.write('x')
      await delay(20)
    }
    socket.end()
    await closed
    expect(errors).toEqual([])
  })

  test('prevents parsing of most of 100,000 further requests', async () => {
    const { app, listen } = await serve({ beside })
    const read = countReads(app)
    const { socket, closed } = await connectTo(app, await listen(), true)
    socket.on('error', () => undefined).resume()
    socket.write('GET /beside HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')
    await once(socket, 'end')
    socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(100_000))
    await closed
    expect(read.count).toBeGreaterThan(0)
    expect(read.count).toBeLessThan(10_000)
  })

  test('arrives complete even if its request turns out to be malformed', async () => {
    const body = 'x'.repeat(20_000_000)
    const { listen } = await serve({ paths, handlers: { wait: () => ({ status: 200, body }) } })
    const begun = async (received: () => string) => {
      while (received() === '') await nextTurn()
    }
    const received = await exchange(
      await listen(),
      `${head('/wait')}Transfer-Encoding: chunked\r\n\r\n`,
      begun,
      'zzz\r\n',
    )
    expect(received.map(({ status, text }) => [status, text.length])).toEqual([[200, body.length + 2]])
  })
})

test('a reset after CONNECT does no harm', async () => {
  const { listen } = await serve({ beside })
  const origin = await listen()
  for (const pause of [0, 0, 1, 5]) {
    for (const before of ['', next]) {
      const socket = await openSocket(origin)
      socket.write(`${before}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`)
      if (pause > 0) await delay(pause)
      socket.resetAndDestroy()
    }
  }
  expect(await statusesOf(exchange(origin, last))).toEqual([204])
})

test('connections beyond the maximum are closed and logged in one line', async () => {
  const { listen, lines } = await serve({ beside, limits: { connections: 2 } })
  const origin = await listen()
  const [first] = [await openSocket(origin), await openSocket(origin)]
  await Promise.all([1, 2, 3].map(async () => once((await openSocket(origin)).resume(), 'close')))
  const msg = 'connections rejected: 2 are already open'
  await expect.poll(lines).toContainEqual(expect.objectContaining({ level: 40, connections: 3, msg }))
  first.end().resume()
  await once(first, 'close')
  await expect.poll(() => statusesOf(exchange(origin, last)).catch(() => [])).toEqual([204])
})

describe('a server that closes', () => {
  /** Starts to close a server and waits until it refuses connections. @returns the end of the close */
  async function close({ app, origin }: { app: FastifyInstance; origin: string }) {
    const closed = app.close()
    const isTaken = () =>
      openSocket(origin).then(
        () => true,
        () => false,
      )
    await expect.poll(isTaken).toBe(false)
    return { closed }
  }

  const chunk = Buffer.alloc(1_000_000)

  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 16; count++) {
      await nextTurn()
      yield chunk
    }
  }

  /** Serves 16 MB, more than socket buffers hold, to a client that does not read yet. */
  async function serveUnread(body: () => unknown, limits: NonNullable<Shop['limits']> = {}) {
    const served = await serve({ paths: ofBytes, handlers: { wait: () => ({ status: 200, body: body() }) }, limits })
    const origin = await served.listen()
    const socket = await openSocket(origin)
    socket.on('error', () => undefined).write(`${head('/wait')}\r\n`)
    await once(socket, 'readable')
    return { ...served, origin, socket }
  }

  test('completes the request in work and drops those queued behind it', async () => {
    const { app, origin, held, release, most } = await serveHeld()
    const closing = async () => {
      await expect.poll(() => held.length).toBe(1)
      await close({ app, origin })
    }
    const received = exchange(origin, `${head('/wait')}\r\n`, closing, `${head('/wait')}\r\n`.repeat(2))
    await expect.poll(() => app.server.listening).toBe(false)
    await release(1)
    expect((await received).map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']])
    expect([most(), held]).toEqual([1, []])
  })

  test('responds to a request on an idle connection after the listener has closed', async () => {
    const { app, listen } = await serve({ beside, limits: { shutdownDelayMilliseconds: 300 } })
    const origin = await listen()
    const closing = async () => void (await close({ app, origin }))
    const received = await exchange(origin, next, until(' 204 '), closing, next)
    expect(received.map(({ status, headers }) => [status, headers['connection']])).toEqual([
      [204, 'keep-alive'],
      [204, 'close'],
    ])
  })

  test('resets no client that connects again for each request', async () => {
    const { app, listen } = await serve({ beside, limits: { shutdownDelayMilliseconds: 0 } })
    const { hostname, port } = new URL(await listen())
    const outcomes = new Set<string>()
    const request = () =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), hostname)
        socket.on('error', ({ code }: NodeJS.ErrnoException) => {
          resolve(String(code))
        })
        socket.once('data', () => {
          resolve('answered')
        })
        socket.write(last)
      })
    async function repeat(): Promise<void> {
      const outcome = await request()
      outcomes.add(outcome)
      if (outcome === 'answered') await repeat()
    }
    const clients = Array.from({ length: 200 }, repeat)
    await expect.poll(() => [...outcomes]).toEqual(['answered'])
    await app.close()
    await Promise.all(clients)
    expect([...outcomes]).toEqual(['answered', 'ECONNREFUSED'])
  })

  test('does not wait for idle connections or incomplete requests', async () => {
    const { app, listen } = await serve({ beside, limits: { shutdownGraceMilliseconds: 600_000 } })
    const origin = await listen()
    const sockets = await Promise.all(
      [next, '', next.slice(0, -6)].map(async (bytes) => {
        const socket = await openSocket(origin)
        socket.resume().write(bytes)
        return socket
      }),
    )
    await once(sockets[0]!, 'data')
    await app.close()
  })

  test.each([
    ['a stream', chunks],
    ['one buffer', () => Buffer.alloc(16 * chunk.length)],
  ])('sends a response that is %s to its end', async (_kind, body) => {
    const { app, origin, socket } = await serveUnread(body)
    await close({ app, origin })
    let received = 0
    socket.on('data', (chunk: Buffer) => (received += chunk.length))
    await once(socket, 'close')
    expect(received).toBeGreaterThan(16 * chunk.length)
  })

  test('cuts off a client that stopped reading, within the grace period', async () => {
    const { app, lines } = await serveUnread(chunks, { shutdownGraceMilliseconds: 300 })
    await app.close()
    const msg = 'connections cut off: the shutdown time is over'
    expect(lines()).toContainEqual(expect.objectContaining({ level: 40, unanswered: 1, msg }))
  })
})

describe('a time limit', () => {
  const limits = {
    headersMilliseconds: 300,
    requestMilliseconds: 600,
    checkMilliseconds: 50,
    keepAliveMilliseconds: 200,
  }
  const post = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n'

  test('ends a connection that slowly sends a request, with one response', async () => {
    const { listen } = await serve({ limits })
    const origin = await listen()
    const slow: [beginning: string, statuses: number[]][] = [
      ['', [408]],
      ['GET /thi', [408]],
      [`${head('/things')}X-Slow: `, [408]],
      [`${post}Authorization: Bearer me\r\n\r\n{`, [408]],
      [`${post}\r\n{`, [401]],
      [`${head('/things')}\r\nGET /thi`, [200, 408]],
      [`${head('/things')}\r\n`, [200]],
    ]
    const all = slow.map(async ([beginning, statuses]) => {
      // Sending byte by byte gains no time.
      const rest = /^$|\r\n\r\n$/.test(beginning) ? [] : Array.from({ length: 20 }, () => [() => delay(50), 'x']).flat()
      expect(await statusesOf(exchange(origin, beginning, ...rest)), beginning).toEqual(statuses)
    })
    await Promise.all(all)
  })

  test('ends a connection whose client stops reading, and stops its stream', async () => {
    let chunks = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks++
        yield Buffer.alloc(60_000)
        await nextTurn()
      }
    }
    const { app, listen } = await serve({
      paths: ofBytes,
      handlers: { wait: () => ({ status: 200, body: endless() }) },
      limits: { socketIdleMilliseconds: 300 },
    })
    const { socket, closed } = await connectTo(app, await listen())
    socket.pause().write(`${head('/wait')}\r\n`)
    await closed
    const read = chunks
    await delay(50)
    expect(chunks).toBe(read)
  })
})
