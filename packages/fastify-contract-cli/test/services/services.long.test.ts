import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { parseJsonWithBigInts } from 'fastify-contract/json'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { generate } from '../../src/generate/generate.ts'

beforeAll(async () => {
  const project = { root: join(import.meta.dirname, 'galaxy'), contract: 'galaxy.yaml', out: 'generated' }
  expect(await generate(project)).toMatchObject({ ok: true })
})

test('the handlers of the service compile with the generated types', async () => {
  const compiler = join(import.meta.dirname, '../../../../node_modules/typescript-7/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', import.meta.dirname]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
})

test('the service of a public OpenAPI 3.1 contract stores and returns planets and images', async () => {
  process.env['AUTH_BEARER_AUTH'] = 'secret'
  // Paths that the compiler does not follow: the files are only typed once their types are generated.
  const [appPath, handlersPath] = ['./galaxy/src/app.ts', './galaxy/src/handlers.ts']
  const { buildApp } = (await import(appPath)) as { buildApp: () => Promise<FastifyInstance> }
  const { images } = (await import(handlersPath)) as { images: Map<bigint, File> }
  const app = await buildApp()
  onTestFinished(() => app.close())
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
