import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type TestApp, startApp } from '../../support/server/start-app.ts'

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

test('300 half-sent requests are cut off with 408, and others are served meanwhile', async () => {
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
  // What takes longer was not served meanwhile; a busy machine takes up to a second or two.
  expect(longest).toBeLessThan(5_000)
})
