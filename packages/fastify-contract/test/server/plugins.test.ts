import autoload from '@fastify/autoload'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import csrf from '@fastify/csrf-protection'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import sensible from '@fastify/sensible'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { fastifyContract } from 'fastify-contract'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bothServers, contractOf, encoded, serve, shop } from './support/serve.ts'

const headers = { authorization: 'Bearer me' }

/** A failure of the contract, with a message. */
const failure = (name: string, message: string | RegExp) => ({
  failure: name,
  message: expect.stringMatching(message) as string,
})

describe.each(bothServers)('on %s', (_kind, isGuest) => {
  /** Serves the shop beside plugins. */
  const serveBeside = async (before: (app: FastifyInstance) => unknown, more: object = {}) =>
    (await serve({ isGuest, before, ...more })).app

  test('@fastify/rate-limit counts each request once, and answers 429 in the form of failures', async () => {
    const app = await serveBeside((host) => host.register(rateLimit, { max: 2 }))
    const get = () => app.inject({ url: '/things', headers })
    for (const left of ['1', '0']) {
      const { statusCode, headers: sent } = await get()
      expect([statusCode, sent['x-ratelimit-remaining']]).toEqual([200, left])
    }
    const limited = await get()
    expect([limited.statusCode, limited.json()]).toEqual([429, failure('request_refused', /^Rate limit exceeded/)])
    expect(limited.headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'retry-after': '60',
      'cache-control': 'no-store',
    })
  })

  test('its contexts have names for traces', async () => {
    const plugins = (await serveBeside(() => undefined)).printPlugins()
    expect(plugins).toMatch(/operationRoutes[^]*docsRoutes/)
    expect(plugins).not.toContain('=>')
  })

  test('@fastify/jwt answers 401 in the form of failures', async () => {
    const app = await serveBeside(async (host) => {
      await host.register(jwt, { secret: 'secret' })
      host.addHook('preParsing', async (request) => void (await request.jwtVerify()))
    })
    const { statusCode, json } = await app.inject({ url: '/things', headers })
    expect([statusCode, json()]).toEqual([401, failure('request_refused', /token is invalid/)])
    const paths = { '/open': { get: { operationId: 'open', security: [] } } }
    const handlers = { open: () => ({ status: 200, body: 'in' }) }
    const open = await serveBeside(
      async (host) => {
        await host.register(jwt, { secret: 'secret' })
        host.addHook('onRequest', async (request) => void (await request.jwtVerify()))
      },
      { paths, handlers },
    )
    const signed = { authorization: `Bearer ${open.jwt.sign({ sub: 'me' })}` }
    expect((await open.inject({ url: '/open', headers: signed })).json()).toBe('in')
  })

  test('@fastify/csrf-protection answers 403 in the form of failures', async () => {
    const app = await serveBeside(async (host) => {
      await host.register(cookie)
      await host.register(csrf)
      host.addHook('onRequest', (request, reply, done) => {
        if (request.method === 'POST') host.csrfProtection(request, reply, done)
        else done()
      })
      host.get('/token', (_request, reply) => reply.send(reply.generateCsrf()))
    })
    const post = (more: object) => app.inject({ method: 'POST', url: '/things', payload: { id: 1 }, ...more })
    const refused = await post({ headers })
    expect([refused.statusCode, refused.json()]).toEqual([403, failure('request_refused', 'Missing csrf secret')])
    const { payload, cookies } = await app.inject('/token')
    const { name, value } = cookies[0]!
    const sent = await post({ headers: { ...headers, 'csrf-token': payload }, cookies: { [name]: value } })
    expect(sent.statusCode).toBe(200)
  })

  test('errors of @fastify/sensible in a hook keep their status', async () => {
    const app = await serveBeside(async (host) => {
      await host.register(sensible)
      host.addHook('preHandler', () => Promise.reject(host.httpErrors.conflict('it is being changed')))
    })
    const { statusCode, json } = await app.inject({ url: '/things', headers })
    expect([statusCode, json()]).toEqual([409, failure('request_refused', 'it is being changed')])
  })

  test('@fastify/under-pressure answers 503 in the form of failures', async () => {
    const app = await serveBeside((host) =>
      host.register(underPressure, {
        healthCheck: () => Promise.resolve(false),
        healthCheckInterval: 1_000,
        retryAfter: 7,
      }),
    )
    const { statusCode, json, headers: sent } = await app.inject({ url: '/things', headers })
    expect([statusCode, json()]).toEqual([503, failure('unavailable', /not available now/)])
    expect(sent['retry-after']).toBe('7')
  })

  test('@fastify/helmet and @fastify/cookie set headers of operations, and the docs page keeps its own', async () => {
    const app = await serveBeside(async (host) => {
      await host.register(helmet)
      await host.register(cookie)
      host.addHook('preHandler', ({ cookies }, reply, done) => {
        reply.setCookie('seen', String(cookies['id']))
        done()
      })
    })
    const { headers: sent } = await app.inject({ url: '/things', headers: { ...headers, cookie: 'id=7' } })
    expect(sent).toMatchObject({
      'x-dns-prefetch-control': 'off',
      'set-cookie': expect.stringMatching(/^seen=7;/) as string,
      'cache-control': 'no-store',
    })
    const page = await app.inject('/docs')
    expect(page.headers['content-security-policy']).toMatch(/connect-src 'self'/)
  })

  test('a hook may say how long caches keep replies, and they keep no failure', async () => {
    const app = await serveBeside((host) => {
      host.addHook('onRequest', (_request, reply, next) => {
        reply.header('cache-control', 'private, max-age=5')
        next()
      })
    })
    const kept = async (url: string) => (await app.inject({ url, headers })).headers['cache-control']
    expect(await kept('/things')).toBe('private, max-age=5')
    expect(await kept('/things?limit=x')).toBe('no-store')
  })

  test('@fastify/multipart reads forms of other routes, and the contract those of operations', async () => {
    const form = { 'multipart/form-data': { schema: { type: 'object', properties: { name: { type: 'string' } } } } }
    const post = {
      operationId: 'add',
      requestBody: { required: true, content: form },
    }
    const app = await serveBeside(
      async (host) => {
        await host.register(multipart)
        host.post('/upload', async (request) => (await request.file())?.filename)
      },
      { paths: { '/add': { post } }, handlers: { add: ({ body }: { body: object }) => ({ status: 200, body }) } },
    )
    const send = async (url: string, name: string, value: string | File) => {
      const form = new FormData()
      form.append(name, value)
      return app.inject({ method: 'POST', url, ...(await encoded(form, headers)) })
    }
    expect((await send('/upload', 'file', new File(['a'], 'a.txt'))).payload).toBe('a.txt')
    expect((await send('/add', 'name', 'b')).json()).toEqual({ name: 'b' })
  })

  test('@fastify/cors answers preflights, and adds its headers to operations', async () => {
    const app = await serveBeside((host) => host.register(cors, { origin: 'https://a.example', methods: ['POST'] }))
    const origin = { origin: 'https://a.example' }
    const preflight = await app.inject({
      method: 'OPTIONS',
      url: '/things',
      headers: { ...origin, 'access-control-request-method': 'POST' },
    })
    expect([preflight.statusCode, preflight.headers['access-control-allow-methods']]).toEqual([204, 'POST'])
    const { headers: sent } = await app.inject({ url: '/things', headers: { ...headers, ...origin } })
    expect(sent['access-control-allow-origin']).toBe('https://a.example')
  })

  test('@fastify/swagger lists operations by their names, and no file of the docs page', async () => {
    const { get } = shop['/things']
    const paths = { ...shop, '/things': { ...shop['/things'], get: { ...get, tags: ['things'], summary: 'Lists.' } } }
    const app = await serveBeside(
      async (host) => {
        await host.register(swagger, { openapi: {} })
        await host.register(swaggerUi, { routePrefix: '/documentation' })
      },
      { paths },
    )
    await app.ready()
    const { paths: listed } = app.swagger() as unknown as { paths: Record<string, Record<string, object>> }
    expect(Object.keys(listed)).toEqual(['/things', '/things/{id}'])
    expect(listed['/things']!['get']).toMatchObject({ operationId: 'listThings', tags: ['things'], summary: 'Lists.' })
    expect(listed['/things/{id}']!['delete']).toMatchObject({ operationId: 'deleteThing' })
    expect((await app.inject('/documentation/json')).json()).toMatchObject({ paths: listed })
    expect((await app.inject('/openapi.json')).json()).toMatchObject({ info: { title: 'Shop & <Sons>' } })
  })

  test('@fastify/autoload gives a contract the prefix of its folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'autoload-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const within = 'export default async (app, { plugin }) => { await app.register(plugin) }'
    const itself =
      "export default Object.assign((app, given) => given.plugin(app, given), { [Symbol.for('skip-override')]: true })"
    for (const [name, source] of [
      ['within', within],
      ['itself', itself],
    ] as const) {
      await mkdir(join(folder, 'routes', name), { recursive: true })
      await writeFile(join(folder, 'routes', name, 'index.js'), source)
    }
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
    const get = { operationId: 'getPart', security: [], parameters }
    const paths = { '/parts/{id}': { get } }
    const handlers = { getPart: () => ({ status: 200, body: 'part' }) }
    const plugin = fastifyContract(contractOf({ paths }), { handlers })
    const app = await serveBeside((host) =>
      host.register(autoload, { dir: join(folder, 'routes'), options: { plugin } }),
    )
    for (const prefix of ['/within', '/itself']) {
      expect((await app.inject(`${prefix}/parts/1`)).json()).toBe('part')
      const wrong = await app.inject({ method: 'PUT', url: `${prefix}/parts/1` })
      expect([wrong.statusCode, wrong.headers['allow'], wrong.headers['content-type']]).toEqual([
        405,
        'GET, HEAD',
        'application/problem+json',
      ])
      expect((await app.inject(`${prefix}/openapi.json`)).json()).toMatchObject({ info: { title: 'Things' } })
    }
    expect((await app.inject('/parts/1')).statusCode).toBe(404)
    expect((await app.inject({ url: '/things', headers })).json()).toEqual([])
  })
})
