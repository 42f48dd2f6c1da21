import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { parseJsonWithBigInts } from 'fastify-contract/json'
import { expect, onTestFinished, test } from 'vitest'
import { init } from '../../src/init/init.ts'
import { folderWith } from '../contracts.ts'
import { compile, linkPackages } from '../run-here.ts'

const galaxy = join(import.meta.dirname, 'galaxy')

test('a service of a public contract compiles, and stores and returns planets and images', async () => {
  const root = await folderWith()
  expect(await init(root, join(galaxy, 'galaxy.yaml'), 'service')).toMatchObject({ ok: true })
  const service = join(root, 'service')
  await copyFile(join(galaxy, 'handlers.ts'), join(service, 'src/handlers.ts'))
  await linkPackages(root)
  expect(await compile(service)).toBe('')

  process.env['AUTH_BEARER_AUTH'] = 'secret'
  const { buildApp } = (await import(join(service, 'src/app.ts'))) as { buildApp: () => Promise<FastifyInstance> }
  const { images } = (await import(join(service, 'src/handlers.ts'))) as { images: Map<bigint, File> }
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
      type: 'https://example.com/errors/forbidden',
      title: 'Forbidden',
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
  expect((await app.inject('/openapi.yaml')).body).toBe(await readFile(join(galaxy, 'galaxy.yaml'), 'utf8'))
})
