import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Encoded } from 'fastify-contract/encoded'
import { describe, expect, test } from 'vitest'
import { exchange, openSocket } from './support/exchange.ts'
import { failures, ok, serve, serveGet } from './support/serve.ts'

const faults = (lines: () => Record<string, unknown>[]) => lines().filter(({ level }) => level === 50)

const unreadable = {
  get code(): string {
    throw new Error('secret')
  },
}

describe('an error of a handler', () => {
  test.each<[string, unknown]>([
    ['an Error', new Error('secret')],
    ['a text', 'secret'],
    ['nothing', undefined],
    ['null', null],
    ['an Error that cannot be changed', Object.freeze(new Error('secret'))],
    ['what throws when it is read', unreadable],
    ['a connection of its own that was reset', Object.assign(new Error('secret'), { code: 'ECONNRESET' })],
  ])('reveals nothing and is logged once: %s', async (_what, thrown) => {
    let calls = 0
    const fail = () => {
      throw thrown
    }
    const listThings = () =>
      calls++ === 0 ? fail() : calls === 2 ? Promise.resolve().then(fail) : { status: 200, body: [] }
    const { send, lines } = await serve({ handlers: { listThings, createThing: fail, deleteThing: fail } })
    for (const logged of [1, 2]) {
      const { status, headers, text } = await send({ url: '/things' })
      expect([status, JSON.parse(text)]).toMatchObject([500, { failure: 'internal' }])
      expect(text).toContain('X-Request-Id')
      expect(`${text}${JSON.stringify(headers)}`).not.toContain('secret')
      expect(faults(lines).map(({ reqId }) => reqId)).toHaveLength(logged)
      expect(faults(lines).at(-1)).toMatchObject({ reqId: headers['x-request-id'] })
    }
    expect((await send({ url: '/things' })).status).toBe(200)
  })
})

test.each<unknown>([100, 101, 103, 199, 600, 999, 0, -1, 200.5, NaN, Infinity, '200', undefined, null])(
  'a reply with the impossible status %o becomes 500 and is logged',
  async (status) => {
    const responses = { '1XX': failures.default, '6XX': failures.default, ...ok }
    const { send, lines } = await serveGet(() => ({ status, body: {} }), responses)
    const { status: sent, text } = await send({})
    expect([sent, JSON.parse(text)]).toMatchObject([500, { failure: 'internal' }])
    const message = expect.stringMatching(
      /breaks the contract: the status is not an integer from 200 to 599$/,
    ) as string
    expect(faults(lines)).toMatchObject([{ err: { message } }])
  },
)

test.each([
  ['text', (text: string) => text],
  ['bytes', (text: string) => Buffer.from(text)],
  ['chunks', (text: string) => Readable.from([Buffer.from(text.slice(0, 5)), Buffer.from(text.slice(5))])],
])('encoded JSON in %s is validated with checksEncoded', async (_what, chunksOf) => {
  let text = '[{"name":"a"}]'
  const content = { 'application/json': { schema: { type: 'array' } } }
  const { send, lines } = await serveGet(
    () => ({ status: 200, body: new Encoded(chunksOf(text)) }),
    { 200: { description: 'Things.', content } },
    { options: { checksEncoded: true } },
  )
  expect(await send({})).toMatchObject({ status: 200, text })
  text = '{"not":"a list"}'
  expect((await send({})).status).toBe(500)
  expect(faults(lines)).toMatchObject([{ err: { message: expect.stringContaining('body must be') as string } }])
})

const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
const named = { 200: { description: 'A thing.', content: { 'application/json': { schema } } } }

test('an undeclared property of a reply is dropped, logged and reported', async () => {
  const reported: string[] = []
  const stored = { name: 'a', secret: 'x' }
  const options = { onContractBroken: (operationId: string) => void reported.push(operationId) }
  const { send, lines } = await serveGet(() => ({ status: 200, body: stored }), named, { options })
  const { status, headers, text } = await send({})
  expect([status, text, stored, reported]).toEqual([200, '{"name":"a"}', { name: 'a', secret: 'x' }, ['get']])
  const msg = 'dropped from the 200 reply of get: body/secret is not declared'
  expect(faults(lines)).toMatchObject([{ msg, reqId: headers['x-request-id'] }])
})

test('a reply that throws when it is read becomes 500 and reveals nothing', async () => {
  const { send, lines } = await serveGet(() => ({ status: 200, body: { name: 'a', part: unreadable } }), ok)
  const { status, text } = await send({})
  expect([status, text.includes('secret')]).toEqual([500, false])
  expect(faults(lines)).toMatchObject([{ err: { message: 'secret' } }])
})

test.each(['/things', '/things?limit=x', '/nowhere', '/%', '/openapi.json', '/docs', '/docs/static/index.css'])(
  '%s may not be cached, except docs files, and names no software',
  async (url) => {
    const { app } = await serve()
    for (const headers of [{ authorization: 'Bearer me' }, {}]) {
      const { headers: received } = await app.inject({ url, headers })
      expect(received['cache-control']).toBe(url.includes('static') ? 'public, max-age=0' : 'no-store')
      expect(received['x-content-type-options']).toBe('nosniff')
      expect(Object.keys(received).filter((name) => ['server', 'x-powered-by', 'via'].includes(name))).toEqual([])
    }
  },
)

test.each<[string | undefined, declared: string, sent: string, vary: string]>([
  [undefined, 'application/json', 'application/json', 'Accept'],
  ['text/csv', 'text/csv', 'text/csv; charset=utf-8', 'Accept, Accept-Language'],
  [
    'application/json;q=0.5, text/csv; charset=latin1',
    'text/csv',
    'text/csv; charset=utf-8',
    'Accept, Accept-Language',
  ],
  ['image/png', 'application/json', 'application/json', 'Accept'],
])('a handler sees the first declared media type that fits Accept: %s', async (accept, declared, type, vary) => {
  const content = { 'application/json': {}, 'text/csv': { schema: { type: 'string' } } }
  const responses = { 200: { description: 'Things.', headers: { Vary: { schema: {} } }, content } }
  const get = ({ accept: contentType }: { accept?: string }) => {
    expect(contentType).toBe(declared)
    const headers = contentType === 'text/csv' ? { Vary: 'Accept-Language' } : {}
    return { status: 200, body: 'a', contentType, headers }
  }
  const { send } = await serveGet(get, responses)
  expect(await send({ headers: { accept } })).toMatchObject({ status: 200, headers: { 'content-type': type, vary } })
})

test.each([
  ['application/a+json;VERSION="2"', 2],
  ['application/a+json; version=1; q=0.5, application/a+json; version=2', 2],
  ['application/a+json; version=1, application/a+json; version=2; q=0.5', 1],
  ['application/a+json; version=3', 1],
  ['*/*', 1],
])('a handler sees the media type whose parameters Accept asks for: %s', async (accept, version) => {
  const types = ['application/a+json; version=1', 'application/a+json;version="2"']
  const content = Object.fromEntries(types.map((type) => [type, {}]))
  const get = ({ accept: contentType }: { accept: string }) => ({ status: 200, body: [], contentType })
  const { send } = await serveGet(get, { 200: { description: '', content } })
  expect((await send({ headers: { accept } })).headers['content-type']).toBe(types[version - 1])
})

describe('the docs page', () => {
  const reply = () => ({ status: 200, body: {} })

  test('forbids inline and foreign scripts, and frames', async () => {
    const { send } = await serve()
    for (const url of ['/docs', '/docs/static/swagger-ui-bundle.js', '/docs/static/swagger-initializer.js']) {
      const { status, headers } = await send({ url })
      expect(status).toBe(200)
      expect(headers['content-security-policy']?.split(';')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
        ]),
      )
      expect(headers['x-frame-options']).toBe('DENY')
    }
  })

  test('escapes its title, and works below any prefix of a proxy', async () => {
    const { send } = await serve({ before: (app) => app.get('/docs/favicon.svg', () => '') })
    for (const url of ['/docs', '/docs/']) {
      const { text } = await send({ url })
      expect(text).toContain('<title>Shop &#38; &#60;Sons></title>')
      const paths = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(
        ([, path = '']) => new URL(path, `http://a/p${url}`),
      )
      expect(paths).toHaveLength(6)
      for (const { pathname } of paths) expect((await send({ url: pathname.replace('/p', '') })).status).toBe(200)
    }
  })

  test('has an icon only if the service serves one', async () => {
    const { send } = await serve()
    expect((await send({ url: '/docs' })).text).toContain('<link rel="icon" href="data:,">')
    const withIcon = await serve({ before: (app) => app.get('/docs/favicon.svg', () => '') })
    expect((await withIcon.send({ url: '/docs/' })).text).toContain('href="favicon.svg"')
  })

  test('shows integers beyond 2^53 exactly', async () => {
    const example = { value: { id: 9007199254740993n } }
    const content = { 'application/json': { examples: { beyond: example } } }
    const responses = { 200: { description: 'Done.', content, maximum: 9223372036854775807n } }
    const { send } = await serveGet(reply, responses)
    const { text } = await send({ url: '/docs/static/swagger-initializer.js' })
    expect(text).toContain(JSON.stringify(['{\n  "id": 9007199254740993\n}', '9223372036854775807']))
    expect(text).toContain('"value":"{\\n  \\"id\\": 9007199254740993\\n}"')
  })

  test('shows a contract with an operation or an extension that is null', async () => {
    const ofNone = { get: { operationId: 'none', responses: ok } }
    const paths = {
      'x-note': null,
      'x-path': ofNone,
      '/': { get: { operationId: 'get' }, put: null },
    }
    const { send } = await serveGet(reply, {}, { paths })
    expect((await send({ url: '/docs/static/swagger-initializer.js' })).status).toBe(200)
  })

  test('shows the items of a stream as a list', async () => {
    const content = { 'application/jsonl': { itemSchema: { type: 'integer' } } }
    const { send } = await serveGet(reply, { 200: { description: 'Numbers.', content } })
    const { text } = await send({ url: '/docs/static/swagger-initializer.js' })
    const schema = { type: 'array', description: 'A stream of these items.', items: { type: 'integer' } }
    expect(text).toContain(`"application/jsonl":{"schema":${JSON.stringify(schema)}`)
  })

  test('revalidates its files by ETag', async () => {
    const { send } = await serve()
    const url = '/docs/static/swagger-ui.css'
    const { headers } = await send({ url })
    for (const tags of [headers['etag'], `"x", W/${String(headers['etag'])}`, '*']) {
      expect(await send({ url, headers: { 'if-none-match': tags } })).toMatchObject({ status: 304, text: '' })
    }
    expect((await send({ url, headers: { 'if-none-match': '"x"' } })).status).toBe(200)
  })
})

test('long responses reach a slow reader to the last byte', async () => {
  const body = `🌱${'x'.repeat(120_000)}`
  const { listen } = await serveGet(() => ({ status: 200, body }))
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n'
  const socket = await openSocket(await listen())
  // More than socket buffers hold, so that the server must keep the rest.
  socket.write(`${request}\r\n`.repeat(39) + `${request}Connection: close\r\n\r\n`)
  await delay(200)
  expect((await text(socket)).split(JSON.stringify(body))).toHaveLength(41)
})

test('unread responses are limited, and a closed connection makes room', async () => {
  const body = 'x'.repeat(8_000_000)
  const { listen } = await serveGet(() => ({ status: 200, body }), ok, { limits: { unreadBytes: 1 } })
  const origin = await listen()
  const socket = await openSocket(origin)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  socket.pause()
  const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const statuses = async () => (await exchange(origin, last)).map(({ status }) => status)
  expect(await statuses()).toEqual([503])
  socket.destroy()
  await expect.poll(statuses).toEqual([200])
})
