import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Encoded } from '../../../packages/fastify-contract/src/types/encoded.ts'
import { exchange } from '../../support/client/exchange.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { type TestApp, startApp, temporaryStore } from '../../support/server/start-app.ts'

/** Short enough for a test to wait for. */
const limits = { headersMilliseconds: 400, requestMilliseconds: 800, checkMilliseconds: 50 }

async function openSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/**
 * Sends the beginning of a request, then a byte now and then. @returns what is answered until the server closes the
 * connection
 */
async function sendSlowly(origin: string, beginning: string): Promise<string> {
  const socket = await openSocket(origin)
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  // An error comes first where the server has closed while a byte was on its way.
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  socket.write(beginning)
  const dripping = setInterval(() => socket.write('x'), 100)
  await closed
  clearInterval(dripping)
  return received
}

/**
 * Works as a client that is well-behaved. @returns how many requests were served, and the longest wait in milliseconds
 */
async function useMeanwhile(
  { token }: TestApp,
  origin: string,
  isOver: () => boolean,
): Promise<{ served: number; longest: number }> {
  let served = 0
  let longest = 0
  while (!isOver()) {
    const start = performance.now()
    const { status } = await fetch(`${origin}/plants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: served++, name: 'a' }),
    })
    expect(status).toBe(200)
    longest = Math.max(longest, performance.now() - start)
    await delay(20)
  }
  return { served, longest }
}

test('300 half-sent requests are cut off with 408, and others are served within a second meanwhile', async () => {
  const app = await startApp({ limits })
  const origin = await app.listen()
  const authorized = `Host: a\r\nAuthorization: Bearer ${app.token}\r\n`
  const beginnings = [
    'GET /pla',
    `GET /plants HTTP/1.1\r\n${authorized}X-Slow: `,
    `POST /plants HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n` +
      '{"id":1,"name":"',
  ]
  let isOver = false
  const others = useMeanwhile(app, origin, () => isOver)
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) => sendSlowly(origin, beginnings[index % 3]!)),
  )
  isOver = true
  expect(answers.filter((answer) => !/^HTTP\/1\.1 408 [^]*"error":40800/.test(answer))).toEqual([])
  const { served, longest } = await others
  expect(served).toBeGreaterThan(5)
  expect(longest).toBeLessThan(1_000)
})

test('a body that comes slowly is cut off too when its request has had its answer, with no second answer', async () => {
  const app = await startApp({ limits })
  const origin = await app.listen()
  const answer = await sendSlowly(
    origin,
    'POST /plants HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
  )
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
})

test('beside 2,000 idle connections others are served', async () => {
  const app = await startApp()
  const origin = await app.listen()
  const idle: Socket[] = []
  for (let batch = 0; batch < 20; batch++)
    idle.push(...(await Promise.all(Array.from({ length: 100 }, () => openSocket(origin)))))
  let requests = 0
  const { served, longest } = await useMeanwhile(app, origin, () => requests++ > 20)
  expect(served).toBeGreaterThan(20)
  expect(longest).toBeLessThan(1_000)
  expect(idle.filter(({ destroyed }) => destroyed)).toEqual([])
})

test('a connection beyond the most that there may be is closed, and one that ends makes room', async () => {
  const { listen } = await startApp({ limits: { connections: 2 } })
  const origin = await listen()
  const [first] = [await openSocket(origin), await openSocket(origin)]
  const third = await openSocket(origin)
  third.resume()
  await once(third, 'close')
  first.end()
  first.resume()
  await once(first, 'close')
  await expect
    .poll(async () => {
      const responses = await exchange(origin, 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n').catch(
        () => [],
      )
      return responses.map(({ status }) => status)
    })
    .toEqual([200])
})

test('a connection that idles after a request is closed when its time is over', async () => {
  const { listen } = await startApp({ limits: { keepAliveMilliseconds: 100 } })
  const responses = await exchange(await listen(), 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(responses.map(({ status }) => status)).toEqual([200])
})

test('a client that stops reading is cut off, and its list is read from the store no further', async () => {
  const store = await temporaryStore()
  let pages = 0
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('[')
    for (;;) {
      pages++
      yield Buffer.from(`{"name":"${'a'.repeat(60_000)}"},`)
      await new Promise(setImmediate)
    }
  }
  const endlessStore = { ...store, list: () => Promise.resolve(new Encoded<{ name: string }[]>(endless())) }
  const { listen, token, logLines } = await startApp({ store: endlessStore, limits: { socketIdleMilliseconds: 300 } })
  const socket = await openSocket(await listen())
  socket.write(`GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await expect.poll(() => logLines.some((line) => line.includes('response cut off')), { timeout: 5_000 }).toBe(true)
  const read = pages
  await delay(50)
  expect(pages).toBe(read)
})

test('limits on headers and bodies are answered with 431 and 413', async () => {
  const { listen, token } = await startApp({ limits: { headerBytes: 2_000, bodyBytes: 100 } })
  const origin = await listen()
  const [headers] = await exchange(origin, `GET /plants HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(3_000)}\r\n\r\n`)
  expectFailure(headers!, 'headers_too_large')
  const [body] = await exchange(
    origin,
    `POST /plants HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 101\r\n\r\n${'x'.repeat(101)}`,
  )
  expectFailure(body!, 'body_too_large')
})
