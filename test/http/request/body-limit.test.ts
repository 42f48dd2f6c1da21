import { once } from 'node:events'
import { request } from 'node:http'
import { type Socket, connect } from 'node:net'
import { expect, test } from 'vitest'
import { exchange } from '../../support/client/exchange.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { type ReceivedResponse, assertKeepsContract } from '../../support/responses/check-response.ts'
import { type TestApp, shareApp, startApp } from '../../support/server/start-app.ts'

const newCaller = shareApp()
const plant = '{"id":1,"name":"a"}'
const post = { method: 'POST', url: '/plants' }
const twoMegabytes = Buffer.from(plant.padEnd(2_000_000))

/** Sends a body over a socket with Node's own client, and gives what the client could read. */
async function sendOverSocket(
  origin: string,
  token: string,
  headers: Record<string, string | number>,
  body: Buffer,
): Promise<ReceivedResponse> {
  const response = await new Promise<ReceivedResponse>((resolve, reject) => {
    const sent = request(`${origin}/plants`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        connection: 'close',
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', (message) => {
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('error', reject)
      message.on('end', () => {
        resolve({ status: message.statusCode ?? 0, headers: message.headers, text: Buffer.concat(chunks).toString() })
      })
    })
    sent.end(body)
  })
  assertKeepsContract(post, response)
  return response
}

async function isEmpty({ send }: Pick<TestApp, 'send'>): Promise<boolean> {
  return (await send({ method: 'GET', url: '/plants' })).text === '[]'
}

test('a body of exactly the limit is read, and one byte more is refused and not stored', async () => {
  const caller = await newCaller()
  expect(expectFailure(await caller.send({ ...post, body: plant.padEnd(65_537) }), 'body_too_large')).toContain('65536')
  expect(await isEmpty(caller)).toBe(true)
  expect((await caller.send({ ...post, body: plant.padEnd(65_536) })).status).toBe(200)
})

test('the limit counts bytes, not characters', async () => {
  const { send } = await newCaller()
  const body = `{"id":1,"name":"a","x":"${'\u{1f331}'.repeat(16_380)}"}`
  expect(body.length).toBeLessThan(65_536)
  expectFailure(await send({ ...post, body }), 'body_too_large')
})

test('the limit is the configured one', async () => {
  const { send } = await startApp({ limits: { bodyBytes: plant.length } })
  expect((await send({ ...post, body: plant })).status).toBe(200)
  expect(expectFailure(await send({ ...post, body: `${plant} ` }), 'body_too_large')).toContain(String(plant.length))
})

test('a Content-Length over the limit is refused before the body arrives', async () => {
  const started = await startApp()
  const head =
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${started.token}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 2000000\r\nConnection: close\r\n\r\n'
  const [response] = await exchange(await started.listen(), head)
  expectFailure(response!, 'body_too_large')
})

test('a client that sends two megabytes with Content-Length reads the refusal', async () => {
  const started = await startApp()
  expectFailure(
    await sendOverSocket(
      await started.listen(),
      started.token,
      { 'content-length': twoMegabytes.length },
      twoMegabytes,
    ),
    'body_too_large',
  )
  expect(await isEmpty(started)).toBe(true)
})

test('a client that sends two megabytes in chunks reads the refusal', async () => {
  const started = await startApp()
  expectFailure(
    await sendOverSocket(await started.listen(), started.token, { 'transfer-encoding': 'chunked' }, twoMegabytes),
    'body_too_large',
  )
  expect(await isEmpty(started)).toBe(true)
})

test('a client that reads after it wrote two megabytes reads the refusal, and the connection goes on', async () => {
  const { token, listen } = await startApp()
  const head =
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${String(twoMegabytes.length)}\r\n\r\n`
  const next = `GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  const [refused, list] = await exchange(
    await listen(),
    Buffer.concat([Buffer.from(head), twoMegabytes, Buffer.from(next)]),
  )
  expectFailure(refused!, 'body_too_large')
  expect(list).toMatchObject({ status: 200, text: '[]' })
})

test('a chunked body of exactly the limit is read', async () => {
  const { token, listen } = await startApp()
  const response = await sendOverSocket(
    await listen(),
    token,
    { 'transfer-encoding': 'chunked' },
    Buffer.from(plant.padEnd(65_536)),
  )
  expect(response).toMatchObject({ status: 200, text: '{"name":"a"}' })
})

test('a body that ends before its Content-Length stores nothing, and the request is in the log', async () => {
  const started = await startApp()
  const head =
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${started.token}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n'
  const { hostname, port } = new URL(await started.listen())
  const accepted = once(started.app.server, 'connection')
  const socket = connect({ host: hostname, port: Number(port) }, () =>
    socket.write(head + plant, () => socket.destroy()),
  )
  // The types of Node's events do not say that `connection` brings a socket.
  const [served] = (await accepted) as [Socket]
  await once(served, 'close')
  await expect.poll(() => started.logLines.filter((line) => line.includes('"createPlant"'))).toHaveLength(1)
  expect(await isEmpty(started)).toBe(true)
})
