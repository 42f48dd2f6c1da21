import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { contractWith, failures, serve } from '../contract/words/own-contract.ts'
import { exchange } from '../support/client/exchange.ts'
import { startApp } from '../support/server/start-app.ts'

const livez = 'GET /livez HTTP/1.1\r\nHost: a\r\n'
const more = 'x'.repeat(8_000_000)

test.each([
  ['a last request', `${livez}Connection: close\r\n\r\n`, 200],
  ['a last request and a further one', `${livez}Connection: close\r\n\r\n${livez}\r\n`, 200],
  ['a request of HTTP/1.0', 'GET /livez HTTP/1.0\r\n\r\n', 200],
  ['a request to upgrade', `${livez}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, 200],
  [
    'a last request without credentials, whose content comes',
    `POST /plants HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${String(more.length)}\r\n\r\n`,
    401,
  ],
])('a client that sends on behind %s reads the answer', async (_what, request, status) => {
  const { listen } = await startApp()
  const responses = await exchange(await listen(), request + more)
  expect(responses.map((response) => response.status)).toEqual([status])
})

test('a client that neither sends nor closes behind the last answer is closed all the same', async () => {
  const { listen } = await startApp()
  const socket = connect({ port: Number(new URL(await listen()).port), host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.resume().write(`${livez}Connection: close\r\n\r\n`)
  await once(socket, 'end')
  const sending = setInterval(() => socket.write('x'), 20)
  onTestFinished(() => {
    clearInterval(sending)
  })
  await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
})

test('of a hundred thousand requests behind the last answer few are even parsed', async () => {
  const { app, listen } = await startApp()
  const origin = await listen()
  let requests = 0
  app.server.on('request', () => requests++)
  const accepted = once(app.server, 'connection')
  const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined).resume()
  socket.write('GET /livez HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')
  const [served] = (await accepted) as [Socket]
  const closed = once(served, 'close')
  await once(socket, 'end')
  socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(100_000))
  await closed
  expect(requests).toBeGreaterThan(1)
  expect(requests).toBeLessThan(10_000)
})

test('an answer that is on its way arrives whole when its request turns out to be malformed', async () => {
  const text = 'x'.repeat(20_000_000)
  const responses = { 200: { description: 'Long.', content: { 'application/json': { schema: { type: 'string' } } } } }
  const { app, token } = await serve(contractWith({ responses: { ...responses, ...failures } }), {
    listThings: () => ({ status: 200, body: text }),
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const [response, ...others] = await exchange(
    origin,
    `GET /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    async (received) => {
      while (received() === '') await new Promise(setImmediate)
    },
    'zzz\r\n',
  )
  expect(response!.status).toBe(200)
  expect(response!.text === `"${text}"`).toBe(true)
  expect(others).toEqual([])
})
