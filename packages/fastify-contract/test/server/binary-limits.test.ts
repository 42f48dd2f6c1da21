import { describe, expect, test } from 'vitest'
import { serveBody } from './support/echo.ts'
import { openSocket, receive, until } from './support/exchange.ts'
import { bothServers, serve } from './support/serve.ts'

/** More than `bodyBytes`, and than the limit of any Fastify. */
const large = 2_000_000

const schemas = { Photo: { maxLength: large }, Any: {} }

test.each<[string, object]>([
  ['alone', { maxLength: large }],
  ['of a string', { type: 'string', format: 'binary', maxLength: large }],
  ['of a named schema', { $ref: '#/components/schemas/Photo' }],
  ['beside a reference', { $ref: '#/components/schemas/Any', maxLength: large }],
  ['the least of several', { allOf: [{ $ref: '#/components/schemas/Photo', maxLength: large * 2 }, {}] }],
])('maxLength of a binary body is its limit in bytes: %s', async (_where, schema) => {
  const { post } = await serveBody({ 'image/jpeg': { schema } }, true, { schemas })
  const { status, body = '' } = await post('image/jpeg', Buffer.alloc(large, 'a'))
  expect([status, body.length]).toEqual([200, large + '"bytes:"'.length])
  const message = 'the body is larger than 2000000 bytes'
  expect(await post('image/jpeg', Buffer.alloc(large + 1))).toEqual({ status: 413, message })
})

test.each<[string, object]>([
  ['of an alternative', { anyOf: [{ maxLength: large }, { maxLength: 3 }] }],
  ['beyond what a server reads into memory', { maxLength: 2 ** 31 }],
])('a maxLength that says nothing of every body leaves the limit of the server: %s', async (_where, schema) => {
  const { post } = await serveBody({ 'image/jpeg': { schema } }, true, { limits: { bodyBytes: 10 } })
  expect(await post('image/jpeg', 'a'.repeat(10))).toMatchObject({ status: 200 })
  expect(await post('image/jpeg', 'a'.repeat(11))).toEqual({ status: 413, message: 'the body is larger than 10 bytes' })
})

const several = {
  'application/json': {},
  'text/plain': { schema: { type: 'string', maxLength: 40 } },
  'image/png': { schema: { maxLength: 0 } },
  'image/*': { schema: { maxLength: 30 } },
  'application/pdf': {},
  '*/*': { schema: { maxLength: 40 } },
}

describe('of several media types, the limit is that of the one that is sent:', () => {
  test.each<[type: string, limit: number]>([
    ['application/json', 20],
    ['text/plain', 20],
    ['application/pdf', 20],
    ['image/png', 0],
    ['image/jpeg', 30],
    ['image/svg+xml', 30],
    ['application/zip', 40],
    // Another range of JSON.
    ['application/ld+json', 20],
  ])('%s', async (type, limit) => {
    const { post } = await serveBody(several, true, { limits: { bodyBytes: 20 } })
    expect((await post(type, '1'.repeat(limit))).status).toBe(200)
    const message = `the body is larger than ${String(limit)} bytes`
    expect(await post(type, '1'.repeat(limit + 1))).toEqual({ status: 413, message })
  })
})

const echo = ({ body }: { body: Uint8Array | { text: string } }) => ({
  status: 200,
  body: body instanceof Uint8Array ? body.length : body.text.length,
})
const putting = (operationId: string, maxLength: number) => {
  const content = { 'image/jpeg': { schema: { maxLength } }, 'application/json': { schema: text } }
  return { put: { operationId, requestBody: { required: true, content } } }
}
const text = { type: 'object', properties: { text: { type: 'string' } } }
const start = (isGuest: boolean) => {
  const handlers = { putPhoto: echo, putIcon: echo }
  return serve({ isGuest, paths: { '/photo': putting('putPhoto', large), '/icon': putting('putIcon', 5) }, handlers })
}
const head = (url: string, fields: string, type = 'image/jpeg') =>
  `PUT ${url} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nContent-Type: ${type}\r\n${fields}\r\n\r\n`

describe.each(bothServers)('on %s', (_what, isGuest) => {
  test('each operation has its own limit, and JSON that of the server', async () => {
    const { app, send } = await start(isGuest)
    const put = (url: string, type: string, body: Buffer | string) =>
      send({ method: 'PUT', url, headers: { 'content-type': type }, body })
    const { bodyLimit } = app.initialConfig
    const jsonOf = (bytes = 0) => `{"text":"${'a'.repeat(bytes - 11)}"}`
    for (const [url, type, body, status] of [
      ['/photo', 'image/jpeg', Buffer.alloc(large), 200],
      ['/photo', 'image/jpeg', Buffer.alloc(large + 1), 413],
      ['/icon', 'image/jpeg', Buffer.alloc(5), 200],
      ['/icon', 'image/jpeg', Buffer.alloc(6), 413],
      ['/photo', 'application/json', jsonOf(bodyLimit), 200],
      ['/photo', 'application/json', jsonOf((bodyLimit ?? 0) + 1), 413],
    ] as const) {
      expect([url, type, body.length, (await put(url, type, body)).status]).toEqual([url, type, body.length, status])
    }
  })

  test('a longer Content-Length is refused before the body is read', async () => {
    const { listen } = await start(isGuest)
    const fields = `Content-Length: ${String(large + 1)}\r\nConnection: close`
    expect((await receive(await listen(), head('/photo', fields))).map(({ status }) => status)).toEqual([413])
  })

  test('chunks are refused as soon as there are more, and their end is not waited for', async () => {
    const { listen } = await start(isGuest)
    const socket = await openSocket(await listen())
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    socket.write(`${head('/icon', 'Transfer-Encoding: chunked')}5\r\nabcde\r\n`)
    socket.write('1\r\nf\r\n')
    await expect.poll(() => received).toContain('HTTP/1.1 413 ')
  })

  test('the order of the checks stays: credentials, media type, size', async () => {
    const { listen } = await start(isGuest)
    const fields = `Content-Length: ${String(large + 1)}\r\nConnection: close`
    const origin = await listen()
    const anonymous = head('/photo', fields).replace('Bearer me', 'Bearer no')
    expect((await receive(origin, anonymous)).map(({ status }) => status)).toEqual([401])
    expect((await receive(origin, head('/photo', fields, 'image/gif'))).map(({ status }) => status)).toEqual([415])
  })
})

test('a client that expects 100 is invited to send what is within the limit alone', async () => {
  const { listen } = await start(false)
  const fields = (length: number) => `Content-Length: ${String(length)}\r\nExpect: 100-continue\r\nConnection: close`
  const origin = await listen()
  const within = await receive(origin, head('/icon', fields(5)), until('HTTP/1.1 100 Continue'), 'abcde')
  expect(within.map(({ status }) => status)).toEqual([100, 200])
  expect((await receive(origin, head('/icon', fields(6)))).map(({ status }) => status)).toEqual([413])
})
