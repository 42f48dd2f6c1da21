import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type IncomingHttpHeaders, connect } from 'node:http2'
import { json } from 'node:stream/consumers'
import { runInNewContext } from 'node:vm'
import fastify, { type FastifyInstance } from 'fastify'
import { fastifyContract, fastifyOptions } from 'fastify-contract'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bothServers, contractOf, ok, serve } from './support/serve.ts'

const parameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } })

/** A contract of one operation, which replies with the route that served it. */
function contractOfRoute(path: string, title = 'Parts') {
  const names = Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name)
  const get = { operationId: 'get', parameters: names.map(parameter) }
  const contract = contractOf({ info: { title, version: '1' }, paths: { [path]: { get } } })
  const handlers = {
    get: (_input: never, { request }: { request: { params: unknown; routeOptions: { url?: string } } }) => ({
      status: 200,
      body: { url: request.routeOptions.url, params: request.params },
    }),
  }
  return { contract, handlers }
}

/** The status and the methods that a server tells for a wrong one. */
async function allowedOn(app: FastifyInstance, url: string) {
  const { statusCode, headers } = await app.inject({ method: 'PUT', url })
  return [statusCode, headers['allow']]
}

const semicolon = { useSemicolonDelimiter: true }
// Fastify 5.5 moved the option.
const semicolonDelimiter: object = fastify().version === '5.0.0' ? semicolon : { routerOptions: semicolon }

interface PageSpec {
  servers: { url: string }[]
  paths: Partial<Record<string, { get: { servers?: { url: string }[] } }>>
}

/** What the script of a docs page gives to Swagger UI. */
function specOfPage(script: string, src: string): PageSpec {
  const given: { spec: PageSpec }[] = []
  const any: unknown = new Proxy(function any() {}, {
    get: () => any,
    apply: () => any,
    construct: () => any as object,
  })
  const document = { currentScript: { src }, documentElement: any, body: any }
  const page = {
    document,
    URL,
    Object,
    Set,
    matchMedia: () => any,
    addEventListener: () => undefined,
    MutationObserver: any,
    SwaggerUIBundle: (options: { spec: PageSpec }) => {
      given.push(options)
      return any
    },
  }
  runInNewContext(script, page)
  return given[0]!.spec
}

describe.each(bothServers)('on %s', (_kind, isGuest) => {
  /** Registers contracts of one operation on a server. @param options of Fastify */
  const start = async (register: (app: FastifyInstance) => PromiseLike<unknown>, options: object = {}) => {
    const own = isGuest ? {} : fastifyOptions({ limits: { shutdownDelayMilliseconds: 0 } })
    const app: FastifyInstance = fastify({ ...own, ...options })
    onTestFinished(() => app.close())
    await register(app)
    await app.ready()
    return app
  }
  /** Serves the operation of a path. @param more options of its contract @param options of Fastify */
  const serveRoute = (path: string, more: object = {}, options: object = {}) => {
    const { contract, handlers } = contractOfRoute(path)
    return start(async (host) => host.register(fastifyContract(contract, { handlers, ...more })), options)
  }

  test.each([
    ['/parts/{id}', '/parts/:id', '/parts/7', { id: '7' }],
    ['/parts/{part_id}/of/{id2}', '/parts/:part_id/of/:id2', '/parts/a/of/b', { part_id: 'a', id2: 'b' }],
    ['/v{version}', '/v:version', '/v2', { version: '2' }],
    ['/{p1}/{a.b}', '/:p1/:_p1', '/a/b', { p1: 'a', _p1: 'b' }],
    ['/{from}-{to}', '/:from([^](?:(?!\\-)[^])*)-:to([^]+)', '/1-2-3', { from: '1', to: '2-3' }],
    ['/{name}.json', '/:name([^]+).json', '/a.b.json', { name: 'a.b' }],
    ['/a:b/{id}', '/a::b/:id', '/a:b/c', { id: 'c' }],
  ])('the path %s is the route %s', async (path, route, url, params) => {
    const app = await serveRoute(path)
    expect((await app.inject(url)).json()).toEqual({ url: route, params })
  })

  test.each(['/parts/', '/parts//of/1', '/parts/1/of/', '/parts/?a'])(
    'the empty parameter of %s gives 404',
    async (url) => {
      const { contract, handlers } = contractOfRoute('/parts/{part}/of/{id}')
      const other = contractOfRoute('/parts/{id}', 'Other')
      const app = await start(async (host) => {
        await host.register(fastifyContract(contract, { handlers }))
        await host.register(fastifyContract(other.contract, { handlers: other.handlers, docs: false }))
      })
      for (const method of ['GET', 'HEAD', 'PUT'] as const) {
        const { statusCode, headers, payload } = await app.inject({ method, url })
        expect([method, statusCode, headers['allow']]).toEqual([method, 404, undefined])
        if (method === 'GET') expect(payload).toContain(isGuest ? 'Route GET:' : 'the path does not exist')
      }
    },
  )

  test('register may give a contract a prefix, within that of its context', async () => {
    const { contract, handlers } = contractOfRoute('/parts/{id}')
    const app = await start((host) =>
      host.register(
        async (scope) => {
          await scope.register(fastifyContract(contract, { handlers, basePaths: ['/v1'] }), { prefix: '/shop' })
        },
        { prefix: '/api' },
      ),
    )
    expect((await app.inject('/api/shop/v1/parts/7')).json()).toEqual({
      url: '/api/shop/v1/parts/:id',
      params: { id: '7' },
    })
    expect(await allowedOn(app, '/api/shop/v1/parts/7?a')).toEqual([405, 'GET, HEAD'])
    for (const url of ['/v1/parts/7', '/shop/v1/parts/7', '/api/v1/parts/7']) {
      expect((await app.inject(url)).statusCode).toBe(404)
    }
  })

  test('a server that ignores case and trailing slashes has its docs page and 405 for both paths', async () => {
    // Every version of Fastify takes them here.
    const app = await serveRoute('/parts/{id}', {}, { ignoreTrailingSlash: true, caseSensitive: false })
    for (const [url, link] of [
      ['/docs', 'docs/static/index.css'],
      ['/docs/', '"static/index.css'],
    ] as const) {
      for (const method of ['GET', 'HEAD'] as const) {
        expect((await app.inject({ method, url })).statusCode).toBe(200)
      }
      expect((await app.inject(url)).body).toContain(link)
    }
    for (const url of ['/parts/7', '/PARTS/7/']) {
      expect((await app.inject(url)).statusCode).toBe(200)
      expect(await allowedOn(app, url)).toEqual([405, 'GET, HEAD'])
    }
  })

  test('a path beyond ASCII is served, and has its 405', async () => {
    const app = await serveRoute('/straße/{größe}', { failureForm: () => ({ body: { own: true } }) })
    const url = '/stra%C3%9Fe/gro%C3%9F%25'
    expect((await app.inject({ url })).json()).toMatchObject({ params: { p0: 'groß%' } })
    const refused = await app.inject({ url, method: 'PUT' })
    expect([refused.statusCode, refused.headers['allow'], refused.json()]).toEqual([405, 'GET, HEAD', { own: true }])
  })

  test('a server on which ; begins the query has it everywhere', async () => {
    const texts = { type: 'array', items: { type: 'string' } }
    const list = { name: 'l', in: 'query', schema: texts, explode: false }
    const whole = { name: 'q', in: 'querystring', content: { 'text/plain': { schema: { type: 'string' } } } }
    const path = { ...parameter('p'), schema: texts }
    const get = (operationId: string, parameters: object[], more = {}) => ({
      get: { operationId, parameters, ...more },
    })
    const contract = contractOf({
      openapi: '3.2.0',
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } },
      paths: {
        '/list/{p}': get('list', [path, list], { security: [{ key: [] }] }),
        '/whole': get('whole', [whole]),
      },
    })
    const echo = ({ path: inPath, query, querystring }: Record<string, unknown>) => ({
      status: 200,
      body: { ...(inPath as object), ...(query as object), querystring },
    })
    const auth = { key: (text: string) => (text === 'k' ? 'me' : undefined) }
    const app = await start(
      async (host) => host.register(fastifyContract(contract, { handlers: { list: echo, whole: echo }, auth })),
      semicolonDelimiter,
    )
    const get200 = async (url: string) => (await app.inject(url)).json<unknown>()
    expect(await get200('/list/a%3B,b;key=k&l=a,b%2C')).toEqual({ p: ['a;', 'b'], l: ['a', 'b,'] })
    expect(await get200('/list/a?l=;,b&key=k')).toEqual({ p: ['a'], l: [';', 'b'] })
    expect(await get200('/whole;a=b?c;d')).toEqual({ querystring: 'a=b?c;d' })
    for (const url of ['/list/a,b;x=1', '/whole;?']) {
      expect(await allowedOn(app, url)).toEqual([405, 'GET, HEAD'])
    }
    expect((await app.inject('/list/;key=k')).statusCode).toBe(404)
    expect((await app.inject('/docs/;a')).body).toContain('"static/index.css')
    const root = await app.inject({ url: '/;a', headers: { accept: 'text/html' } })
    expect(root.statusCode).toBe(isGuest ? 404 : 302)
  })

  test('a server on which ; begins the query warns of paths with it', async () => {
    const get = (operationId: string, parameters: object[] = []) => ({
      get: { operationId, parameters, responses: ok },
    })
    const paths = {
      '/b': get('other'),
      '/a;b': get('plain'),
      '/c{p}': get('matrix', [{ ...parameter('p'), style: 'matrix' }]),
    }
    const contract = contractOf({ paths })
    const reply = () => ({ status: 200 })
    const handlers = { other: reply, plain: reply, matrix: reply }
    const warnings = async (options: object, more: object = {}, register: object = {}) => {
      const lines: string[] = []
      const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
      const created = isGuest ? { loggerInstance: logger } : fastifyOptions({ logger })
      const app = fastify({ ...created, ...options })
      onTestFinished(() => app.close())
      await app.register(fastifyContract(contract, { handlers, ...more }), register)
      return lines.filter((line) => line.includes('useSemicolonDelimiter'))
    }
    expect(await warnings(semicolonDelimiter)).toEqual([expect.stringContaining('plain and 1 more have ; in the path')])
    expect(await warnings({})).toEqual([])
    const text = 'other and 2 more have ; in the path'
    for (const [more, register] of [
      [{ basePaths: ['/v;1'] }, {}],
      [{}, { prefix: '/v;1' }],
    ] as const)
      expect(await warnings(semicolonDelimiter, more, register)).toEqual([expect.stringContaining(text)])
  })

  test('a wrong method is answered 405 however the path is written', async () => {
    const { contract, handlers } = contractOfRoute('/parts/{id}')
    const failureForm = ({ name }: { name: string }) => ({ body: { own: name } })
    const register = async (host: FastifyInstance) => {
      await host.register(fastifyContract(contractOfRoute('/tools').contract, { handlers }))
      await host.register(fastifyContract(contract, { handlers, docs: false, failureForm }))
    }
    // Every version of Fastify takes it here.
    const app = await start(register, { ignoreDuplicateSlashes: true })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    for (const target of ['/parts/7', '/p%61rts/%2F%25', '//parts///7?a', 'http://a/parts/7?/', '/parts/%C3%A9;a']) {
      const sent = request(origin, { method: 'PUT', path: target }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const refused = [response.statusCode, await json(response)]
      expect([target, ...refused]).toEqual([target, 405, { own: 'method_not_allowed' }])
    }
  })

  test('the query of a docs page is no part of its path', async () => {
    const app = await serveRoute('/parts')
    expect((await app.inject('/docs?from=/')).body).toContain('docs/static/index.css')
  })

  test('a prefix may have parameters', async () => {
    const { contract, handlers } = contractOfRoute('/parts/{id}')
    const app = await start((host) =>
      host.register(fastifyContract(contract, { handlers, docs: false }), { prefix: '/of/:tenant' }),
    )
    expect((await app.inject('/of/a/parts/7')).json()).toMatchObject({ params: { tenant: 'a', id: '7' } })
    expect(await allowedOn(app, '/of/a/parts/7')).toEqual([405, 'GET, HEAD'])
  })

  test('a 404 handler of the service responds to unknown paths, and to no others', async () => {
    const { contract, handlers } = contractOfRoute('/parts/{id}')
    const app = await start((host) => {
      host.setNotFoundHandler((_request, reply) => reply.code(404).send('not here'))
      return host.register(fastifyContract(contract, { handlers }))
    })
    const get = (url: string) => app.inject({ url, headers: { accept: 'text/html' } })
    for (const url of ['/', '/nowhere']) expect((await get(url)).body).toBe('not here')
    expect((await app.inject({ method: 'PUT', url: '/parts/7' })).statusCode).toBe(405)
    expect((await get('/nowhere%ff')).statusCode).toBe(400)
  })

  test('the docs page has the prefix of its contract', async () => {
    const { contract, handlers } = contractOfRoute('/parts/{id}')
    const app = await start(async (host) => {
      host.get('/shop/docs/favicon.svg', () => 'icon')
      await host.register(fastifyContract(contract, { handlers }), { prefix: '/shop' })
    })
    expect((await app.inject('/shop/docs')).payload).toContain('favicon.svg')
    expect((await app.inject('/shop/openapi.json')).json()).toMatchObject({ info: { title: 'Parts' } })
    for (const [url, target] of [
      ['/shop/docs/json', '/shop/openapi.json'],
      ['/shop/docs/static/index.html', '/shop/docs/'],
    ] as const) {
      const { headers } = await app.inject(url)
      expect(new URL(String(headers['location']), `http://a${url}`).pathname).toBe(target)
    }
    expect((await app.inject('/docs')).statusCode).toBe(404)
  })

  test.each([
    ['the servers of the contract', undefined, ['/a/shop/v1', '/a/shop'], ['/a/shop/v9']],
    ['its base paths', ['/v2'], ['/a/shop/v2'], ['/a/shop/v2']],
  ])('the docs page of a prefix sends requests below it, to %s', async (_what, basePaths, urls, own) => {
    const get = (operationId: string, more: object = {}) => ({
      get: { operationId, security: [], responses: ok, ...more },
    })
    const contract = contractOf({
      servers: [{ url: 'https://parts.example/v1' }, { url: '/' }],
      paths: { '/parts': get('a'), '/others': get('b', { servers: [{ url: '/v9' }] }) },
    })
    const reply = () => ({ status: 200, body: 1 })
    const handlers = { a: reply, b: reply }
    const app = await start((host) =>
      host.register(fastifyContract(contract, { handlers, basePaths }), { prefix: '/shop' }),
    )
    const { payload } = await app.inject('/shop/docs/static/swagger-initializer.js')
    // A proxy adds `/a`.
    const spec = specOfPage(payload, 'https://host/a/shop/docs/static/swagger-initializer.js')
    expect(spec.servers.map(({ url }) => url)).toEqual(urls)
    expect(spec.paths['/others']?.get.servers?.map(({ url }) => url)).toEqual(own)
    for (const url of [...urls, ...own]) {
      const path = own.includes(url) ? '/others' : '/parts'
      expect((await app.inject(`${url.replace(/^\/a/, '')}${path}`)).statusCode).toBe(200)
    }
  })

  test('two contracts have their own routes, forms and docs pages', async () => {
    const first = contractOfRoute('/parts/{id}')
    const second = contractOfRoute('/tools/{id}', 'Tools')
    const failureForm = ({ name }: { name: string }) => ({ body: { second: name } })
    const app = await start(async (host) => {
      await host.register(fastifyContract(first.contract, { handlers: first.handlers }))
      const options = { handlers: second.handlers, failureForm, docs: '/tools/docs' }
      await host.register(fastifyContract(second.contract, options))
    })
    expect((await app.inject('/parts/1')).json()).toMatchObject({ url: '/parts/:id' })
    expect((await app.inject('/tools/1')).json()).toMatchObject({ url: '/tools/:id' })
    expect((await app.inject('/openapi.json')).json()).toMatchObject({ info: { title: 'Parts' } })
    expect((await app.inject('/tools/openapi.json')).json()).toMatchObject({ info: { title: 'Tools' } })
    const put = async (url: string) => (await app.inject({ method: 'PUT', url })).json<unknown>()
    expect(await put('/parts/1')).toMatchObject({ status: 405, title: 'Method Not Allowed' })
    expect(await put('/tools/1')).toEqual({ second: 'method_not_allowed' })
    expect((await app.inject('/parts/1?a=1')).json()).toMatchObject({ status: 400, title: 'Bad Request' })
    expect((await app.inject('/tools/1?a=1')).json()).toEqual({ second: 'invalid_request' })
    if (!isGuest) expect((await app.inject('/nowhere')).json()).toMatchObject({ status: 404, title: 'Not Found' })
  })

  test('a route of every path serves what the contract does not', async () => {
    const { contract, handlers } = contractOfRoute('/parts')
    const app = await start(async (host) => {
      host.get('*', () => 'own')
      await host.register(fastifyContract(contract, { handlers }))
    })
    expect((await app.inject('/parts')).json()).toMatchObject({ url: '/parts' })
    const other = await app.inject('/other')
    expect([other.statusCode, other.body]).toEqual([200, 'own'])
  })

  test.each<[string, object]>([
    ['', {}],
    ['/api', { rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, '') }],
  ])('broken percent-encoding of a query is refused, rewritten from %j or not', async (rewritten, options) => {
    const list = { name: 'ids', in: 'query', schema: { type: 'array' }, explode: false }
    const get = { operationId: 'get', parameters: [list] }
    const contract = contractOf({ paths: { '/a': { get } } })
    const handlers = { get: ({ query }: { query: object }) => ({ status: 200, body: query }) }
    const app = await start(async (host) => host.register(fastifyContract(contract, { handlers })), options)
    expect((await app.inject(`${rewritten}/a?ids=1,%2C`)).json()).toEqual({ ids: ['1', ','] })
    for (const query of ['ids=%ff', 'ids=1,%zz', '%zz=1', 'ids=1&%C3=1']) {
      const { statusCode, body } = await app.inject(`${rewritten}/a?${query}`)
      expect([statusCode, body]).toEqual([400, expect.stringContaining('percent-encoding')])
    }
  })

  test('a long path that is not found takes little time', async () => {
    for (const [path, method, url] of [
      ['/{a}-{b}-{c}.json', 'GET', `/${'-a'.repeat(7_000)}`],
      ['/{a}-{b}-{c}', 'PUT', `/${'a-'.repeat(5_000)}/b`],
    ] as const) {
      const app = await serveRoute(path)
      const start0 = process.cpuUsage()
      // Another server bounds the length of a parameter.
      expect([404, 414]).toContain((await app.inject({ method, url })).statusCode)
      expect(process.cpuUsage(start0).user / 1_000).toBeLessThan(200)
    }
  })
})

test('a server of HTTP/2 has the docs page', async () => {
  const { contract, handlers } = contractOfRoute('/parts/{id}')
  const app = fastify({ http2: true })
  await app.register(fastifyContract(contract, { handlers }))
  const client = connect(await app.listen({ host: '127.0.0.1', port: 0 }))
  onTestFinished(async () => {
    client.destroy()
    await app.close()
  })
  for (const [path, type] of [
    ['/parts/7', 'application/json'],
    ['/docs', 'text/html; charset=utf-8'],
  ]) {
    const [headers] = (await once(client.request({ ':path': path }), 'response')) as [IncomingHttpHeaders]
    expect([headers[':status'], headers['content-type']]).toEqual([200, type])
  }
})

test('a server of fastifyOptions refuses the options of another one', async () => {
  const { contract, handlers } = contractOfRoute('/parts/{id}')
  for (const other of [{ https: {} }, { http2: true }]) {
    const app = fastify(Object.assign(fastifyOptions(), other))
    app.register(fastifyContract(contract, { handlers }))
    await expect(app.ready()).rejects.toThrow('https and http2 have no effect')
  }
})

test('a path parameter may be as long as the limit of the headers', async () => {
  const { contract, handlers } = contractOfRoute('/parts/{id}')
  const app = fastify(fastifyOptions({ limits: { shutdownDelayMilliseconds: 0 } }))
  onTestFinished(() => app.close())
  await app.register(fastifyContract(contract, { handlers }))
  const id = 'a'.repeat(10_000)
  expect((await app.inject(`/parts/${id}`)).json()).toMatchObject({ params: { id } })
})

test('routes beside the contract keep the validation and the serialization of Fastify', async () => {
  const { app } = await serve({
    beside: (host) => {
      const schema = {
        headers: { type: 'object', required: ['X-Key'], properties: { 'X-Key': { type: 'string', minLength: 2 } } },
        querystring: { type: 'object', properties: { count: { type: 'integer' } } },
        response: { 200: { type: 'object', properties: { count: { type: 'integer' } } } },
      }
      host.get('/own', { schema }, ({ query }) => ({ ...(query as object), secret: 'x' }))
    },
  })
  const get = (url: string, key: string) => app.inject({ url, headers: { 'X-KEY': key } })
  expect((await get('/own?count=2', 'ab')).json()).toEqual({ count: 2 })
  const wrong = await get('/own?count=x', 'ab')
  expect([wrong.statusCode, wrong.json()]).toEqual([
    400,
    { failure: 'request_refused', message: 'querystring/count must be integer' },
  ])
  expect((await get('/own', 'a')).json()).toMatchObject({ message: expect.stringContaining('headers/x-key') as string })
  expect((await app.inject('/own')).statusCode).toBe(400)
})
