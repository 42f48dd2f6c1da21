import { describe, expect, test } from 'vitest'
import { serveBody, serveEcho } from './support/echo.ts'
import { exchange } from './support/exchange.ts'

const int64 = { type: 'integer', format: 'int64' }
const thing = { type: 'object', required: ['id'], properties: { id: int64 } }
const json = { 'application/json': { schema: thing } }
const exact = '9007199254740993'
const urlencoded = 'application/x-www-form-urlencoded'

describe('a body that is one bare number', () => {
  test.each([
    [exact, 200],
    ['9223372036854775808', 400],
    ['9007199254740993.0', 400],
  ])('is exact as int64: %s', async (body, status) => {
    const { post } = await serveBody({ 'application/json': { schema: int64 } })
    expect(await post('application/json', body)).toMatchObject(status === 200 ? { status, body } : { status })
  })
})

describe('a text', () => {
  const content = { 'text/plain': { schema: { type: 'string', maxLength: 3 } } }

  test.each<[string, string, string | Buffer, number, string]>([
    ['is a string', 'text/plain', 'äöü', 200, '"äöü"'],
    ['may be empty', 'text/plain; charset=utf-8', '', 200, '""'],
    ['is validated', 'text/plain', 'abcd', 400, 'body must have at most 3 characters'],
    ['is refused if it is not UTF-8', 'text/plain', Buffer.from([0xff]), 400, 'the body is not UTF-8'],
    ['is refused in another charset', 'text/plain; charset=latin1', 'a', 415, 'text/plain, in UTF-8, not in latin1'],
  ])('%s', async (_what, type, body, status, received) => {
    const { post } = await serveBody(content)
    const { body: read, message = read, ...rest } = await post(type, body)
    expect([rest, message]).toEqual([{ status }, expect.stringContaining(received)])
  })

  test('is a string even if its schema says otherwise', async () => {
    const { post } = await serveBody({ 'text/csv': { schema: thing } })
    expect(await post('text/csv', 'a,b')).toEqual({ status: 200, body: '"a,b"' })
  })
})

test.each(['application/octet-stream', 'application/xml', 'image/png', 'application/vnd.a+zip'])(
  '%s is read as bytes, whatever its schema',
  async (type) => {
    const { post } = await serveBody({ [type]: { schema: thing } })
    expect(await post(`${type}; charset=latin1`, Buffer.from([0xff, 0]))).toEqual({
      status: 200,
      body: '"bytes:ÿ\\u0000"',
    })
    expect(await post(type, '')).toEqual({ status: 200, body: '"bytes:"' })
    expect(await post('application/json', '{}')).toEqual({ status: 415, message: `Content-Type must be ${type}` })
  },
)

test.each([
  'application/json',
  'text/plain',
  'image/png',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
])('an optional body of no content is no body, whatever its type: %s', async (type) => {
  const schema = type.includes('form') ? { type: 'object' } : {}
  const { post, listen } = await serveBody({ [type.split(';', 1).join()]: { schema } }, false)
  expect(await post(type, '')).toEqual({ status: 200 })
  const start = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nConnection: close\r\n`
  for (const framing of ['\r\n', 'Content-Length: 0\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'])
    expect(await exchange(await listen(), start + framing)).toMatchObject([{ status: 200, text: '{}' }])
})

describe('a parameter that a declared media type has', () => {
  const vendor = 'application/vnd.acme.user+json'
  const part = {
    schema: { type: 'object', properties: { a: { type: 'string' } } },
    encoding: { a: { contentType: 'text/csv; header=present' } },
  }
  const content = {
    [`${vendor}; type=basic`]: {},
    [`${vendor};type=internal;Level="1"`]: {},
    'application/json; version=1': {},
    'application/json; charset=utf-8': {},
    'application/json': {},
    'application/ld+json; charset=utf-8; profile="http://a/b"': {},
    'text/csv; header=absent': {},
    'multipart/form-data; boundary=x': part,
    'image/*; level=1': {},
    'image/*+xml': {},
  }

  test.each<[string, string]>([
    [`${vendor}; type=basic`, `${vendor}; type=basic`],
    [`${vendor}; TYPE="Basic"; other=1`, `${vendor}; type=basic`],
    [`${vendor}; level=1; charset=utf-8; type=internal`, `${vendor};type=internal;Level="1"`],
    ['application/json;version="1"', 'application/json; version=1'],
    ['application/json; version=2', 'application/json'],
    ['application/json; version=1; version=1', 'application/json'],
    ['application/json; version=1; version=2', 'application/json'],
    ['application/json; version=2; charset=UTF-8', 'application/json; charset=utf-8'],
    ['application/json', 'application/json'],
    ['application/ld+json; profile="http://a/b"', 'application/ld+json; charset=utf-8; profile="http://a/b"'],
    ['text/csv; header="absent"; charset=utf-8', 'text/csv; header=absent'],
    ['image/png; level=1', 'image/*; level=1'],
    ['image/a+b+xml', 'image/*+xml'],
  ])('must be sent as declared: %s is %s', async (type, declared) => {
    const { post } = await serveBody(content)
    expect(await post(type, '{}')).toMatchObject({ status: 200, contentType: declared })
  })

  test.each([
    vendor,
    `${vendor}; type=other`,
    `${vendor}; type=internal`,
    `${vendor}; type=basic; type=other`,
    'application/ld+json',
    'application/ld+json; profile="http://a/c"',
    'text/csv',
    'text/csv; header=present',
    'image/png',
    'image/a+xml+b',
    '\xa0image/a+b+xml',
    'application/json\xa0; version=1',
  ])('is missing, or differs, and refused: %s', async (type) => {
    const { post } = await serveBody(content)
    const message = expect.stringContaining(`Content-Type must be ${vendor}; type=basic or `) as string
    expect(await post(type, '{}')).toEqual({ status: 415, message })
  })

  test('is no boundary, and holds for the parts of a form', async () => {
    const { post } = await serveBody(content)
    const form = (type: string) =>
      `--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: ${type}\r\n\r\nx\r\n--b--`
    const multipart = 'multipart/form-data; boundary=b'
    expect(await post(multipart, form('text/csv; header=present'))).toMatchObject({ status: 200, body: '{"a":"x"}' })
    expect(await post(multipart, form('text/csv'))).toMatchObject({ status: 400 })
  })

  test('is refused where only one media type is declared', async () => {
    const { post } = await serveBody({ 'application/json; version=1': {} })
    expect(await post('application/json; version=1', '{}')).toEqual({ status: 200, body: '{}' })
    for (const type of ['application/json; version=2', 'application/json']) {
      const message = 'Content-Type must be application/json; version=1, in UTF-8'
      expect(await post(type, '{}')).toEqual({ status: 415, message })
    }
  })
})

describe('an operation with several media types', () => {
  const content = {
    ...json,
    'application/json; version=2': { schema: { type: 'object', properties: { name: { type: 'string' } } } },
    'application/vnd.a+json': { schema: { type: 'array' } },
    'text/plain; charset=utf-8': { schema: { type: 'string' } },
    'image/*': {},
    'application/*': { schema: thing },
    'text/json': { schema: thing },
    'application/*+json': { schema: { type: 'array', items: { type: 'integer' } } },
  }

  test.each<[string, sent: string, body: string, contentType: string, mediaType?: string]>([
    ['application/json', `{"id":${exact},"x":1}`, `{"id":${exact}}`, 'application/json'],
    ['Application/JSON;version=1', '{"id":1}', '{"id":1}', 'application/json'],
    ['application/json; version="2"', '{"name":"a"}', '{"name":"a"}', 'application/json; version=2'],
    ['application/vnd.a+json', '[]', '[]', 'application/vnd.a+json'],
    ['text/plain', 'a', '"a"', 'text/plain; charset=utf-8'],
    ['image/PNG; x=y', 'a', '"bytes:a"', 'image/*', 'image/png'],
    ['application/pdf', 'a', '"bytes:a"', 'application/*', 'application/pdf'],
    ['text/json; charset=utf-8', `{"id":${exact}}`, `{"id":${exact}}`, 'text/json'],
    ['application/b+json', '[1]', '[1]', 'application/*+json', 'application/b+json'],
    [urlencoded, 'id=1', '{"id":1}', 'application/*', urlencoded],
  ])('takes %s and tells the handler the media type', async (type, sent, body, contentType, mediaType) => {
    const { post } = await serveBody(content)
    expect(await post(type, sent)).toEqual({ status: 200, body, contentType, ...(mediaType && { mediaType }) })
  })

  test.each<[string, string, number, string]>([
    ['application/json', '[]', 400, 'body must be an object'],
    ['application/vnd.a+json', '{}', 400, 'body must be an array'],
    ['text/json', '{}', 400, 'body/id is required'],
    ['application/b+json', '{}', 400, 'body must be an array'],
    ['application/json; charset=latin1', '{}', 415, 'application/*+json, in UTF-8, not in latin1'],
    ['text/plain; charset="UTF-16"', 'a', 415, 'application/*+json, in UTF-8, not in UTF-16'],
    ['text/html', 'a', 415, 'Content-Type must be application/json or application/json; version=2 or'],
    ['image/*', 'a', 415, 'Content-Type must be'],
  ])('validates %s by its own schema', async (type, body, status, message) => {
    const { post } = await serveBody(content)
    expect(await post(type, body)).toEqual({ status, message: expect.stringContaining(message) as string })
  })

  test('accepts a request without its optional body', async () => {
    const { send } = await serveEcho({ requestBody: { content } })
    const { status, text } = await send({})
    expect([status, JSON.parse(text)]).toEqual([200, { path: {}, query: {}, header: {}, cookie: {} }])
  })
})

test.each(['options', 'delete', 'patch'])('an operation with the method %s takes a body', async (method) => {
  const { send } = await serveEcho({ requestBody: { required: true, content: json } }, { method })
  const { status, text } = await send({ body: '{"id":5}' })
  expect([status, text]).toEqual([200, expect.stringContaining('"body":{"id":5}') as string])
})

test.each(['head', 'trace'])('an operation with the method %s is served', async (method) => {
  const { send } = await serveEcho({ parameters: [{ name: 'p', in: 'query', schema: int64 }] }, { method })
  expect((await send({ url: '/?p=5' })).status).toBe(200)
  expect((await send({ url: '/?p=x' })).status).toBe(400)
})

describe('a required property with a default', () => {
  const base = { type: 'object', properties: { kind: { type: 'string', default: 'a' } } }
  const allOf = [{ $ref: '#/components/schemas/Base' }, { required: ['kind'] }]

  test.each<[string, object]>([
    ['in one schema', { ...base, required: ['kind'] }],
    ['in two schemas of the value', { allOf }],
    ['in a named schema', { $ref: '#/components/schemas/Both' }],
  ])('must be sent: %s', async (_where, schema) => {
    const schemas = { Base: base, Both: { allOf } }
    const { post } = await serveBody({ 'application/json': { schema } }, true, { schemas })
    expect(await post('application/json', '{}')).toEqual({ status: 400, message: 'body/kind is required' })
    expect(await post('application/json', '{"kind":"b"}')).toEqual({ status: 200, body: '{"kind":"b"}' })
  })

  test('is filled in if it is not required', async () => {
    const { post } = await serveBody({ 'application/json': { schema: base } })
    expect(await post('application/json', '{}')).toEqual({ status: 200, body: '{"kind":"a"}' })
  })
})
