import { Refusal, failed } from 'fastify-contract'
import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { type Shop, bothServers, failures, ok, serve } from './support/serve.ts'

const headers = { authorization: 'Bearer me' }

/** An error with a status, as http-errors make it. */
const httpError = (statusCode: number, more: object = {}) =>
  Object.assign(new Error('as the error says'), { statusCode, ...more })

/** Serves the shop, in which every handler throws this. */
const serveThrowing = (thrown: unknown, more: Shop = {}) => {
  const fail = () => {
    throw thrown
  }
  return serve({ handlers: { listThings: fail, createThing: fail, deleteThing: fail }, ...more })
}

/** Adds a hook that throws this. */
const throwing = (thrown: unknown) => (host: FastifyInstance) => {
  host.addHook('preHandler', () => Promise.reject(thrown as Error))
}

describe.each(bothServers)('on %s', (_kind, isGuest) => {
  test.each([404, 429, 503])('a handler that throws an error with the status %i gives 500', async (statusCode) => {
    const thrown = httpError(statusCode, { headers: { 'x-secret': 'x' } })
    const { app, lines } = await serveThrowing(thrown, { isGuest })
    const { json, headers: sent, ...response } = await app.inject({ url: '/things', headers })
    expect([response.statusCode, json(), sent['x-secret']]).toEqual([
      500,
      { failure: 'internal', message: expect.stringContaining('quote the X-Request-Id') as string },
      undefined,
    ])
    expect(lines().filter(({ msg }) => msg === 'request failed')).toMatchObject([{ err: { statusCode } }])
  })

  test('a handler may throw a declared failure', async () => {
    const thrown = failed<{ status: 404; body: object }>({ status: 404, body: { failure: 'gone', message: '' } })
    const { app, lines } = await serveThrowing(thrown, { isGuest })
    const { statusCode, json } = await app.inject({ url: '/things', headers })
    expect([statusCode, json()]).toEqual([404, { failure: 'gone', message: '' }])
    expect(lines().filter(({ level }) => level === 50)).toEqual([])
  })

  test('a failure that a handler throws is validated like a reply', async () => {
    const responses = {
      ...ok,
      404: { description: 'Gone.', content: { 'application/json': { schema: { type: 'object' } } } },
    }
    const paths = { '/things': { get: { operationId: 'listThings', responses } } }
    for (const reply of [
      { status: 404, body: 'text' },
      { status: 409, body: {} },
    ] as const) {
      const listThings = () => Promise.reject(failed<typeof reply>(reply))
      const { app, lines } = await serve({ isGuest, paths, handlers: { listThings } })
      expect((await app.inject({ url: '/things', headers })).statusCode).toBe(500)
      expect(JSON.stringify(lines())).toContain(`the ${String(reply.status)} reply of listThings breaks the contract`)
    }
  })

  test.each<[string, unknown, number, string]>([
    ['an error', httpError(418), 418, 'as the error says'],
    ['an error with status', Object.assign(new Error('no'), { status: 422 }), 422, 'no'],
    ['an object', { statusCode: 429, message: 'slowly' }, 429, 'slowly'],
    ['an object without a message', { statusCode: 410 }, 410, 'Gone'],
    ['a Refusal', new Refusal('request_refused', 'closed', {}, 402), 402, 'closed'],
  ])('%s with a 4xx status of a hook is sent in the form of failures', async (_what, thrown, status, message) => {
    const { app, lines } = await serve({ isGuest, before: throwing(thrown) })
    const { json, ...response } = await app.inject({ url: '/things', headers })
    expect([response.statusCode, json()]).toEqual([status, { failure: 'request_refused', message }])
    expect(lines().filter(({ level }) => level === 50)).toEqual([])
  })

  test('a hook may set the status and the headers of its error', async () => {
    const before = (host: FastifyInstance) => {
      host.addHook('onRequest', (_request, reply) => {
        void reply.code(451).header('x-one', 'a')
        return Promise.reject(Object.assign(new Error('no'), { headers: { 'x-two': 'b' } }))
      })
    }
    const { app } = await serve({ isGuest, before })
    const { statusCode, headers: sent } = await app.inject({ url: '/things', headers })
    expect([statusCode, sent['x-one'], sent['x-two']]).toEqual([451, 'a', 'b'])
  })

  test.each<[string, unknown]>([
    ['without a status', new Error('secret')],
    ['with the status 500', httpError(500)],
    ['with the status of a success', httpError(200)],
    ['with a status that is no number', Object.assign(new Error('secret'), { statusCode: '4xx' })],
    ['that is a text', 'secret'],
  ])('an error of a hook %s gives 500, and is logged once', async (_what, thrown) => {
    const { app, lines } = await serve({ isGuest, before: throwing(thrown) })
    const { statusCode, payload } = await app.inject({ url: '/things', headers })
    expect([statusCode, JSON.parse(payload)]).toMatchObject([500, { failure: 'internal' }])
    expect(lines().filter(({ level }) => level === 50)).toHaveLength(1)
  })

  test('the error handler of the server gets what hooks and its own routes throw, not what handlers throw', async () => {
    const own = (host: FastifyInstance) => {
      host.setErrorHandler(async (error: Error, _request, reply) => reply.code(599).send({ own: error.message }))
    }
    const refused = await serve({
      isGuest,
      before: (host) => {
        own(host)
        throwing(httpError(404))(host)
      },
    })
    const hooked = await refused.app.inject({ url: '/things', headers })
    expect([hooked.statusCode, hooked.json()]).toEqual([599, { own: 'as the error says' }])
    const other = await serveThrowing(httpError(404), {
      isGuest,
      before: (host) => {
        own(host)
        host.get('/own', () => Promise.reject(new Error('of a route')))
      },
    })
    expect((await other.app.inject('/own')).json()).toEqual({ own: 'of a route' })
    expect((await other.app.inject({ url: '/things', headers })).statusCode).toBe(500)
    expect((await other.app.inject('/things')).json()).toMatchObject({ failure: 'credentials_missing' })
  })
})

test('errors with a status of routes beside the contract keep it, in the form of failures', async () => {
  const { send } = await serve({
    beside: (host) => {
      host.get('/own', () => Promise.reject(httpError(409)))
    },
  })
  const { status, text } = await send({ url: '/own' })
  expect([status, JSON.parse(text)]).toEqual([409, { failure: 'request_refused', message: 'as the error says' }])
})

test('a refusal has the status and the code of an error of Fastify', async () => {
  const seen: unknown[] = []
  const before = (host: FastifyInstance) => {
    host.addHook('onError', (_request, _reply, error, done) => {
      seen.push([error.statusCode, error.code])
      done()
    })
  }
  const { send } = await serve({ before })
  await send({ url: '/things?limit=x' })
  await send({ url: '/things', headers: { authorization: undefined } })
  expect(seen).toEqual([
    [400, 'FST_CONTRACT_INVALID_REQUEST'],
    [401, 'FST_CONTRACT_CREDENTIALS_MISSING'],
  ])
})

test('a declared failure that is thrown outside of a handler is a fault', async () => {
  const thrown = failed<{ status: 404; body: object }>({ status: 404, body: failures })
  const { app } = await serve({ before: throwing(thrown) })
  expect((await app.inject({ url: '/things', headers })).statusCode).toBe(500)
})
