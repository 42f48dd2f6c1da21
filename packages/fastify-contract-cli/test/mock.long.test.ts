import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test, vi } from 'vitest'
import { contractOf, folderWith, json, noContent } from './contracts.ts'

const cli = join(import.meta.dirname, '../src/cli.ts')

const id = { type: 'integer', format: 'int64' }
const pet = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { ...id, readOnly: true },
    name: { type: 'string', minLength: 1 },
    born: { type: 'string', format: 'date' },
    secret: { type: 'string', writeOnly: true },
  },
}
const failure = {
  type: 'object',
  required: ['code', 'detail'],
  properties: { code: { type: 'integer' }, detail: { type: 'string' } },
}
const notFound = {
  description: 'No such pet.',
  content: json(failure, { examples: { gone: { value: { code: 7, detail: 'No such pet' } } } }),
}
const onePet = { description: 'A pet.', content: json({ $ref: '#/components/schemas/Pet' }) }
const body = { required: true, content: json({ $ref: '#/components/schemas/Pet' }) }
const created = { ...onePet, headers: { Location: { required: true, schema: { type: 'string' } } } }
const petId = { name: 'petId', in: 'path', required: true, schema: id }
const kind = {
  name: 'kind',
  in: 'query',
  schema: { type: 'string' },
  examples: { dogs: { value: 'dog' }, nothing: { value: 'unicorn' } },
}
const counted = {
  description: 'How many.',
  content: {
    'application/json': {
      schema: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
      examples: { cats: { value: { count: 3 } }, dogs: { value: { count: 2 } } },
    },
  },
}
const contract = contractOf(
  {
    '/pets': {
      get: { responses: { 200: { description: 'Pets.', content: json({ type: 'array', items: pet, minItems: 0 }) } } },
      post: { requestBody: body, responses: { 201: created } },
    },
    '/pets/{petId}': {
      parameters: [petId],
      get: { responses: { 200: onePet, 404: notFound } },
      put: { requestBody: body, responses: { 200: onePet, 404: notFound } },
      patch: {
        requestBody: { content: json({ type: 'object', properties: { born: { type: 'string', format: 'date' } } }) },
        responses: { 200: onePet, 404: notFound },
      },
      delete: { responses: { 204: noContent[204], 404: notFound } },
    },
    '/count': { get: { parameters: [kind], responses: { 200: counted, 404: notFound } } },
    '/odd': {
      get: {
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: { ...noContent, 400: { description: 'Odd.', content: json({ enum: ['an odd failure'] }) } },
      },
    },
    '/letters': { post: { responses: { 201: { description: 'Sent.', content: json({ type: 'string' }) } } } },
    '/letters/{letter}': {
      parameters: [{ name: 'letter', in: 'path', required: true, schema: { type: 'string' } }],
      get: { responses: { 200: { description: 'A letter.', content: json({ type: 'string' }) } } },
      delete: { responses: { 204: noContent[204] } },
    },
    '/silent': {
      put: { responses: { 405: { description: 'Never.' } } },
      patch: { responses: { 405: { description: 'Never.' } } },
    },
    '/locked': {
      get: { security: [{ key: [] }], responses: { 200: { description: 'Text.', content: { 'text/plain': {} } } } },
    },
  },
  {
    security: [],
    servers: [{ url: 'https://pets.example/v1' }, { url: '/v2' }],
    components: {
      schemas: { Pet: pet },
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    },
  },
)

/** Starts the command. @returns its address once it prints it */
async function startMock(root: string, ...args: string[]) {
  const child = spawn(process.execPath, [cli, 'mock', 'pets.json', '--port', '0', ...args], { cwd: root })
  const lines: string[] = []
  const warnings: string[] = []
  createInterface(child.stderr).on('line', (line) => warnings.push(line))
  const output = createInterface(child.stdout)
  for await (const line of output) {
    lines.push(line)
    if (lines.length === 3) break
  }
  const [address = ''] = lines
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    return (await once(child, 'exit'))[0] as number | null
  }
  return { lines, warnings, end, url: `${address}/v1` }
}

/** Runs a command that does not start. */
async function runMock(root: string, ...args: string[]) {
  const child = spawn(process.execPath, [cli, 'mock', ...args], { cwd: root })
  const exit = once(child, 'exit')
  const stderr = await text(child.stderr)
  return { code: (await exit)[0] as number | null, stderr }
}

let root: string
let mock: Awaited<ReturnType<typeof startMock>>
beforeAll(async () => {
  let remove = () => Promise.resolve()
  root = await folderWith({ 'pets.json': contract }, (finish) => (remove = finish))
  mock = await startMock(root)
  return async () => {
    expect(await mock.end('SIGTERM')).toBe(0)
    await remove()
  }
})

async function send(
  path: string,
  { method = 'GET', body, headers = {} }: { method?: string; body?: string; headers?: Record<string, string> } = {},
) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${mock.url}${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}

test('prints its address, base paths and docs page', async () => {
  const [address = '', ...others] = mock.lines
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(others).toEqual(['base paths: /v1, /v2', `docs: ${address}/docs`])
  expect((await fetch(`${address}/docs`)).status).toBe(200)
})

test('warns at its start of operations that declare no success, and answers them with 204', async () => {
  const warning = 'PUT /silent declares no success, and is answered 204 (and 1 more); declare a response'
  await expect.poll(() => mock.warnings).toContain(warning)
  expect((await send('/silent', { method: 'PATCH' })).status).toBe(204)
})

test('lists, reads, changes and deletes what was posted', async () => {
  const posted = await send('/pets', { method: 'POST', body: '{"name":"Rex","secret":"s","unknown":1}' })
  expect(posted).toMatchObject({ status: 201, text: expect.stringMatching(/^\{"id":\d+,"name":"Rex"\}$/) as string })
  const id = /\d+/.exec(posted.text)?.[0] ?? ''
  const path = `/pets/${id}`
  expect(posted.location).toBe(`/v1${path}`)
  expect((await send('/pets')).text).toContain(posted.text)
  expect(await send(path)).toMatchObject({ status: 200, text: posted.text })
  const changed = await send(path, { method: 'PATCH', body: '{"born":"2020-02-29"}' })
  expect(JSON.parse(changed.text)).toMatchObject({ name: 'Rex', born: '2020-02-29' })
  expect((await send(path)).text).toBe(changed.text)
  await send(path, { method: 'PUT', body: '{"name":"Max"}' })
  expect((await send(path)).text).toBe(posted.text.replace('Rex', 'Max'))
  expect((await send(path, { method: 'DELETE' })).status).toBe(204)
  for (const method of ['GET', 'DELETE']) {
    expect(await send(path, { method })).toMatchObject({ status: 404, text: `{"code":7,"detail":"${id} was deleted"}` })
  }
  expect((await send('/pets')).text).not.toContain('Max')
})

test('keeps ids beyond 2^53 exact', async () => {
  const path = '/pets/9007199254740993'
  const put = await send(path, { method: 'PUT', body: '{"name":"Big"}' })
  expect(put.text).toBe('{"id":9007199254740993,"name":"Big"}')
  expect((await send(path)).text).toBe(put.text)
  expect((await send('/pets/9007199254740992')).text).not.toContain('Big')
})

test("replies with the example whose name the request's example has", async () => {
  expect((await send('/count?kind=dog')).text).toBe('{"count":2}')
  expect((await send('/count?kind=bird')).text).toBe('{"count":3}')
})

test('replies with the preferred status or example', async () => {
  const prefer = (value: string) => send('/count', { headers: { prefer: value } })
  expect(await prefer('code=404')).toMatchObject({ status: 404, text: '{"code":7,"detail":"No such pet"}' })
  expect(await prefer('respond-async, example="dogs"')).toMatchObject({ status: 200, text: '{"count":2}' })
  expect(await prefer('example=gone')).toMatchObject({ status: 404 })
  expect(await prefer('code=418')).toMatchObject({ status: 200, text: '{"count":3}' })
})

test("refuses requests in the contract's form, and accepts any well-formed credentials", async () => {
  const refused = await send('/pets', { method: 'POST', body: '{"name":""}' })
  expect(JSON.parse(refused.text)).toEqual({ code: 1, detail: expect.stringMatching(/^body\/name /) as string })
  expect((await send('/locked')).status).toBe(401)
  expect(await send('/locked', { headers: { 'x-key': 'anything' } })).toMatchObject({ status: 200, text: 'text' })
})

test('refuses requests as their operation declares, and prints a reason that the declared body cannot tell', async () => {
  expect(await send('/odd?limit=a')).toMatchObject({ status: 400, text: '"an odd failure"' })
  const reason = expect.stringMatching(/^GET \/v1\/odd\?limit=a: 400, query\/limit must be an integer/) as string
  await expect.poll(() => mock.warnings).toContainEqual(reason)
})

test('forgets what was posted and deleted, also where 404 is not declared', async () => {
  const path = `/letters/${JSON.parse((await send('/letters', { method: 'POST' })).text) as string}`
  expect((await send(path)).status).toBe(200)
  expect((await send(path, { method: 'DELETE' })).status).toBe(204)
  expect((await send(path)).status).toBe(404)
})

test('accepts no larger bodies than --body-limit', async () => {
  const { url, end } = await startMock(root, '--body-limit', '70000')
  const statusOf = async (length: number) => {
    const headers = { 'content-type': 'application/json' }
    const body = `{"name":"${'a'.repeat(length - 11)}"}`
    return (await fetch(`${url}/pets`, { method: 'POST', headers, body })).status
  }
  expect([await statusOf(70_000), await statusOf(70_001)]).toEqual([201, 413])
  expect(await end('SIGINT')).toBe(0)
})

test('accepts no other credentials than those of --auth', async () => {
  const locked = await startMock(root, '--auth', 'key=k', '--auth', 'key=l')
  const statusOf = async (key: string) => (await fetch(`${locked.url}/locked`, { headers: { 'x-key': key } })).status
  expect([await statusOf('k'), await statusOf('l'), await statusOf('m')]).toEqual([200, 200, 401])
  expect(await locked.end('SIGINT')).toBe(0)
})

test('says which operation cannot be compiled at its first request', async () => {
  const text = { type: 'string' }
  const properties = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p${String(index)}`, text]))
  const requestBody = { content: json({ anyOf: [{ type: 'object', properties }, text] }) }
  const paths = { '/wide': { post: { operationId: 'postWide', requestBody, responses: noContent } } }
  const { url, end } = await startMock(await folderWith({ 'pets.json': contractOf(paths, { security: [] }) }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url.replace('/v1', '/wide'), { method: 'POST', headers, body: '{}' })
  expect(response.status).toBe(501)
  expect(await response.text()).toMatch(/operation postWide: a schema cannot be compiled \(.+\); split it into named/)
  expect(await end('SIGTERM')).toBe(0)
})

test('ends with one line if it cannot start', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const run = (...args: string[]) => runMock(root, ...args)
  const [busy, absent, wrong, unknown] = await Promise.all([
    run('pets.json', '--port', String(port)),
    run('absent.json'),
    run('pets.json', '--port', '65536'),
    run('--sport', '1'),
  ])
  taken.close()
  expect(busy).toEqual({ code: 2, stderr: `127.0.0.1:${String(port)} is taken; choose another with --port\n` })
  expect(absent).toEqual({ code: 1, stderr: 'absent.json: cannot be read (ENOENT)\n' })
  expect(wrong).toEqual({ code: 2, stderr: '--port must be an integer from 0 to 65535, not "65536"\n' })
  expect(unknown.stderr).toMatch(/^Unknown option '--sport'.*; see fastify-contract mock --help\n$/)
})

test('the mock forgets the oldest things when their bytes are many', async () => {
  const withContent = (schema: object) => ({ 200: { description: 'Found.', content: json(schema) } })
  const post = { requestBody: { content: json({ type: 'object' }) }, responses: { 201: { description: 'A box.' } } }
  const get = { responses: { ...withContent({ type: 'object' }), 404: { description: 'No.' } } }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
  const boxes = { get: { responses: withContent({ type: 'array', items: {} }) }, post }
  const paths = { '/boxes': boxes, '/boxes/{id}': { parameters, get } }
  const root = await folderWith({ 'pets.json': contractOf(paths, { security: [] }) })
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=192')
  const { url, end } = await startMock(root)
  vi.unstubAllEnvs()
  const address = url.replace('/v1', '')
  const filling = '{},'.repeat(20_000)
  for (let id = 0; id < 150; id++) {
    const body = `{"id":"${String(id)}","filling":[${filling}0]}`
    const { status } = await fetch(`${address}/boxes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(status).toBe(201)
  }
  const newest = (await (await fetch(`${address}/boxes/149`)).json()) as { filling: unknown[] }
  expect(newest.filling).toHaveLength(20_001)
  const listed = (await (await fetch(`${address}/boxes`)).json()) as { id: string }[]
  expect(listed.at(-1)?.id).toBe('149')
  expect(listed.length).toBeLessThan(150)
  expect(await end('SIGTERM')).toBe(0)
})
