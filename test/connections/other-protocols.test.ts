import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { exchange } from '../support/client/exchange.ts'
import { assertKeepsContract } from '../support/responses/check-response.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { startApp } from '../support/server/start-app.ts'

/** What RFC 2326, RFC 7826, Icecast, AirTunes and RFC 9113 name a method, and Node's parser reads in no HTTP/1.1. */
const otherMethods = [
  'DESCRIBE',
  'ANNOUNCE',
  'SETUP',
  'PLAY',
  'PAUSE',
  'TEARDOWN',
  'GET_PARAMETER',
  'SET_PARAMETER',
  'REDIRECT',
  'RECORD',
  'FLUSH',
]

const requestLines = [
  ...otherMethods.flatMap((method) =>
    ['RTSP/1.0', 'RTSP/2.0', 'HTTP/1.1'].map((version) => `${method} /plants ${version}`),
  ),
  'ANNOUNCE /plants',
  'GET /plants RTSP/2.0',
  'POST /plants RTSP/2.0',
  'OPTIONS /plants RTSP/2.0',
  'PUT /plants RTSP/1.0',
  'GET /plants ICE/1.0',
  'SOURCE /plants ICE/2.0',
  'GET /plants HTTP/2.0',
  'PROPFIND /nowhere HTTP/2.0',
  'GET /plants HTTP/0.9',
  'GET /plants',
  'CONNECT a:1 HTTP/2.0',
  'PRI *',
  'PRI * HTTP/2.0',
]

const livez = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'

test.each(requestLines)('"%s" is no request of HTTP/1.0 or HTTP/1.1, and its connection is closed', async (line) => {
  const answered: unknown[] = []
  const { listen, token, logLines } = await startApp({
    observer: { answered: (...values) => void answered.push(values.slice(0, 2)), contractBroken: () => undefined },
  })
  const origin = await listen()
  const before = logLines.length
  const [response, ...others] = await exchange(
    origin,
    `${line}\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nCSeq: 1\r\n\r\n${livez}`,
  )
  expect(others).toEqual([])
  const [method = '', url = ''] = line.split(' ')
  assertKeepsContract({ method, url }, response!)
  expect(response!.headers['connection']).toBe('close')
  expectFailure(response!, 'malformed_http')
  expect(answered).toEqual([[undefined, 400]])
  expect(logLines.slice(before).map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { level: 30, requestId: response!.headers['x-request-id'], status: 400 },
  ])
})

test.each(['ANNOUNCE /plants RTSP/1.0', 'GET /plants RTSP/2.0', 'PRI *', 'PRI * HTTP/2.0\r\n\r\nSM', 'garbage'])(
  '%j is answered after the requests before it',
  async (line) => {
    const { listen, token } = await startApp()
    const list = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const responses = await exchange(await listen(), `${list}${livez}${line}\r\n\r\n`)
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
    expectFailure(responses[2]!, 'malformed_http')
  },
)

test('content behind a request that is not served is read, so that its client can read the answer', async () => {
  const { listen } = await startApp()
  const content = 'x'.repeat(8_000_000)
  const head = `ANNOUNCE /plants RTSP/1.0\r\nContent-Length: ${String(content.length)}\r\n\r\n`
  const [response] = await exchange(await listen(), head + content)
  expectFailure(response!, 'malformed_http')
})

test.each([
  ['what is no HTTP', 'garbage\r\n\r\n', 400],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
  ['headers that are too large', `GET /livez HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('a refusal of %s is counted', async (_what, bytes, status) => {
  const answered: unknown[] = []
  const { listen } = await startApp({
    observer: { answered: (...values) => void answered.push(values.slice(0, 2)), contractBroken: () => undefined },
  })
  const responses = await exchange(await listen(), bytes)
  expect(responses.map((response) => response.status)).toEqual([status])
  expect(answered).toEqual([[undefined, status]])
})

test.each([
  ['a HEAD of another version', 'HEAD /plants HTTP/2.0\r\nHost: a\r\n\r\n'],
  ['a HEAD with malformed content', 'HEAD /plants HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'],
])('the refusal of %s has no content', async (_what, bytes) => {
  const { listen } = await startApp()
  const socket = connect(Number(new URL(await listen()).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  socket.write(bytes)
  await once(socket, 'close')
  expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:[\w-]+: .+\r\n)+\r\n$/)
})
