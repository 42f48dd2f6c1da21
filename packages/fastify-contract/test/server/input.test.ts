import type { FastifyInstance } from 'fastify'
import { type Contract, inputOf } from 'fastify-contract'
import { describe, expect, test } from 'vitest'
import { type Shop, bothServers, contractOf, encoded, serve, shop } from './support/serve.ts'

// Names that a service may use for its own. The compiler refuses them if the library declares them as well.
declare module 'fastify' {
  interface FastifyRequest {
    content: string | null
  }
  interface FastifyContextConfig {
    operation?: string
  }
}

const headers = { authorization: 'Bearer me' }

/** Serves the shop with hooks that note what they see. */
async function serveWatched(more: Shop = {}) {
  const seen: unknown[] = []
  const before = (host: FastifyInstance) => {
    host.addHook('preValidation', (request, _reply, done) => {
      seen.push(inputOf(request))
      done()
    })
    host.addHook('preHandler', (request, _reply, done) => {
      seen.push(inputOf(request))
      done()
    })
    host.get('/own', () => 'own')
  }
  const { app } = await serve({ before, ...more })
  return { app, seen }
}

describe.each(bothServers)('on %s', (_kind, isGuest) => {
  test.each([
    ['/things?limit=5', 200, [undefined, { path: {}, query: { limit: 5 }, header: {}, cookie: {}, body: undefined }]],
    ['/things?limit=x', 400, [undefined]],
    ['/own', 200, [undefined, undefined]],
  ])('preHandler hooks see the valid input, and preValidation hooks do not: %s', async (url, status, inputs) => {
    const { app, seen } = await serveWatched({ isGuest })
    expect((await app.inject({ url, headers })).statusCode).toBe(status)
    expect(seen).toEqual(inputs)
  })

  test('preHandler hooks see the fields of a form in request.body', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } }
    const content = { 'application/x-www-form-urlencoded': { schema }, 'multipart/form-data': { schema } }
    const post = { operationId: 'add', requestBody: { content } }
    const seen: unknown[] = []
    const before = (host: FastifyInstance) => {
      host.decorateRequest('content', null)
      host.addHook('preHandler', (request, _reply, done) => {
        seen.push(request.body)
        done()
      })
    }
    const handlers = { add: () => ({ status: 200, body: {} }) }
    const { app } = await serve({ isGuest, before, paths: { '/add': { post } }, handlers })
    const multipart = new FormData()
    multipart.append('name', 'Ada')
    multipart.append('age', '7')
    for (const form of [new URLSearchParams({ name: 'Ada', age: '7' }), multipart]) {
      await app.inject({ method: 'POST', url: '/add', ...(await encoded(form, headers)) })
    }
    expect(seen).toEqual([
      { name: 'Ada', age: 7 },
      { name: 'Ada', age: 7 },
    ])
  })
})

test('a handler receives the input that hooks have seen', async () => {
  const before = (host: FastifyInstance) => {
    host.addHook('preHandler', (request, _reply, done) => {
      Object.assign(inputOf(request)?.query as object, { limit: 7 })
      done()
    })
  }
  const handlers = {
    listThings: ({ query }: { query: object }) => ({ status: 200, body: query }),
    createThing: () => ({ status: 200, body: {} }),
    deleteThing: () => ({ status: 204 }),
  }
  const { send } = await serve({ before, handlers })
  expect((await send({ url: '/things?limit=5' })).text).toBe('{"limit":7}')
})

test('an input is that of one operation of one contract', async () => {
  const seen: unknown[] = []
  const contract = contractOf({
    info: { title: 'Shop & <Sons>', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths: shop,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }) as Contract<{ operations: Record<'listThings' | 'createThing', unknown>; security: object; schemes: object }>
  const before = (host: FastifyInstance) => {
    host.addHook('preHandler', (request, _reply, done) => {
      const other = { ...contract, sha256: 'other' }
      for (const [of, id] of [
        [contract, 'listThings'],
        [contract, 'createThing'],
        [other, 'listThings'],
      ] as const)
        seen.push(inputOf(request, of, id) !== undefined)
      done()
    })
  }
  const { send } = await serve({ before })
  await send({ url: '/things' })
  expect(seen).toEqual([true, false, false])
})
