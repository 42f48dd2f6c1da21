import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { folderWith, generateIn, json } from './contracts.ts'

const docs = join(import.meta.dirname, '../../fastify-contract/docs')
const repository = join(import.meta.dirname, '../../..')
const pages = globSync('coming-from-*.md', { cwd: docs }).sort()

/** The contract of the pages. That of ts-rest is written by its own generator: without int64, security and failures. */
function contractFor(page: string): object {
  const isWritten = page === 'coming-from-ts-rest.md'
  const id = { type: 'integer', ...(isWritten ? {} : { format: 'int64' }) }
  const pet = json({
    type: 'object',
    required: ['id', 'name'],
    properties: { id, name: { type: 'string', maxLength: 20 } },
  })
  const type = isWritten ? 'application/json' : 'application/problem+json'
  const problem = {
    type: 'object',
    required: ['title', 'status', 'detail'],
    properties: { title: { type: 'string' }, status: { type: 'integer' }, detail: { type: 'string' } },
  }
  const failure = { description: 'A failure.', content: { [type]: { schema: problem } } }
  const more = isWritten ? {} : { default: failure }
  const getPet = {
    operationId: 'getPet',
    parameters: [{ name: 'petId', in: 'path', required: true, schema: id }],
    responses: { 200: { description: 'The pet.', content: pet }, 404: failure, ...more },
  }
  const createPet = {
    operationId: 'createPet',
    requestBody: { required: true, content: pet },
    responses: { 201: { description: 'The pet.', content: pet }, ...more },
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1.0.0' },
    security: isWritten ? [] : [{ key: [] }],
    paths: { '/pets': { post: createPet }, '/pets/{petId}': { get: getPet } },
    ...(isWritten ? {} : { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } }),
  }
}

/** The block of a page that shows the service with this library. */
function serviceOn(page: string): string {
  const [, code] = /^```ts after\n([^]*?)^```$/m.exec(readFileSync(join(docs, page), 'utf8')) ?? []
  if (code === undefined) throw new Error(`${page} has no block "ts after"`)
  return code
}

let root: string
beforeAll(async () => {
  let remove = () => Promise.resolve()
  root = await folderWith({ 'package.json': '{ "type": "module" }' }, (finish) => (remove = finish))
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  for (const page of pages) {
    const folder = join(root, page)
    await mkdir(folder)
    await writeFile(join(folder, 'openapi.yaml'), JSON.stringify(contractFor(page)))
    expect(await generateIn(folder)).toMatchObject({ ok: true })
    const code = serviceOn(page).replace('await app.listen({ port: 3000 })\n', 'export { app }\n')
    await writeFile(join(folder, 'server.ts'), code)
  }
  return () => remove()
}, 60_000)

test('the services on the pages compile', async () => {
  const settings = { extends: join(repository, 'tsconfig.json'), include: ['*/*.ts'], exclude: [] }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(repository, 'node_modules/typescript-7/bin/tsc')
  expect(() =>
    execFileSync(process.execPath, [compiler, '-p', root], { encoding: 'utf8', stdio: 'pipe' }),
  ).not.toThrow()
}, 60_000)

test.each(pages)('the service of %s does what the page says', async (page) => {
  const { app } = (await import(join(root, page, 'server.ts'))) as { app: FastifyInstance }
  onTestFinished(() => app.close())
  const send = async (method: 'GET' | 'HEAD' | 'POST' | 'DELETE', url: string, payload = '', more: object = {}) => {
    const type = payload === '' ? {} : { 'content-type': 'application/json' }
    const response = await app.inject({ method, url, headers: { 'x-key': 'secret', ...type, ...more }, payload })
    return [response.statusCode, response.payload] as const
  }
  expect(await send('GET', '/pets/1')).toEqual([200, '{"id":1,"name":"Rex"}'])
  expect((await send('HEAD', '/pets/1'))[0]).toBe(200)
  expect((await send('DELETE', '/pets/1'))[0]).toBe(405)
  for (const url of ['/pets/0x1', '/pets/%201', '/pets/1?unknown=1']) expect((await send('GET', url))[0], url).toBe(400)
  expect((await send('POST', '/pets', '{"id":2,"id":3,"name":"Kim"}'))[0]).toBe(400)
  expect((await send('POST', '/pets', '{"id":"2","name":"Kim"}'))[0]).toBe(400)
  expect((await send('POST', '/pets', 'x', { 'content-type': 'text/plain' }))[0]).toBe(415)
  expect(await send('POST', '/pets', '{"id":2,"name":"Kim","admin":true}')).toEqual([201, '{"id":2,"name":"Kim"}'])
  if (page === 'coming-from-ts-rest.md') return
  expect((await send('GET', '/pets/1', '', { 'x-key': 'other' }))[0]).toBe(401)
  await send('POST', '/pets', '{"id":9007199254740992,"name":"Kim"}')
  expect((await send('GET', '/pets/9007199254740993'))[0]).toBe(404)
})
