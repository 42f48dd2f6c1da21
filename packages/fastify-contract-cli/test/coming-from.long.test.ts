import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { folderWith, generateIn, json } from './contracts.ts'

const repository = join(import.meta.dirname, '../../..')

const id = { type: 'integer', format: 'int64' }
const pet = json({
  type: 'object',
  required: ['id', 'name'],
  properties: { id, name: { type: 'string', maxLength: 20 } },
})
const problem = {
  type: 'object',
  required: ['title', 'status', 'detail'],
  properties: { title: { type: 'string' }, status: { type: 'integer' }, detail: { type: 'string' } },
}
const failure = { description: 'A failure.', content: { 'application/problem+json': { schema: problem } } }
const getPet = {
  operationId: 'getPet',
  parameters: [{ name: 'petId', in: 'path', required: true, schema: id }],
  responses: { 200: { description: 'The pet.', content: pet }, 404: failure, default: failure },
}
const createPet = {
  operationId: 'createPet',
  requestBody: { required: true, content: pet },
  responses: { 201: { description: 'The pet.', content: pet }, default: failure },
}
const contract = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0' },
  security: [{ key: [] }],
  paths: { '/pets': { post: createPet }, '/pets/{petId}': { get: getPet } },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
}

/** The service of docs/coming-from.md with this library. */
function serviceOnPage(): string {
  const page = readFileSync(join(repository, 'packages/fastify-contract/docs/coming-from.md'), 'utf8')
  const [, code] = /^```ts after\n([^]*?)^```$/m.exec(page) ?? []
  if (code === undefined) throw new Error('the page has no block "ts after"')
  return code.replace('await app.listen({ port: 3000 })\n', 'export { app }\n')
}

test('the service of docs/coming-from.md compiles, and does what the page says', async () => {
  const settings = { extends: join(repository, 'tsconfig.json'), include: ['*.ts'], exclude: [] }
  const root = await folderWith({
    'package.json': '{ "type": "module" }',
    'openapi.yaml': JSON.stringify(contract),
    'tsconfig.json': JSON.stringify(settings),
    'server.ts': serviceOnPage(),
  })
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  expect(await generateIn(root)).toMatchObject({ ok: true })
  const compiler = join(repository, 'node_modules/typescript-7/bin/tsc')
  expect(() => execFileSync(process.execPath, [compiler, '-p', root], { stdio: 'pipe' })).not.toThrow()

  const { app } = (await import(join(root, 'server.ts'))) as { app: FastifyInstance }
  onTestFinished(() => app.close())
  const send = async (method: 'GET' | 'HEAD' | 'POST', url: string, payload = '', more: object = {}) => {
    const type = payload === '' ? {} : { 'content-type': 'application/json' }
    const response = await app.inject({ method, url, headers: { 'x-key': 'secret', ...type, ...more }, payload })
    return [response.statusCode, response.payload] as const
  }
  expect(await send('GET', '/pets/1')).toEqual([200, '{"id":1,"name":"Rex"}'])
  expect((await send('HEAD', '/pets/1'))[0]).toBe(200)
  for (const url of ['/pets/0x1', '/pets/%201', '/pets/1?unknown=1']) expect((await send('GET', url))[0], url).toBe(400)
  expect((await send('POST', '/pets', '{"id":2,"id":3,"name":"Kim"}'))[0]).toBe(400)
  expect((await send('POST', '/pets', 'x', { 'content-type': 'text/plain' }))[0]).toBe(415)
  expect(await send('POST', '/pets', '{"id":2,"name":"Kim","admin":true}')).toEqual([201, '{"id":2,"name":"Kim"}'])
  expect((await send('GET', '/pets/1', '', { 'x-key': 'other' }))[0]).toBe(401)
  await send('POST', '/pets', '{"id":9007199254740992,"name":"Kim"}')
  expect((await send('GET', '/pets/9007199254740993'))[0]).toBe(404)
})
