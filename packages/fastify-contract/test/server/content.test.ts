import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { serveBody, serveEcho } from './support/echo.ts'
import { exchange } from './support/exchange.ts'
import { serve } from './support/serve.ts'

const thing = '{"id":1}'
const post = { method: 'POST', url: '/things' }

/** The start of a request, before further headers, an empty line and the body. */
const start = 'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n'

describe('the media type', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ; charset="UTF-8"',
    'application/json; charset=utf8; charset="utf-8"',
    'application/json;;charset=utf-8 ;',
    'application/json; profile="\\"; charset=utf-16; \\""',
    'application/json; xcharset=utf-16; charset-x=utf-16',
  ])('%s is accepted', async (type) => {
    const { send } = await serve()
    expect(await send({ ...post, headers: { 'content-type': type }, body: thing })).toMatchObject({ status: 200 })
  })

  // Other charsets, and spellings that some parsers take for UTF-8 and others do not.
  test.each([
    ...['', 'json', '/json', '*/*', 'application', 'application/', 'application/*', 'application json', 'text/plain'],
    ...['text/json', 'application/jsonp', 'application/ld+json', 'xapplication/json', 'application/json, text/plain'],
    ...['multipart/form-data; boundary=x', 'text/plain; application/json', 'application/x-www-form-urlencoded'],
    ...['utf-16', '"utf-16"', '"ut\\f-16"', 'iso-8859-1', 'us-ascii', 'utf-8-sig', "'utf-8'", '', '""', '" utf-8"'].map(
      (charset) => `application/json; charset=${charset}`,
    ),
    ...['"utf-8', '"utf-8"x', ' utf-8', 'utf-8 utf-16', 'utf-16; charset=utf-8', 'utf-8; CHARSET="utf-16"'].map(
      (charset) => `application/json; charset=${charset}`,
    ),
    ...["charset*=utf-8''utf-16", 'charset*0=utf-; charset*1=16', 'charset', 'charset = utf-8', 'charset:utf-8'].map(
      (parameter) => `application/json; ${parameter}`,
    ),
    ...['x charset=utf-8', '\tcharset=utf-16', 'profile="\\\\"; charset=utf-16'].map(
      (parameters) => `application/json; ${parameters}`,
    ),
  ])('%j is refused, and nothing is stored', async (type) => {
    const { send } = await serve()
    for (const body of [thing, Buffer.from(thing, 'utf16le')]) {
      const { status, text } = await send({ ...post, headers: { 'content-type': type }, body })
      expect([status, text]).toEqual([
        415,
        expect.stringContaining('Content-Type must be application/json, in UTF-8') as string,
      ])
    }
    expect((await send({ url: '/things' })).text).toBe('[]')
  })

  test('has at most ten parameters', async () => {
    const { send } = await serve()
    const sendType = (parameters: string) =>
      send({ ...post, headers: { 'content-type': `application/json${parameters}` }, body: thing })
    expect(await sendType(';a=b'.repeat(10))).toMatchObject({ status: 200 })
    for (const parameters of [';a=b'.repeat(11), ';a=";";'.repeat(6), ';'.repeat(11), ';a=b'.repeat(3_800)]) {
      const { status, text } = await sendType(parameters)
      expect(status).toBe(415)
      expect(text).toContain('Content-Type must be application/json, in UTF-8, with at most 10 parameters')
    }
  })

  test('is checked at once even with 15,000 blanks or parameters', async () => {
    const { send } = await serve()
    const start = performance.now()
    for (const filler of [' ', ';', ' ;', ';a=b', ';a="', '\\"', '"\\"', ';a=']) {
      for (const before of ['application/json;', 'a']) {
        const type = `${before}${filler.repeat(15_000 / filler.length)}x`
        expect([200, 415]).toContain((await send({ ...post, headers: { 'content-type': type }, body: thing })).status)
      }
    }
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

test.each<[string, string, number, string]>([
  ['no body and no media type', '', 400, 'the body is empty'],
  ['Content-Length: 0', 'Content-Length: 0\r\n', 400, 'the body is empty'],
  ['a media type and no body', 'Content-Type: application/json\r\n', 400, 'the body is empty'],
  ['a body without a media type', `Content-Length: 8\r\n\r\n${thing}`, 415, 'application/json'],
  ['chunks without a media type', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 415, 'application/json'],
  ['another media type and no body', 'Content-Type: text/plain\r\n', 415, 'application/json'],
  ['two media types', 'Content-Type: application/json\r\nContent-Type: application/json\r\n', 415, 'application/json'],
  [
    'a coding',
    'Content-Type: application/json\r\nContent-Encoding: gzip\r\n',
    415,
    'Content-Encoding is not supported',
  ],
  ['no coding, by name', `Content-Type: application/json\r\nContent-Encoding: identity\r\n`, 415, 'Content-Encoding'],
])('a request with %s is refused', async (_what, fields, status, message) => {
  const { listen } = await serve()
  const [response, ...others] = await exchange(await listen(), `${start}${fields}\r\n`)
  expect([response?.status, response?.text, others]).toEqual([status, expect.stringContaining(message) as string, []])
})

test('a refusal of a coding or of a patch says what is accepted', async () => {
  const content = { 'application/merge-patch+json': {}, 'application/json-patch+json; a=b': {} }
  const patches = Object.keys(content).join(', ')
  for (const [method, fields, patch, encoding] of [
    ['patch', { 'content-type': 'text/plain' }, patches, undefined],
    ['patch', { 'content-type': 'application/merge-patch+json; charset=latin1' }, patches, undefined],
    ['patch', { 'content-encoding': 'gzip' }, undefined, 'identity'],
    ['post', { 'content-type': 'text/plain' }, undefined, undefined],
  ] as const) {
    const { send } = await serveEcho({ requestBody: { required: true, content } }, { method })
    const { status, headers } = await send({ headers: fields, body: '{}' })
    expect([status, headers['accept-patch'], headers['accept-encoding']]).toEqual([415, patch, encoding])
  }
})

test('an operation without a body ignores any content', async () => {
  const { send, listen } = await serve()
  await send({ ...post, body: thing })
  const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
  expect((await send({ url: '/things', headers })).status).toBe(200)
  expect((await send({ method: 'DELETE', url: '/things/1', headers, body: '{' })).status).toBe(204)
  const large = `DELETE /things/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nContent-Length: 70000\r\n\r\n`
  const last = 'GET /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n\r\n'
  const responses = await exchange(await listen(), large + 'x'.repeat(70_000) + last)
  expect(responses.map(({ status }) => status)).toEqual([404, 200])
})

test('a body of another length than Content-Length is refused', async () => {
  const { send } = await serve()
  for (const length of ['7', '9']) {
    expect(await send({ ...post, headers: { 'content-length': length }, body: thing })).toMatchObject({
      status: 400,
      text: expect.stringContaining('the size of the body differs from Content-Length') as string,
    })
  }
})

test('a body that a preParsing hook has read, and not returned, is a fault of the service', async () => {
  const { send, lines } = await serve({
    before: (app) =>
      app.addHook('preParsing', async (_request, _reply, payload) => {
        for await (const chunk of payload) void chunk
      }),
  })
  expect((await send({ ...post, body: thing })).status).toBe(500)
  const message = expect.stringContaining('a preParsing hook has read the content of the request') as string
  expect(lines()).toContainEqual(expect.objectContaining({ err: expect.objectContaining({ message }) as object }))
})

describe('the limit of a body', () => {
  const json = 'Content-Type: application/json\r\n'
  const chunked = (body: string) =>
    `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const sized = (body: string) => `Content-Length: ${String(body.length)}\r\n\r\n${body}`

  test.each([
    ['with Content-Length', sized],
    ['in chunks', chunked],
  ])('counts the bytes of a body %s', async (_how, framed) => {
    const { listen } = await serve()
    for (const [bytes, status] of [
      [65_536, 200],
      [65_537, 413],
      [2_000_000, 413],
    ] as const) {
      const body = `{"id":${String(bytes)}}`.padEnd(bytes)
      const [response] = await exchange(await listen(), start + json + framed(body))
      expect([bytes, response?.status, response?.headers['connection']]).toEqual([bytes, status, 'close'])
    }
  })

  test('counts bytes, not characters, and is configurable', async () => {
    const body = '{"id":1,"x":"\u{1f331}"}'
    const { send } = await serve({ limits: { bodyBytes: body.length } })
    expect(await send({ ...post, body })).toMatchObject({
      status: 413,
      text: expect.stringContaining(`larger than ${String(body.length)} bytes`) as string,
    })
    expect((await send({ ...post, body: thing.padEnd(body.length) })).status).toBe(200)
  })

  test.each([
    ['a Content-Length', 'Content-Length: 2000000\r\n'],
    ['an Expect', 'Content-Length: 2000000\r\nExpect: 100-continue\r\n'],
  ])('is applied to %s before the body arrives', async (_what, fields) => {
    const { listen } = await serve()
    const responses = await exchange(await listen(), `${start}${json}${fields}\r\n`)
    expect(responses.at(-1)?.status).toBe(413)
  })

  test('is that of the route, if a plugin sets one', async () => {
    const { send } = await serve({
      before: (app) => void app.addHook('onRoute', (route) => void (route.bodyLimit = thing.length)),
    })
    expect((await send({ ...post, body: thing })).status).toBe(200)
    expect(await send({ ...post, body: `${thing} ` })).toMatchObject({
      status: 413,
      text: expect.stringContaining(`larger than ${String(thing.length)} bytes`) as string,
    })
  })

  test('counts the bytes that a plugin has decoded, and those that it decodes them from', async () => {
    const decoded = (length: number, encoded: number) => ({
      before: (app: FastifyInstance) =>
        void app.addHook('preParsing', (_request, _reply, payload, done) => {
          payload.resume()
          done(null, Object.assign(Readable.from([thing.padEnd(length)]), { receivedEncodedLength: encoded }))
        }),
    })
    for (const [length, encoded, status] of [
      [20_000, 4, 200],
      [70_000, 4, 413],
      [20_000, 70_000, 413],
    ] as const) {
      const { send } = await serve(decoded(length, encoded))
      expect([length, encoded, (await send({ ...post, body: 'gzip' })).status]).toEqual([length, encoded, status])
    }
  })

  test('keeps the connection open for the next request', async () => {
    const { listen } = await serve()
    const large = start.replace('Connection: close\r\n', '') + json + sized(thing.padEnd(2_000_000))
    const responses = await exchange(await listen(), large + start + json + sized(thing))
    expect(responses.map(({ status, headers }) => [status, headers['connection'] === 'close'])).toEqual([
      [413, false],
      [200, true],
    ])
  })
})

describe('a deeply nested body', () => {
  const arrays = (levels: number, inside = '') => '['.repeat(levels) + inside + ']'.repeat(levels)
  test.each<[string, string, number, string]>([
    ['at the limit', arrays(100), 200, '['],
    ['beyond it', arrays(101), 400, `body${'/0'.repeat(100)} nests deeper than 100 levels`],
    ['far beyond it', arrays(10_000), 400, `body${'/0'.repeat(100)} nests deeper than 100 levels`],
    ['beyond it below a name', `{"a":[],"b":{"a/b":${arrays(99)}}}`, 400, `body/b/a~1b${'/0'.repeat(98)} nests deeper`],
    ['malformed', '['.repeat(20_000), 400, 'the body is not one JSON document'],
    ['with a duplicate name', arrays(200, '{"a":1,"a":2}'), 400, 'the body names the property "a" twice'],
  ])('is checked for its syntax first, then for its depth: %s', async (_what, body, status, text) => {
    const { post } = await serveBody({ 'application/json': {} })
    const { body: read, message = read, ...rest } = await post('application/json', body)
    expect([rest, message]).toEqual([{ status }, expect.stringContaining(text)])
  })
})
