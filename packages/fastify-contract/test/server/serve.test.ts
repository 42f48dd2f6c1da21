import fastify, { type FastifyInstance } from 'fastify'
import { notImplemented, serve as serveContract, standInForNotImplemented } from 'fastify-contract'
import { expect, onTestFinished, test } from 'vitest'
import { contractOf, ok, serve } from './support/serve.ts'

const info = { title: 'Things', version: '1.0.0' }

/** Serves one operation, `GET /things`. */
async function serveThings(operation: object, options: object = {}, document: object = {}) {
  const paths = { '/things': { get: { operationId: 'listThings', ...operation } } }
  const handlers = { listThings: () => ({ status: 200, body: ['a'] }) }
  const limits = { shutdownDelayMilliseconds: 0 }
  const contract = contractOf({ info, paths, ...document })
  const app = await serveContract(contract, { handlers, limits, ...options })
  onTestFinished(() => app.close())
  return app
}

test('a handler that is not implemented gives 501 in the form of failures', async () => {
  const app = await serveThings({}, { handlers: { listThings: notImplemented } })
  const { statusCode, headers, payload } = await app.inject('/things')
  expect([statusCode, headers['content-type']]).toEqual([501, 'application/problem+json'])
  expect(JSON.parse(payload)).toEqual({
    title: 'Not Implemented',
    status: 501,
    detail: 'the operation is not implemented',
  })
})

test('an operation with the name then is served, by its handler or by what stands in for it', async () => {
  const then = () => ({ status: 200, body: ['a'] })
  const app = await serveThings({ operationId: 'then' }, { handlers: { then } })
  expect((await app.inject('/things')).json()).toEqual(['a'])
  onTestFinished(() => {
    standInForNotImplemented(() => Promise.resolve({ handlers: {} }))
  })
  standInForNotImplemented(() => Promise.resolve({ handlers: { then } }))
  const standIn = await serveThings({ operationId: 'then' }, { handlers: { then: notImplemented } })
  expect((await standIn.inject('/things')).json()).toEqual(['a'])
})

test('a handler receives the services and the request', async () => {
  const handlers = {
    listThings: (_input: unknown, { greeting, request }: { greeting: string; request: { url: string } }) => ({
      status: 200,
      body: [greeting, request.url],
    }),
  }
  const app = await serveThings({}, { handlers, services: { greeting: 'hello' } })
  expect((await app.inject('/things')).json()).toEqual(['hello', '/things'])
})

test.each([
  [['ETag'], { ETag: '"a"' }, undefined],
  [['ETag'], {}, 'no-store'],
  [['Cache-Control'], {}, undefined],
  [['cache-control'], { 'cache-control': 'max-age=60' }, 'max-age=60'],
  [['Cache-Control', 'ETag'], { 'Cache-Control': 'no-cache', ETag: '"b"' }, 'no-cache'],
])('with %j declared, the headers %j control caching', async (names, headers, cacheControl) => {
  const declared = {
    200: { ...ok[200], headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])) },
  }
  const handlers = { listThings: () => ({ status: 200, headers, body: [] }) }
  const app = await serveThings({ responses: declared }, { handlers })
  const { headers: received } = await app.inject('/things')
  expect(received['cache-control']).toBe(cacheControl)
  expect(received['etag']).toBe(new Map(Object.entries(headers)).get('ETag'))
  expect(received['x-content-type-options']).toBe('nosniff')
})

const servers = [{ url: 'https://a.example/v1/' }, { url: '/v%32' }]

test.each<[object, string[]]>([
  [{}, ['/v1/things', '/v2/things']],
  [{ basePaths: ['/api'] }, ['/api/things']],
  [{ basePaths: [''] }, ['/things']],
])('the options %j serve the operations at %s', async (options, urls) => {
  const app = await serveThings({}, options, { servers })
  const all = ['/things', '/v1/things', '/v2/things', '/api/things']
  const found = await Promise.all(all.map(async (url) => (await app.inject(url)).statusCode === 200))
  expect(all.filter((_url, index) => found[index])).toEqual(urls)
})

test('the docs page can be moved or turned off', async () => {
  const moved = await serveThings({}, { docs: '/internal/docs' })
  expect((await moved.inject('/internal/docs')).payload).toContain('<title>Things</title>')
  expect((await moved.inject('/internal/openapi.json')).json()).toMatchObject({ info })
  const none = await serveThings({}, { docs: false })
  for (const app of [moved, none]) {
    for (const url of ['/docs', '/openapi.json', '/openapi.yaml']) expect((await app.inject(url)).statusCode).toBe(404)
  }
})

test('a path of the contract wins over the docs page', async () => {
  const operation = (operationId: string) => ({ get: { operationId, responses: ok } })
  const paths = { '/docs': operation('listDocs'), '/openapi.json': operation('getJson') }
  const handler = () => ({ status: 200, body: ['own'] })
  const handlers = { listDocs: handler, getJson: handler }
  const app = await serveThings({}, { handlers }, { paths })
  for (const url of ['/docs', '/openapi.json']) expect((await app.inject(url)).json()).toEqual(['own'])
  expect((await app.inject('/docs/')).payload).toContain('<title>Things</title>')
})

/** Starts a server with its own route, hooks and errors that also serves the shop. */
async function serveBeside(register: (app: FastifyInstance) => void = () => undefined) {
  const app = fastify()
  const seen: string[] = []
  app.addHook('onRequest', (request, _reply, done) => {
    seen.push(request.url)
    if (request.headers['x-block'] !== undefined) throw Object.assign(new Error('blocked'), { statusCode: 418 })
    done()
  })
  app.get('/own', () => ({ own: true }))
  app.post('/own', { schema: { body: { type: 'object', required: ['a'] } } }, ({ body }) => body)
  app.get('/own/broken', () => Promise.reject(new Error('broken')))
  register(app)
  const { app: served } = await serve({ app })
  return { app: served, seen }
}

test('the routes, validators and errors of a server work beside a contract', async () => {
  const { app, seen } = await serveBeside()
  const own = await app.inject({ url: '/own' })
  expect([own.statusCode, own.json(), own.headers['cache-control']]).toEqual([200, { own: true }, undefined])
  expect((await app.inject({ method: 'POST', url: '/own', payload: { a: 1 } })).json()).toEqual({ a: 1 })
  expect((await app.inject({ method: 'POST', url: '/own', payload: {} })).json()).toMatchObject({
    code: 'FST_ERR_VALIDATION',
  })
  expect((await app.inject({ url: '/own/broken' })).json()).toMatchObject({ message: 'broken' })
  for (const method of ['GET', 'DELETE'] as const) {
    expect((await app.inject({ method, url: '/own/nowhere' })).json()).toMatchObject({ error: 'Not Found' })
  }
  expect((await app.inject({ method: 'PUT', url: '/own' })).statusCode).toBe(404)
  expect(seen).toHaveLength(7)
})

test('a route that the server already has is refused at the start', async () => {
  const taken = serveBeside((host) => host.get('/things', () => 'own'))
  await expect(taken).rejects.toThrow(/^Method 'GET' already declared for route '\/things'; choose another path/)
})
