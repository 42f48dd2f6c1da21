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
  'application/json;;charset=utf-8 ;',
  'application/json; CHARSET=UTF-8',
  'application/json; charset="UTF-8"',
  'application/json; charset=utf8',
  'application/json; charset=utf-8; charset="utf-8"',
  'application/json; profile="; charset=utf-16"',
  'application/json; profile="\\"; charset=utf-16; \\""',
  'application/json; xcharset=utf-16; charset-x=utf-16',
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

/** Other charsets, and spellings that one reader takes for UTF-8 and another for something else. */
const otherCharsets = [
  'charset=utf-16',
  'charset=UTF-16LE',
  'charset="utf-16"',
  'charset="ut\\f-16"',
  'CharSet=utf-16',
  'charset=utf-32',
  'charset=utf-7',
  'charset=us-ascii',
  'charset=iso-8859-1',
  'charset=windows-1252',
  'charset=x',
  'charset=utf-8-sig',
  "charset='utf-8'",
  "charset*=utf-8''utf-16",
  'charset*0=utf-; charset*1=16',
  'charset="u\\tf-8"',
  'charset=utf-16; charset=utf-8',
  'charset=utf-8; charset=utf-16',
  'charset=utf-8; CHARSET="utf-16"',
  'profile="x"; charset=utf-16',
  'profile="\\\\"; charset=utf-16',
  ';charset=utf-16',
  'charset',
  'charset=',
  'charset=""',
  'charset=" utf-8"',
  'charset="utf-8',
  'charset="utf-8"x',
  'charset = utf-8',
  'charset =utf-16',
  'charset= utf-16',
  'charset:utf-16',
  'x charset=utf-16',
  'charset=utf-8, text/plain; charset=utf-16',
  'charset=utf-8 utf-16',
  '\tcharset=utf-16',
]

test.each(otherCharsets)('a body of application/json; %s is refused and nothing is stored', async (parameters) => {
  const { send } = await newCaller()
  for (const content of [body, Buffer.from(body, 'utf16le')]) {
    const headers = { 'content-type': `application/json; ${parameters}` }
    const message = expectFailure(
      await send({ method: 'POST', url: '/plants', headers, body: content }),
      'unsupported_media_type',
    )
    expect(message).toContain('UTF-8')
  }
  expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
})

test('a client that asks for leave to send a body in another charset is refused at once', async () => {
  const { token, listen } = await startApp()
  const responses = await exchange(
    await listen(),
    `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
      'Content-Type: application/json; charset=utf-16\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
  )
  expect(responses).toHaveLength(1)
  expectFailure(responses[0]!, 'unsupported_media_type')
})

test('a media type with sixteen thousand blanks or parameters is judged at once', async () => {
  const { send } = await newCaller()
  const start = performance.now()
  for (const filler of [' ', ';', ' ;', ';a=b', ';a="', '\\"', '"\\"', ';a=']) {
    const type = `application/json;${filler.repeat(15_000 / filler.length)}x`
    const { status } = await send({ method: 'POST', url: '/plants', headers: { 'content-type': type }, body })
    expect([200, 415]).toContain(status)
  }
  expect(performance.now() - start).toBeLessThan(5_000)
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
