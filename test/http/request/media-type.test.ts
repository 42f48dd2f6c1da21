import { expect, test } from 'vitest'
import { exchange } from '../../support/client/exchange.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { assertKeepsContract } from '../../support/responses/check-response.ts'
import { shareApp, startApp } from '../../support/server/start-app.ts'

const newCaller = shareApp()
const body = '{"id":1,"name":"a"}'

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json ; charset="utf-8"',
  'application/json; charset=utf-8; profile="x"',
  'application/json;',
])('a body of %s is read', async (type) => {
  const { send } = await newCaller()
  expect(await send({ method: 'POST', url: '/plants', headers: { 'content-type': type }, body })).toMatchObject({
    status: 200,
    text: '{"name":"a"}',
  })
})

test.each([
  'text/plain',
  'text/plain; charset=utf-8',
  'text/json',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/xml',
  'application/jsonp',
  'application/json5',
  'application/json-patch+json',
  'application/problem+json',
  'application/vnd.api+json',
  'application/x-json',
  'application/ld+json',
  'application/json+xml',
  'xapplication/json',
  'application/*',
  '*/*',
  'application',
  'application/',
  '/json',
  'json',
  'application json',
  'application/json, text/plain',
  'text/plain; application/json',
  'nonsense',
  '',
])('a body of %j is refused and nothing is stored', async (type) => {
  const { send } = await newCaller()
  expect(
    expectFailure(
      await send({ method: 'POST', url: '/plants', headers: { 'content-type': type }, body }),
      'unsupported_media_type',
    ),
  ).toContain('application/json')
  expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
})

test.each([
  ['text/plain', 'application/json'],
  ['application/json', 'text/plain'],
  ['application/json', 'application/json'],
])('a body of the types %s and %s in two fields is refused', async (first, second) => {
  const { token, listen } = await startApp()
  const [response] = await exchange(
    await listen(),
    `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
      `Content-Type: ${first}\r\nContent-Type: ${second}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`,
  )
  expectFailure(response!, 'unsupported_media_type')
})

test('a body without a media type is refused', async () => {
  const { send } = await newCaller()
  expectFailure(
    await send({ method: 'POST', url: '/plants', headers: { 'content-type': undefined }, body: Buffer.from(body) }),
    'unsupported_media_type',
  )
})

test.each(['gzip', 'br', 'deflate', 'zstd', 'identity', 'x'])(
  'a body with the coding %s is refused, whether it is JSON or not',
  async (coding) => {
    const { send } = await newCaller()
    for (const content of [body, Buffer.from([0x1f, 0x8b, 0x08, 0x00])]) {
      expectFailure(
        await send({ method: 'POST', url: '/plants', headers: { 'content-encoding': coding }, body: content }),
        'unsupported_media_type',
      )
    }
  },
)

test.each([
  ['no body and no media type', ''],
  ['no body, and Content-Length: 0', 'Content-Length: 0\r\n'],
  ['a media type and no body', 'Content-Type: application/json\r\n'],
  ['a media type and Content-Length: 0', 'Content-Type: application/json\r\nContent-Length: 0\r\n'],
])('a create with %s has an empty body', async (_description, headers) => {
  const { token, listen } = await startApp()
  const [response] = await exchange(
    await listen(),
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${headers}Connection: close\r\n\r\n`,
  )
  expect(expectFailure(response!, 'malformed_body')).toBe('the body is empty')
  assertKeepsContract({ method: 'POST', url: '/plants' }, response!)
})

test.each(['GET', 'DELETE'])('the media type of a %s, which takes no content, is nothing to refuse', async (method) => {
  const { send, store, caller } = await newCaller()
  await store.create(caller, { id: 1n, name: 'a' })
  const url = method === 'GET' ? '/plants' : '/plants/1'
  expect(
    (await send({ method, url, headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' } })).status,
  ).toBeLessThan(300)
})

test('an Accept header that names other types gets JSON all the same', async () => {
  const { send } = await newCaller()
  expect(
    (await send({ method: 'GET', url: '/plants', headers: { accept: 'text/html' } })).headers['content-type'],
  ).toBe('application/json')
})
