import { notImplemented, serve } from 'fastify-contract'
import { expect, onTestFinished, test } from 'vitest'
import { contractOf, failures, ok } from './support/serve.ts'

const info = { title: 'Things', version: '1.0.0' }
const responses = { ...ok, ...failures }

/** Serves one operation, `GET /things`. */
async function serveThings(operation: object, options: object = {}, document: object = {}) {
  const paths = { '/things': { get: { operationId: 'listThings', responses, ...operation } } }
  const handlers = { listThings: () => ({ status: 200, body: ['a'] }) }
  const app = await serve(contractOf({ openapi: '3.1.0', info, paths, ...document }), { handlers, ...options })
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
  [{ 'Cache-Control': 'max-age=60' }, 'max-age=60', undefined],
  [{ ETag: '"a"' }, undefined, '"a"'],
  [{ 'Cache-Control': 'no-cache', ETag: '"b"' }, 'no-cache', '"b"'],
  [{}, 'no-store', undefined],
])('a reply with the headers %j controls caching', async (headers, cacheControl, etag) => {
  const text = { schema: { type: 'string' } }
  const declared = { 200: { ...ok[200], headers: { 'Cache-Control': text, ETag: text } } }
  const handlers = { listThings: () => ({ status: 200, headers, body: [] }) }
  const app = await serveThings({ responses: declared }, { handlers })
  const { headers: received } = await app.inject('/things')
  expect([received['cache-control'], received['etag']]).toEqual([cacheControl, etag])
  expect(received['x-content-type-options']).toBe('nosniff')
})

const servers = [{ url: 'https://a.example/v1/' }, { url: '/v2' }]

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
