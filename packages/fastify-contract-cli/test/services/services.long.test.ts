import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { parseJsonWithBigInts } from 'fastify-contract/json'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { generate } from '../../src/generate/generate.ts'

const services = { 'request-baskets': 'request-baskets.json', galaxy: 'galaxy.yaml' }

beforeAll(async () => {
  for (const [name, contract] of Object.entries(services)) {
    const project = { root: join(import.meta.dirname, name), contract, out: 'generated' }
    expect(await generate(project)).toMatchObject({ ok: true })
  }
})

/** Serves a service until the test is finished. @returns also what its handlers export */
async function load<Exports>(name: keyof typeof services): Promise<Exports & { app: FastifyInstance }> {
  // Paths that the compiler does not follow: the files are only typed once their types are generated.
  const { buildApp } = (await import(`./${name}/src/app.ts`)) as { buildApp: () => Promise<FastifyInstance> }
  const exports = (await import(`./${name}/src/handlers.ts`)) as Exports
  const app = await buildApp()
  onTestFinished(() => app.close())
  return { ...exports, app }
}

test('the handlers of the services compile with the generated types', async () => {
  const compiler = join(import.meta.dirname, '../../../../node_modules/typescript-7/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', import.meta.dirname]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
})

test('the service of a public OpenAPI 3.0 contract stores and returns baskets', async () => {
  process.env['AUTH_BASKET_TOKEN'] = 'secret'
  process.env['AUTH_SERVICE_TOKEN'] = 'secret'
  const { app, baskets } = await load<{ baskets: Map<string, { lastRequest: bigint }> }>('request-baskets')
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
    const response = await app.inject({
      method,
      url,
      headers: { authorization: 'secret' },
      ...(payload && { payload }),
    })
    return { status: response.statusCode, text: response.body }
  }
  const one = '/api/baskets/one'
  expect(await send('POST', one, { capacity: 5 })).toEqual({ status: 201, text: '{"token":"token of one"}' })
  expect((await send('POST', one)).status).toBe(409)
  expect((await send('PUT', one, { expand_path: true })).status).toBe(204)
  expect((await send('GET', one)).text).toBe('{"capacity":5,"expand_path":true}')
  expect((await send('PUT', one, { capacity: 'five' })).status).toBe(400)
  expect((await send('PUT', `${one}/responses/GET`, { headers: { Accept: ['a/b'] } })).status).toBe(204)
  expect((await send('GET', `${one}/responses/GET`)).text).toBe('{"headers":{"Accept":["a/b"]}}')
  expect((await send('GET', '/api/baskets?max=1')).text).toBe('{"names":["one"],"has_more":false}')
  baskets.get('one')!.lastRequest = 9007199254740993n
  expect((await send('GET', '/api/stats')).text).toContain('"last_request_date":9007199254740993}')
  expect((await send('GET', '/baskets')).status).toBe(501)
  expect((await app.inject(one)).statusCode).toBe(401)
  expect((await send('DELETE', one)).status).toBe(204)
  expect((await send('GET', one)).status).toBe(404)
  const served = await app.inject('/openapi.json')
  expect(served.json()).toEqual(
    JSON.parse(await readFile(join(import.meta.dirname, 'request-baskets/request-baskets.json'), 'utf8')),
  )
})

test('the service of a public OpenAPI 3.1 contract stores and returns planets and images', async () => {
  process.env['AUTH_BEARER_AUTH'] = 'secret'
  const { app, images } = await load<{ images: Map<bigint, File> }>('galaxy')
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object | FormData) => {
    const isForm = body instanceof FormData
    const form = isForm ? new Response(body) : undefined
    const headers = {
      authorization: 'Bearer secret',
      ...(form && { 'content-type': form.headers.get('content-type') ?? '' }),
    }
    const payload = form === undefined ? body : Buffer.from(await form.arrayBuffer())
    const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
    const json: unknown = response.body === '' ? undefined : parseJsonWithBigInts(response.body)
    return [response.statusCode, json]
  }
  const [id, creator] = [9007199254740993n, { email: 'me@galaxy.example' }]
  const mars = { name: 'Mars', description: null, creator: { ...creator, password: 'secret' } }
  expect(await send('POST', '/planets', mars)).toEqual([201, { ...mars, id, creator }])
  expect(await send('GET', `/planets/${String(id)}`)).toEqual([200, { ...mars, id, creator }])
  expect(await send('GET', `/planets/${String(id + 1n)}`)).toEqual([404, { title: 'Not Found', status: 404 }])
  expect(await send('PUT', `/planets/${String(id)}`, { name: 'Ares' })).toEqual([200, { name: 'Ares', id }])
  expect(await send('PUT', `/planets/${String(id)}`, { name: 1 })).toEqual([
    400,
    {
      type: 'https://example.com/errors/bad-request',
      title: 'Bad Request',
      status: 400,
      detail: 'body/name must be a string',
    },
  ])
  const form = new FormData()
  form.set('image', new File(['bytes'], 'mars.png', { type: 'image/png' }))
  const uploaded = { fileSize: 5, mimeType: 'image/png' }
  expect(await send('POST', `/planets/${String(id)}/image`, form)).toEqual([200, uploaded])
  expect(await images.get(id)?.text()).toBe('bytes')
  const meta = { limit: 10, offset: 0, total: 1, next: null }
  expect(await send('GET', '/planets')).toEqual([200, { data: [{ name: 'Ares', id }], meta }])
  expect(await send('DELETE', `/planets/${String(id)}`)).toEqual([204, undefined])
  expect((await send('GET', '/me'))[0]).toBe(501)
  expect((await app.inject('/me')).statusCode).toBe(401)
  expect((await app.inject('/openapi.yaml')).body).toBe(
    await readFile(join(import.meta.dirname, 'galaxy/galaxy.yaml'), 'utf8'),
  )
})
