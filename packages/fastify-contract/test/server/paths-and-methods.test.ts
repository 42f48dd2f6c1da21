import { METHODS } from 'node:http'
import { describe, expect, test } from 'vitest'
import { exchange } from './support/exchange.ts'
import { failures, serve, shareServer } from './support/serve.ts'

const server = shareServer()

test.each([
  ['/things', ['GET', 'HEAD', 'POST']],
  ['/things?limit=1', ['GET', 'HEAD', 'POST']],
  ['/things/x', ['DELETE']],
  ['/th%69ngs/%25zz%2Fx', ['DELETE']],
  ['/beside', ['GET', 'HEAD']],
  ['/openapi.json', ['GET', 'HEAD']],
  ['/docs/', ['GET', 'HEAD']],
  ['/docs/static/swagger-ui.css', ['GET', 'HEAD']],
])('%s allows %j; other methods get 405 with Allow', async (url, allowed) => {
  const beside = (app: { get: (path: string, handler: () => string) => unknown }) => void app.get('/beside', () => 'a')
  const { send } = await serve({ beside })
  // CONNECT has no path.
  for (const method of METHODS.filter((each) => each !== 'CONNECT' && !allowed.includes(each))) {
    const { status, headers, text } = await send({ method, url, headers: { authorization: undefined } })
    expect([method, status, headers['allow']]).toEqual([method, 405, allowed.join(', ')])
    if (method !== 'HEAD')
      expect(text).toContain(`${method} is not allowed on this path; allowed: ${allowed.join(', ')}`)
  }
})

test.each([
  ...['/', '/thing', '/Things', '/things/', '/things//', '//things', '/things/1/', '/things/1/2', '/v1/things'],
  ...['/things;v=1', '/things.json', '/things%2F1', '/%2Fthings', '/constructor', '/__proto__', '/?things', '/%00'],
  ...['/docs/nothing', '/docs/static/nothing.js', '/docs/static/..%2f..%2fpackage.json', '/docs/static/index.css/'],
  ...['/docs/static/csp.json', '/docs/static/%00', '/openapi', '/openapi.yml', '/.env', '/favicon.ico'],
])('%s gives 404 for every method, with or without credentials', async (url) => {
  const { send } = server()
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
    for (const headers of [{}, { authorization: undefined }]) {
      const { status, headers: received } = await send({ method, url, headers })
      expect([method, status, received['allow']]).toEqual([method, 404, undefined])
    }
  }
})

test('only browsers are redirected from / to the docs page', async () => {
  const { send } = server()
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const [status, request] of [
    [302, { url: '/' }],
    [302, { url: '/?x=1' }],
    [302, { url: '/', method: 'HEAD' }],
    [404, { url: '/', method: 'POST' }],
    [404, { url: '/', headers: { accept: '*/*' } }],
    [404, { url: '/nowhere' }],
    [400, { url: '/', headers: { accept, host: 'a b' } }],
  ] as const) {
    const { headers, ...response } = await send({ headers: { accept }, ...request })
    expect([request, response.status, headers['location']]).toEqual([
      request,
      status,
      status === 302 ? './docs' : undefined,
    ])
  }
})

test('a path that does not exist is answered with that of the docs page, if there is one', async () => {
  const { send } = server()
  expect((await send({ url: '/' })).text).toContain('the path does not exist; see /docs"')
  const { send: sendToOther } = await serve({ options: { docs: false } })
  expect((await sendToOther({ url: '/' })).text).toContain('the path does not exist"')
})

test.each([
  ...['/things/%', '/things/%2', '/things/%zz', '/things/%ff', '/things/%C3', '/things/%ED%A0%80', '/%', '/nowhere?%'],
  ...['/things?limit=1%', '/things?limit=%u0031', '/things?limit=%C3%28', '/things?limit=%C0%B1', '/things?%zz=1'],
  ...['/things?limit=%F5%80%80%80', '/things?limit=1&%C3=1', '/docs?%', '/docs/static/index.css?v=%zz'],
])('the broken percent-encoding of %s is refused first', async (url) => {
  const { send } = server()
  for (const method of ['GET', 'DELETE', 'POST', 'PROPFIND']) {
    for (const headers of [{}, { authorization: undefined }]) {
      const { status, text } = await send({ method, url, headers })
      expect([status, JSON.parse(text)]).toMatchObject([400, { failure: 'malformed_http' }])
    }
  }
})

test('valid percent-encoding is decoded', async () => {
  const { send } = server()
  for (const url of ['/th%69ngs', '/things?limit=%31', '/things?%6Cimit=0'])
    expect((await send({ url })).status).toBe(200)
  expect((await send({ url: '/things?%C3%A9=1' })).text).toContain('é')
})

test.each([
  ['GET HTTPS://a.example:8443/things?limit=1', 200],
  ['GET http://[::1]:3000/things', 200],
  ['GET http://pl%61nts.example/things', 200],
  ['GET http://a.example?limit=1', 404],
  ['GET ftp://a.example/things', 404],
  ['GET /docs/../things', 404],
  ['GET /docs/static/%2e%2e/%2e%2e/package.json', 404],
  ['GET http://user@/things', 400],
  ['GET http://a.example@b.example/things', 400],
  ['GET http://a\\b/things', 400],
  ['GET http://a%zz/things', 400],
  ['GET /things#a', 400],
])('the request line %s gives %i', async (line, status) => {
  const { listen } = server()
  const fields = 'Host: a\r\nAuthorization: Bearer me\r\nConnection: close\r\n\r\n'
  const responses = await exchange(await listen(), `${line} HTTP/1.1\r\n${fields}`)
  expect(responses.map(({ status: sent }) => sent)).toEqual([status])
})

describe('a contract', () => {
  const operation = (operationId: string, parameters: string[] = []) => ({
    operationId,
    parameters: parameters.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
  })
  const reply = (body: unknown) => () => ({ status: 200, body })

  test('with overlapping paths is served by the most concrete path', async () => {
    const paths = {
      '/things/{id}': { get: operation('getThing', ['id']), delete: operation('deleteThing', ['id']) },
      '/things/mine': { get: operation('getMine') },
    }
    const handlers = { getThing: reply('thing'), deleteThing: reply('deleted'), getMine: reply('mine') }
    const { send } = await serve({ paths, handlers })
    expect((await send({ url: '/things/mine' })).text).toBe('"mine"')
    expect((await send({ method: 'DELETE', url: '/things/yours' })).text).toBe('"deleted"')
    expect(await send({ method: 'DELETE', url: '/things/mine' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    })
  })

  test('may use any parameter names, and colons in paths', async () => {
    const names = ['constructor', 'a.b-c:d', 'é']
    const path = `/a:b/${names.map((name) => `{${name}}`).join('/x/')}`
    const handlers = { get: ({ path: given }: { path: object }) => ({ status: 200, body: Object.entries(given) }) }
    const { send } = await serve({ paths: { [path]: { get: operation('get', names) } }, handlers })
    const { text } = await send({ url: '/a:b/1%2F/x/2/x/%C3%A9' })
    expect(JSON.parse(text)).toEqual([
      ['constructor', '1/'],
      ['a.b-c:d', '2'],
      ['é', 'é'],
    ])
  })

  test('may declare its own HEAD', async () => {
    const head = { operationId: 'head', responses: { 204: { description: 'There.' }, ...failures } }
    const paths = { '/things': { get: operation('get'), head } }
    const { send } = await serve({ paths, handlers: { get: reply('a'), head: () => ({ status: 204 }) } })
    expect(await send({ method: 'HEAD', url: '/things' })).toMatchObject({ status: 204, text: '' })
    expect((await send({ url: '/things' })).text).toBe('"a"')
  })
})

describe('methods of OpenAPI 3.2', () => {
  const content = { 'application/json': { schema: { type: 'object', required: ['a'] } }, 'text/x-query;v=1': {} }
  const served = (operationId: string) => ({ operationId })
  const paths = {
    '/found': {
      query: { ...served('query'), requestBody: { required: true, content } },
      additionalOperations: { COPY: { ...served('copy'), requestBody: { content } }, LOCK: served('lock') },
    },
    '/{other}': { get: { ...served('get'), parameters: [{ name: 'other', in: 'path', required: true, schema: {} }] } },
  }
  const reply = ({ body }: { body?: unknown }) => ({ status: 200, body: body ?? null })
  const handlers = { query: reply, copy: reply, lock: reply, get: reply }

  test.each([
    ['QUERY', 200, { body: '{"a":1}' }, '{"a":1}'],
    ['QUERY', 200, { body: 'a', headers: { 'content-type': 'text/x-query; v=1' } }, '"a"'],
    ['QUERY', 400, { body: '{}' }, 'body/a is required'],
    ['QUERY', 400, {}, 'the body is empty'],
    // In the words of Fastify 6, which refuses it before the body is read.
    ['QUERY', 400, { headers: { 'content-type': 'application/json' } }, 'body'],
    ['QUERY', 415, { body: '{}', headers: { 'content-type': undefined } }, 'Content-Type must be application/json'],
    ['QUERY', 415, { body: '{}', headers: { 'content-type': 'text/plain' } }, 'Content-Type must be'],
    ['QUERY', 401, { body: '{"a":1}', headers: { authorization: undefined } }, ''],
    ['COPY', 200, { body: '{"a":1}' }, '{"a":1}'],
    ['COPY', 200, {}, 'null'],
    ['COPY', 400, { body: '{}' }, 'body/a is required'],
    ['LOCK', 200, {}, 'null'],
  ] as const)('%s gets %i: %j', async (method, status, request, text) => {
    const { send } = await serve({ paths, handlers })
    const response = await send({ method, url: '/found', ...request })
    expect(response).toMatchObject({ status, headers: { 'accept-query': 'application/json, text/x-query;v="1"' } })
    expect(response.text).toContain(text)
  })

  test('are named in Allow, and no others are taken', async () => {
    const { send } = await serve({ paths, handlers })
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'MOVE']) {
      const { status, headers } = await send({ method, url: '/found' })
      expect([method, status, headers['allow']]).toEqual([method, 405, 'COPY, LOCK, QUERY'])
    }
    for (const method of ['QUERY', 'COPY', 'POST'])
      expect((await send({ method, url: '/other', body: '{}' })).headers['allow']).toBe('GET, HEAD')
    expect((await send({ url: '/other' })).headers).not.toHaveProperty('accept-query')
  })

  test('are chosen by name', async () => {
    const options = { only: ['copy'] as never[] }
    const { send } = await serve({ paths, handlers: { copy: reply }, options })
    expect((await send({ method: 'COPY', url: '/found' })).status).toBe(200)
    expect((await send({ method: 'QUERY', url: '/found' })).headers['allow']).toBe('COPY')
  })
})
