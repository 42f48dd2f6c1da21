import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { folderWith, generateIn } from './contracts.ts'
import { compile, linkPackages, repository } from './run-here.ts'

/** The code of the first block of a page of the library that begins with this line. */
function codeOn(page: string, fence: string): string {
  const text = readPage(page)
  const start = text.indexOf(`\n\`\`\`${fence}\n`)
  if (start < 0) throw new Error(`${page} has no block "${fence}"`)
  const code = text.slice(text.indexOf('\n', start + 1) + 1)
  return code.slice(0, code.indexOf('```'))
}

function readPage(page: string): string {
  return readFileSync(join(repository, 'packages/fastify-contract/docs', page), 'utf8')
}

/** A folder with this contract, what is generated of it, and these files. */
async function projectWith(contract: string, files: Record<string, string>): Promise<string> {
  const settings = { extends: join(repository, 'tsconfig.json'), include: ['*.ts'], exclude: [] }
  const root = await folderWith({
    'package.json': '{ "type": "module" }',
    'openapi.yaml': contract,
    'tsconfig.json': JSON.stringify(settings),
    ...files,
  })
  await linkPackages(root)
  expect(await generateIn(root)).toMatchObject({ ok: true })
  return root
}

const pets = `openapi: 3.1.0
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

test('the service of docs/coming-from.md compiles, and does what the page says', async () => {
  const code = codeOn('coming-from.md', 'ts after').replace('await app.listen({ port: 3000 })\n', 'export { app }\n')
  const root = await projectWith(pets, { 'server.ts': code })
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

/** What services of the page are: with numbers, and errors of their own. */
const petsOfNumbers = `
export class NotFound extends Error {}
const pets = new Map([[1, { id: 1, name: 'Rex' }]])
export const find = (id: number) => {
  const pet = pets.get(id)
  if (pet === undefined) throw new NotFound('no such pet')
  return pet
}
export const add = (pet: { id: number; name: string }) => {
  if (pets.has(pet.id)) throw new Error('secret')
  pets.set(pet.id, pet)
}
`

test('services that stay as they are are served as docs/coming-from.md says', async () => {
  const server = codeOn('coming-from.md', 'ts kept')
  const store = `${petsOfNumbers}export * as pets from './pets.ts'\n`
  const root = await projectWith(pets, { 'server.ts': server, 'pets.ts': store })
  expect(await compile(root)).toBe('')

  const { app } = (await import(join(root, 'server.ts'))) as { app: FastifyInstance }
  onTestFinished(() => app.close())
  const send = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const response = await app.inject({ method, url, headers: { 'x-key': 'secret' }, ...(payload && { payload }) })
    return [response.statusCode, response.payload] as const
  }
  expect(await send('GET', '/pets/1')).toEqual([200, '{"id":1,"name":"Rex"}'])
  expect(await send('POST', '/pets', { id: 2, name: 'Kim' })).toEqual([201, '{"id":2,"name":"Kim"}'])
  expect(await send('GET', '/pets/2')).toEqual([200, '{"id":2,"name":"Kim"}'])
  const missing = { title: 'Not Found', status: 404, detail: 'no such pet' }
  expect(await send('GET', '/pets/3')).toEqual([404, JSON.stringify(missing)])
  const [status, text] = await send('POST', '/pets', { id: 2, name: 'Kim' })
  expect([status, text.includes('secret')]).toEqual([500, false])
})

const notes = `openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths:
  /me:
    get:
      operationId: getMe
      security: [{ login: [] }]
      responses: { 200: { description: The caller., content: { application/json: { schema: { type: string } } } } }
  /notes:
    get:
      operationId: listNotes
      security: [{ login: [] }, { key: [] }]
      parameters: [{ name: limit, in: query, schema: { type: integer, format: int32, minimum: 0 } }]
      responses: &notes
        200:
          description: The notes.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } } }
  /transfers:
    post:
      operationId: transfer
      security: [{ login: [], key: [] }]
      requestBody: &note { content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } }, required: true }
      responses: { 200: { <<: *note, description: The note. } }
  /latest:
    get: { operationId: listLatest, security: [{}, { login: [] }], responses: *notes }
components:
  securitySchemes: { login: { type: http, scheme: bearer }, key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Note: { type: object, required: [text], properties: { text: { type: string }, tag: { type: string } } }
`

/** What the page takes as given. */
const store = `
export const users = new Map([['a', { id: 'Ada' }], ['b', { id: 'Bob' }]])
export const apps = new Map([['k', { owner: 'Ada' }]])
interface Note { owner: string; text: string; tag: string | null }
export class Notes {
  readonly rows: Note[] = []
  of(owner: string, { limit }: { limit?: number }) { return this.rows.filter((note) => note.owner === owner).slice(0, limit) }
  seenBy(owner: string | undefined) { return owner === undefined ? [] : this.of(owner, {}) }
  move(owner: string, body: { text: string; tag?: string }) {
    this.rows.push({ owner, text: body.text, tag: body.tag ?? null })
    return body
  }
}
`

/** What the page says does not compile. */
const wrong = `import { type Found } from 'fastify-contract'
import { type Auth, type Context } from './generated/contract.ts'
import { Notes } from './notes.ts'
const auth = { login: (name) => name, key: (name) => name } satisfies Auth
type Verified = Found<typeof auth>
export const either = ({ auth }: Context<'listNotes', unknown, Verified>) => auth.login.length
export const other = ({ auth }: Context<'getMe', unknown, Verified>) => auth.key
export const named = (auth: Found<typeof auth>) => auth
export const body = (tag: string | null): { tag?: string } => ({ tag: tag ?? undefined })
export const list = (query: { limit?: number }) => new Notes().of('a', { limit: query.limit })
`

test('the service of docs/callers.md compiles, and does what the page says', async () => {
  const bodyOf = codeOn('callers.md', 'ts notes')
  const root = await projectWith(notes, { 'server.ts': codeOn('callers.md', 'ts'), 'notes.ts': store + bodyOf })
  expect(await compile(root)).toBe('')

  const { app } = (await import(join(root, 'server.ts'))) as { app: FastifyInstance }
  onTestFinished(() => app.close())
  const send = async (url: string, headers: Record<string, string>, payload?: object) => {
    const response = await app.inject({ url, headers, ...(payload && { method: 'POST', payload }) })
    return [response.statusCode, response.payload]
  }
  const [ada, bob, key] = [{ authorization: 'Bearer a' }, { authorization: 'Bearer b' }, { 'x-key': 'k' }]
  expect(await send('/me', ada)).toEqual([200, '"Ada"'])
  expect((await send('/transfers', { ...bob, ...key }, { text: 'a' }))[0]).toBe(401)
  for (const note of [{ text: 'a', tag: 'b' }, { text: 'c' }]) {
    expect((await send('/transfers', { ...ada, ...key }, note))[0]).toBe(200)
  }
  for (const each of [ada, key]) expect(await send('/notes?limit=1', each)).toEqual([200, '[{"text":"a","tag":"b"}]'])
  expect(await send('/latest', ada)).toEqual([200, '[{"text":"a","tag":"b"},{"text":"c"}]'])
  expect(await send('/latest', {})).toEqual([200, '[]'])

  await writeFile(join(root, 'wrong.ts'), wrong)
  const printed = await compile(root)
  const [, table = ''] = readPage('callers.md').split('| the compiler says |')
  const messages = [...table.matchAll(/^\| `(.+?)` \|/gm)].map(([, message]) => message)
  expect(messages).not.toEqual([])
  const optional = "with 'exactOptionalPropertyTypes: true'"
  for (const message of [...messages, optional]) expect(printed).toContain(message)
  expect(printed.match(/wrong\.ts\(\d+/g)).toEqual([
    'wrong.ts(6',
    'wrong.ts(7',
    'wrong.ts(8',
    'wrong.ts(9',
    'wrong.ts(10',
  ])
})
