import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { folderWith, generateIn } from './contracts.ts'
import { compile, linkPackages, repository } from './run-here.ts'

const contract = `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /pets:
    post:
      operationId: createPet
      requestBody:
        required: true
        content: &pet { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
      responses:
        201: { description: The pet., content: *pet }
        default: &failure
          description: A failure.
          content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
  '/pets/{petId}':
    get:
      operationId: getPet
      parameters: [{ name: petId, in: path, required: true, schema: &id { type: integer, format: int64 } }]
      responses: { 200: { description: The pet., content: *pet }, 404: *failure, default: *failure }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Pet: { type: object, required: [id, name], properties: { id: *id, name: { type: string, maxLength: 20 } } }
    Problem:
      type: object
      required: [title, status, detail]
      properties: { title: { type: string }, status: { type: integer }, detail: { type: string } }
`

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
    'openapi.yaml': contract,
    'tsconfig.json': JSON.stringify(settings),
    'server.ts': serviceOnPage(),
  })
  await linkPackages(root)
  expect(await generateIn(root)).toMatchObject({ ok: true })
  expect(await compile(root)).toBe('')

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
