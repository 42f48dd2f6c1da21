import type { FastifyInstance } from 'fastify'
import type { Contract } from 'fastify-contract'
import { documentOf, sealContract } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { expect, onTestFinished, test } from 'vitest'
import { readCheckedContract } from '../src/model/read-contract.ts'
import { createMock } from '../src/mock.ts'
import { readContract, test as testServer } from '../src/suite.ts'
import { contractOf, failures, json } from './contracts.ts'

/** Mocks a contract of one operation, `GET /things` or of another method, with these responses. */
async function mockOf(responses: object, operation: object = {}, method = 'get', schemas: object = {}) {
  const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'X-Key' } }
  const paths = { '/things': { [method]: { ...operation, responses } } }
  const document = contractOf(paths, { security: [], components: { securitySchemes, schemas } })
  const read = await readCheckedContract(Buffer.from(JSON.stringify(document)), 'openapi.json')
  const contract = sealContract({ document: stringifyJson(read.document) })
  const lines: string[] = []
  const app = await createMock(contract, { docs: false, onRefusal: (line) => lines.push(line) })
  onTestFinished(() => app.close())
  const get = async (accept = '*/*', url = '/things') => {
    const { statusCode, headers, body } = await app.inject({ url, headers: { accept } })
    return { status: statusCode, type: headers['content-type'], link: headers['link'], body }
  }
  return { app, contract, get, lines }
}

/** What the tests of a contract say of its mock. */
async function verdictsOf(app: FastifyInstance, contract: Contract) {
  const verdicts = []
  for await (const { verdict } of testServer(readContract(documentOf(contract)), { app, seed: 1, scale: 0.1 }))
    verdicts.push(verdict)
  return verdicts
}

test('a declared success comes before the response `default`', async () => {
  const { get } = await mockOf({ 204: { description: 'Done.' }, ...failures })
  expect(await get()).toMatchObject({ status: 204, body: '' })
})

test('an operation that declares no success is answered 204, which its tests take', async () => {
  const { app, contract, get } = await mockOf({ 405: { description: 'Invalid input.' } })
  expect(await get()).toMatchObject({ status: 204, body: '' })
  const verdicts = []
  for await (const { verdict, notes } of testServer(readContract(documentOf(contract)), { app, seed: 1, scale: 0.1 }))
    verdicts.push([verdict, ...notes.map(({ text }) => text)])
  expect(verdicts).toContainEqual(['ok', '204 is not declared'])
  expect(verdicts.flat()).not.toContain('fault')
})

test('a redirect is a success where the contract declares no other', async () => {
  const headers = { Location: { required: true, schema: { type: 'string', example: '/others' } } }
  const { get } = await mockOf({ 302: { description: 'Elsewhere.', headers }, 404: { description: 'None.' } })
  expect(await get()).toMatchObject({ status: 302 })
})

const text = { type: 'string' }
const thing = { type: 'object', required: ['name'], properties: { name: { const: 'a' } } }

test('JSON is sent as JSON, whatever the client asks for', async () => {
  const { get } = await mockOf({
    200: { description: 'One.', content: { 'application/xml': { schema: thing }, ...json(thing) } },
  })
  for (const accept of ['application/xml', '*/*']) {
    expect(await get(accept)).toMatchObject({ status: 200, type: 'application/json', body: '{"name":"a"}' })
  }
})

test('the example of a failure in the form of RFC 9457 keeps its own members', async () => {
  const example = { title: 'Gone', detail: 'no such thing', code: 'E7' }
  const { app } = await mockOf({
    200: { description: 'One.', content: json(thing) },
    404: { description: 'None.', content: { 'application/problem+json': { schema: { type: 'object' }, example } } },
  })
  const { statusCode, body } = await app.inject({ url: '/things', headers: { prefer: 'code=404' } })
  expect({ statusCode, body: JSON.parse(body) as unknown }).toEqual({ statusCode: 404, body: example })
})

test('an example is sent as the media type that the client asks for', async () => {
  const { get } = await mockOf({
    200: { description: 'One.', content: { 'application/xml': { schema: thing, example: '<a/>' }, ...json(thing) } },
  })
  expect(await get('application/xml')).toMatchObject({ status: 200, type: 'application/xml', body: '<a/>' })
  expect(await get('application/json')).toMatchObject({ status: 200, type: 'application/json' })
})

test('an operation without a media type that the mock can write is answered 501', async () => {
  const { get } = await mockOf({ 200: { description: 'One.', content: { 'application/xml': { schema: thing } } } })
  const { status, body } = await get()
  expect(status).toBe(501)
  expect(body).toContain('cannot generate a body of application/xml; give the response an example')
})

test('a failure of a media type that the mock cannot write has no content', async () => {
  const responses = {
    204: { description: 'Done.' },
    400: { description: 'No.', content: { 'application/xml': { schema: thing } } },
  }
  const parameters = [{ name: 'size', in: 'query', required: true, schema: { type: 'integer' } }]
  const { app, contract, get } = await mockOf(responses, { parameters })
  expect(await get()).toMatchObject({ status: 400, type: 'application/xml', body: '' })
  const verdicts = await verdictsOf(app, contract)
  expect(verdicts).toContain('ok')
  expect(verdicts).not.toContain('fault')
})

const key = { security: [{ key: [] }] }
const size = { parameters: [{ name: 'size', in: 'query', required: true, schema: { type: 'integer' } }] }
const said = 'query/size is required'
const told = { type: 'object', properties: { code: text, error: text, message: text } }
const listed = { type: 'object', properties: { detail: { type: 'array', items: { properties: { msg: text } } } } }
const coded = { type: 'object', properties: { ok: { const: false }, error: { enum: ['invalid'] } } }
test.each<[string, object, object]>([
  ['the plainest of several members', told, { code: 'text', error: 'text', message: said }],
  ['an inner member', { properties: { error: told } }, { error: { code: 'text', error: 'text', message: said } }],
  ['a member in a list', listed, { detail: [{ msg: said }] }],
  ['no member with constants', coded, { ok: false, error: 'invalid' }],
])('a refusal has its reason in its header, and in %s', async (_name, schema, expected) => {
  const responses = { 204: { description: 'Done.' }, 422: { description: 'No.', content: json(schema) } }
  const { app, lines } = await mockOf(responses, size)
  const { statusCode, headers, body } = await app.inject('/things')
  expect([statusCode, headers['x-mock-reason'], JSON.parse(body)]).toEqual([422, said, expected])
  expect(lines).toEqual([`GET /things: 422, ${said}`])
})

test.each<[string, object, number[], number]>([
  ['400', size, [400, 422], 400],
  ['422 in place of 400', size, [422], 422],
  ['400, whose place no other can take', size, [404], 400],
  ['403 in place of 401', key, [400, 403], 403],
  ['400 in place of 401', key, [400], 400],
])('a refusal has the status %s', async (_name, operation, declared, expected) => {
  const plain = { description: 'No.', content: { 'text/plain': {} } }
  const refusals = Object.fromEntries(declared.map((status) => [status, plain]))
  const { app } = await mockOf({ 204: { description: 'Done.' }, ...refusals }, operation)
  const { statusCode, headers, body } = await app.inject({ url: '/things' })
  expect(statusCode).toBe(expected)
  expect(body).toContain(headers['x-mock-reason'])
})

test('the reason is a value of a header, whatever a request has', async () => {
  const { app, lines } = await mockOf({ 204: { description: 'Done.' } })
  await app.inject('/things/%zz')
  expect(lines).toEqual([expect.stringContaining('GET /things/%zz: 400')])
  const { headers } = await app.inject(`/things?${encodeURIComponent('\u2713\r\n')}=1`)
  expect(headers['x-mock-reason']).toMatch(/^[ -~]*%E2%9C%93[ -~]*$/)
})

test.each([
  ['^/things/[0-9]+$', /^\/things\/\d+$/],
  ['^/elsewhere/[0-9]$', /^\/elsewhere\/\d$/],
])('the header Location keeps its pattern, %s', async (pattern, expected) => {
  const location = { required: true, schema: { type: 'string', pattern } }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
  const document = contractOf(
    {
      '/things': { post: { responses: { 201: { description: 'Made.', headers: { Location: location } } } } },
      '/things/{id}': { parameters, get: { responses: { 200: { description: 'One.', content: json(thing) } } } },
    },
    { security: [] },
  )
  const read = await readCheckedContract(Buffer.from(JSON.stringify(document)), 'openapi.json')
  const app = await createMock(sealContract({ document: stringifyJson(read.document) }), { docs: false })
  onTestFinished(() => app.close())
  expect((await app.inject({ method: 'POST', url: '/things' })).headers['location']).toMatch(expected)
})

test.each<[string, object, object]>([
  ['an optional link', { next: { type: 'string', format: 'uri' } }, {}],
  ['a link that may be null', { next: { type: ['string', 'null'] } }, { next: null }],
  ['a token in an object', { paging: { type: 'object', properties: { nextPageToken: text } } }, { paging: {} }],
  ['a token to go on', { metadata: { type: 'object', properties: { continue: text } } }, { metadata: {} }],
  ['a flag', { has_more: { type: 'boolean' } }, { has_more: false }],
  ['a flag of one word', { more: { type: 'boolean' } }, { more: false }],
  ['a required token', { next_cursor: text }, { next_cursor: '' }],
])('a list ends, though its schema has %s', async (_name, properties, expected) => {
  const isRequired = Object.values(expected).some((value) => typeof value !== 'object' || value === null)
  const schema = {
    type: 'object',
    properties: { ...properties, items: { type: 'array', items: { type: 'object', properties: { nextPage: text } } } },
    required: isRequired ? Object.keys(properties) : [],
  }
  const { get } = await mockOf({ 200: { description: 'Things.', content: json(schema) } })
  expect(JSON.parse((await get()).body)).toEqual({ ...expected, items: [{ nextPage: 'text' }] })
})

test('a list ends, though its example and its header Link go on', async () => {
  const schema = {
    type: 'object',
    required: ['items'],
    properties: { next: text, items: { type: 'array', items: text } },
  }
  const examples = { first: { value: { next: '/things?page=2', items: ['a'] } } }
  const headers = { Link: { schema: text, example: '</things?page=2>; rel="next"' } }
  const { app, get } = await mockOf({ 200: { description: 'Things.', headers, content: json(schema, { examples }) } })
  expect(await get()).toMatchObject({ link: undefined, body: '{"items":["a"]}' })
  const preferred = await app.inject({ url: '/things', headers: { prefer: 'example=first' } })
  expect(preferred.json()).toEqual(examples.first.value)
})

/** What a mock replies with where an event stream is declared. */
const streamOf = (media: object) => mockOf({ 200: { description: 'Events.', content: { 'text/event-stream': media } } })

const event = { type: 'object', required: ['data'], properties: { event: { const: 'said' }, data: thing } }
test.each<[string, object, string]>([
  ['values of its schema', { schema: thing }, 'data: {"name":"a"}\n\n'.repeat(3)],
  ['the items of a list', { schema: { type: 'array', items: thing } }, 'data: {"name":"a"}\n\n'.repeat(3)],
  ['fields of events', { schema: event }, 'event: said\ndata: {"name":"a"}\n\n'.repeat(3)],
  ['texts', {}, 'data: text\n\ndata: text1\n\ndata: text2\n\n'],
  ['an example', { schema: thing, example: { name: 'a' } }, 'data: {"name":"a"}\n\n'],
  ['lines', { schema: text, example: 'one\ntwo' }, 'data: one\ndata: two\n\n'],
  ['a written example', { schema: text, example: ': hi\nretry: 5\ndata: one\n' }, ': hi\nretry: 5\ndata: one\n\n'],
  ['a text that is no event', { schema: { ...text, maxLength: 3 }, example: 'one' }, 'one'],
])('an event stream has %s', async (_name, media, body) => {
  const { get } = await streamOf(media)
  expect(await get()).toMatchObject({ status: 200, type: 'text/event-stream; charset=utf-8', body })
})

test('a stream is sent to who asks for it in the body, else by the header Accept', async () => {
  const flag = { type: 'object', properties: { stream: { type: 'boolean' } } }
  const content = { 'text/event-stream': { schema: thing }, ...json(thing) }
  const { app, contract } = await mockOf(
    { 200: { description: 'One.', content } },
    { requestBody: { content: json(flag) } },
    'post',
  )
  const typeOf = async (accept: string, body: object) => {
    const { headers } = await app.inject({ method: 'POST', url: '/things', headers: { accept }, payload: body })
    return headers['content-type']
  }
  const [events, plain] = ['text/event-stream; charset=utf-8', 'application/json']
  expect(await typeOf(plain, { stream: true })).toBe(events)
  expect(await typeOf('text/event-stream', {})).toBe(events)
  expect(await typeOf(`${plain}, text/event-stream`, { stream: false })).toBe(plain)
  expect(await typeOf('*/*', {})).toBe(plain)
  expect(new Set(await verdictsOf(app, contract))).toEqual(new Set(['ok']))
})

test('callers do not see what others post', async () => {
  const note = { type: 'object', required: ['title'], properties: { id: text, title: text } }
  const one = { 200: { description: 'One.', content: json(note) } }
  const all = { 200: { description: 'All.', content: json({ type: 'array', items: note }) } }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: text }]
  const paths = {
    '/notes': { get: { responses: all }, post: { requestBody: { content: json(note) }, responses: one } },
    '/notes/{id}': { parameters, get: { responses: one } },
  }
  const read = await readCheckedContract(Buffer.from(JSON.stringify(contractOf(paths))), 'openapi.json')
  const contract = sealContract({ document: stringifyJson(read.document) })
  const app = await createMock(contract, { docs: false, auth: { bearer: ['Bearer a', 'Bearer b'] } })
  onTestFinished(() => app.close())
  const send = async (token: string, url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await app.inject({ url, headers, ...(payload && { method: 'POST', payload }) })
    return body
  }
  await send('b', '/notes', { id: 'x', title: 'of b' })
  for (const url of ['/notes', '/notes/x']) {
    expect(await send('a', url)).not.toContain('of b')
    expect(await send('b', url)).toContain('of b')
  }
})

const object = (properties: object, more = {}) => ({ type: 'object', properties, ...more })
const listOf = (items: object) => ({ type: 'array', items })
const ok = (schema: object, more = {}) => ({ 200: { description: 'OK.', content: json(schema, more) } })
const sends = (schema: object) => ({ requestBody: { required: true, content: json(schema) } })
const pathWith = (...names: string[]) => ({
  parameters: names.map((name) => ({ name, in: 'path', required: true, schema: text })),
})

const typeOf = (method: string) => (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json')

/** Mocks a contract, and sends requests to it, `POST /pods`, each with the JSON of a body. @param lines its refusals */
async function clientOf(paths: Record<string, object>, schemas: object, lines: string[] = []) {
  const document = contractOf(paths, { security: [], components: { schemas } })
  const read = await readCheckedContract(Buffer.from(JSON.stringify(document)), 'openapi.json')
  const onRefusal = (line: string) => lines.push(line)
  const app = await createMock(sealContract({ document: stringifyJson(read.document) }), { docs: false, onRefusal })
  onTestFinished(() => app.close())
  return async (route: string, sent?: object) => {
    const [method = '', url = ''] = route.split(' ')
    const { statusCode, body } = await app.inject({
      method: method as 'GET',
      url,
      ...(sent === undefined ? {} : { payload: JSON.stringify(sent), headers: { 'content-type': typeOf(method) } }),
    })
    return statusCode < 300 && body !== '' ? (JSON.parse(body) as unknown) : statusCode
  }
}

const pod = { $ref: '#/components/schemas/Pod' }
const issue = { $ref: '#/components/schemas/Issue' }
const messages = '/accounts/{AccountSid}/messages'
const kinds = {
  '/pods': { get: { responses: ok(object({ items: listOf(pod) })) }, post: { ...sends(pod), responses: ok(pod) } },
  '/pods/{name}': { ...pathWith('name'), get: { responses: ok(pod) } },
  '/{owner}/issues': {
    ...pathWith('owner'),
    get: { responses: ok(object({ issues: listOf(issue) })) },
    post: { ...sends(object({ issue: object({ title: text }) })), responses: ok(object({ issue })) },
  },
  '/{owner}/issues/{issue_number}': {
    ...pathWith('owner', 'issue_number'),
    get: { responses: ok(object({ issue })) },
  },
  [`${messages}.json`]: {
    ...pathWith('AccountSid'),
    post: { ...sends(object({ body: text })), responses: ok(object({ sid: text, body: text })) },
  },
  [`${messages}/{Sid}.json`]: {
    ...pathWith('AccountSid', 'Sid'),
    get: { responses: ok(object({ sid: text, body: text })) },
  },
}
const kindsOfThings = {
  Pod: object({
    kind: text,
    metadata: object({ name: text, labels: object({ a: text }) }),
    spec: object({ image: text }),
  }),
  Issue: object({ number: { type: 'integer' }, title: text }, { required: ['number'] }),
}

const customer = { $ref: '#/components/schemas/Customer' }
const part = object({ name: text, details: object({ first: text, last: text }) })
const sendsPatch = { requestBody: { content: { 'application/merge-patch+json': { schema: part } } } }
const found = object({ id: text, name: text })
const changes = {
  '/customers': {
    get: { responses: ok(object({ data: listOf(customer) })) },
    post: { ...sends(object({ Name: text, details: object({ first: text }) })), responses: ok(customer) },
  },
  '/customers/{customer}': {
    ...pathWith('customer'),
    get: { responses: { ...ok(customer), 404: { description: 'None.' } } },
    post: { ...sends(part), responses: ok(customer) },
    put: { ...sends(part), responses: ok(customer) },
    patch: { ...sendsPatch, responses: ok(customer) },
    delete: {
      responses: ok(object({ id: text, deleted: { type: 'boolean' } }), { example: { id: 'c9', deleted: true } }),
    },
  },
  '/tokens': {
    get: { responses: ok(object({ data: listOf(object({ id: text, token: text })) })) },
    post: {
      ...sends(object({ user: text })),
      responses: ok(object({ token: text }), { example: { token: 'secret' } }),
    },
  },
  '/tokens/{id}': { ...pathWith('id'), get: { responses: ok(object({ id: text, token: text })) } },
  '/searches': {
    get: { responses: ok(listOf(found)) },
    post: {
      ...sends(object({ limit: { type: 'integer' } })),
      responses: ok(object({ found: listOf(found), limit: { type: 'integer', example: 1 } })),
    },
  },
  '/searches/{id}': { ...pathWith('id'), get: { responses: ok(found) } },
  '/batches': {
    get: { responses: ok(listOf(found)) },
    post: { ...sends(listOf(found)), responses: ok(listOf(found)) },
  },
  '/batches/{id}': { ...pathWith('id'), get: { responses: ok(found) } },
}
const customerSchema = object(
  { id: text, kind: { const: 'customer' }, made: { type: 'integer', readOnly: true }, ...part.properties },
  { required: ['id', 'kind'] },
)

test('POST, PUT and PATCH on a thing change it, and DELETE names it', async () => {
  const send = await clientOf(changes, { Customer: customerSchema })
  const posted = await send('POST /customers', { Name: 'Ann', details: { first: 'A' } })
  const { id } = posted as { id: string }
  const url = `/customers/${id}`
  const ann = { id, kind: 'customer', name: 'Ann', details: { first: 'A' } }
  expect(posted).toEqual(ann)
  expect(await send(`POST ${url}`, { name: 'Bea' })).toEqual({ ...ann, name: 'Bea' })
  expect(await send(`PATCH ${url}`, { details: { last: 'B' } })).toEqual(await send(`GET ${url}`))
  expect(await send(`GET ${url}`)).toEqual({ ...ann, name: 'Bea', details: { first: 'A', last: 'B' } })
  const replaced = { id, kind: 'customer', details: { last: 'C' } }
  expect(await send(`PUT ${url}`, { details: { last: 'C' } })).toEqual(replaced)
  expect(await send('GET /customers')).toEqual({ data: expect.arrayContaining([replaced]) as unknown })
  expect(await send(`DELETE ${url}`)).toEqual({ id, deleted: true })
  expect(await send(`GET ${url}`)).toBe(404)
  expect(JSON.stringify(await send('GET /customers'))).not.toContain(`"${id}"`)
})

const pots = {
  '/pots': {
    get: {
      responses: ok(object({ total: { type: 'integer' }, result: object({ pots: listOf(object({ name: text })) }) }), {
        example: { total: 50, result: { pots: [] } },
      }),
    },
  },
  '/pots/{pot_name}': {
    ...pathWith('pot_name'),
    get: { responses: { ...ok(object({ status: text })), 404: { description: 'None.' } } },
    put: { ...sends(object({ size: { type: 'integer' } })), responses: ok(object({ result: { type: 'boolean' } })) },
    delete: { responses: ok(object({ deleted: { type: 'boolean' } }), { example: { deleted: false } }) },
  },
}

test('what PUT creates is in the list, and counted, also after it was deleted', async () => {
  const lines: string[] = []
  const send = await clientOf(pots, {}, lines)
  expect(await send('PUT /pots/red', { size: 1 })).toEqual({ result: true })
  expect(await send('GET /pots')).toEqual({ total: 1, result: { pots: [{ name: 'red' }] } })
  expect(await send('DELETE /pots/red')).toEqual({ deleted: true })
  expect(await send('GET /pots/red')).toBe(404)
  expect(lines).toEqual(['GET /pots/red: 404, red was deleted'])
  expect(await send('GET /pots')).toEqual({ total: 0, result: { pots: [] } })
  expect(await send('PUT /pots/red', { size: 2 })).toEqual({ result: true })
  expect(await send('GET /pots')).toEqual({ total: 1, result: { pots: [{ name: 'red' }] } })
})

test('what is there already is refused with its reason, where the contract says how', async () => {
  const lines: string[] = []
  const pot = object({ name: text })
  const taken = { 409: { description: 'Taken.' } }
  const get = { responses: ok(pot) }
  const post = { ...sends(pot), responses: { ...ok(pot), ...taken } }
  const send = await clientOf({ '/pots': { post }, '/pots/{name}': { ...pathWith('name'), get } }, {}, lines)
  await send('POST /pots', { name: 'red' })
  expect(await send('POST /pots', { name: 'red' })).toBe(409)
  expect(lines).toEqual(['POST /pots: 409, red exists'])
})

test('a PUT that requires nothing of what POST requires changes a part', async () => {
  const group = object({ id: text, name: text, note: text })
  const send = await clientOf(
    {
      '/groups': { post: { ...sends({ ...group, required: ['name'] }), responses: ok(group) } },
      '/groups/{group_id}': { ...pathWith('group_id'), put: { ...sends(group), responses: ok(group) } },
    },
    {},
  )
  const { id } = (await send('POST /groups', { name: 'Staff' })) as { id: string }
  expect(await send(`PUT /groups/${id}`, { note: 'All' })).toEqual({ id, name: 'Staff', note: 'All' })
})

test('a POST whose reply has nothing of what it sends creates nothing', async () => {
  const send = await clientOf(changes, { Customer: customerSchema })
  const before = await send('GET /tokens')
  expect(await send('POST /tokens', { user: 'me' })).toEqual({ token: 'secret' })
  expect(await send('POST /searches', { limit: 1 })).toMatchObject({ limit: 1 })
  expect(await send('POST /batches', [{ name: 'a' }])).toEqual([{ id: 'text', name: 'text' }])
  expect(await send('GET /tokens')).toEqual(before)
  expect(await send('GET /searches')).toEqual([{ id: 'text', name: 'text' }])
  expect(await send('GET /batches')).toEqual([{ id: 'text', name: 'text' }])
})

test('what was posted is read by the parameter of its path, in an envelope if the thing has one', async () => {
  const send = await clientOf(kinds, kindsOfThings)
  const web = { kind: 'Pod', metadata: { name: 'web', labels: { a: 'b' } }, spec: { image: 'nginx' } }
  expect(await send('POST /pods', web)).toEqual(web)
  expect(await send('POST /pods', { metadata: { name: 'bare' } })).toEqual({ metadata: { name: 'bare' } })
  expect(await send('GET /pods/web')).toEqual(web)
  expect(await send('GET /pods')).toEqual({ items: expect.arrayContaining([web]) as unknown })
  const posted = await send('POST /me/issues', { issue: { title: 'Late' } })
  const { number } = (posted as { issue: { number: number } }).issue
  expect(posted).toEqual({ issue: { number, title: 'Late' } })
  expect(await send(`GET /me/issues/${String(number)}`)).toEqual(posted)
  expect(await send('GET /you/issues')).not.toMatchObject({ issues: [{ title: 'Late' }] })
  const message = await send('POST /accounts/a/messages.json', { body: 'Hi' })
  expect(await send(`GET /accounts/a/messages/${(message as { sid: string }).sid}.json`)).toEqual(message)
  expect(await send('GET /accounts/a/messages/M7.json')).toMatchObject({ sid: 'M7' })
})

test('a list of things is not that of what stands beside them, and a thing keeps its next one', async () => {
  const step = object({ id: text, name: text, next: text })
  const reply = object({ users: listOf(object({ id: text })), data: object({ steps: listOf(step) }) })
  const send = await clientOf(
    {
      '/steps': { get: { responses: ok(reply) }, post: { ...sends(step), responses: ok(step) } },
      '/steps/{id}': { ...pathWith('id'), get: { responses: ok(step) } },
    },
    {},
  )
  const last = { id: 'b', name: 'Bake', next: 'c' }
  await send('POST /steps', last)
  expect(await send('GET /steps/b')).toEqual(last)
  expect(await send('GET /steps')).toMatchObject({
    users: [{ id: 'text' }],
    data: { steps: expect.arrayContaining([last]) as unknown },
  })
})

test('a thing of the second alternative is not shown as one of the first', async () => {
  const [meat, plant] = ['meat', 'plant'].map((name) =>
    object({ kind: text, name: text, [name]: text }, { required: [name] }),
  )
  const food = { oneOf: [meat, plant] }
  const send = await clientOf(
    {
      '/foods': { post: { ...sends(food), responses: ok(food) } },
      '/foods/{name}': { ...pathWith('name'), get: { responses: ok(food) } },
    },
    {},
  )
  const kale = { kind: 'salad', name: 'kale', plant: 'cabbage' }
  expect(await send('POST /foods', kale)).toEqual(kale)
  expect(await send('GET /foods/kale')).toEqual(kale)
})

test('an action on a thing shows it with what was sent', async () => {
  const ticket = object({ id: text, title: text, state: text })
  const path = '/tickets/{ticket_id}'
  const one = pathWith('ticket_id')
  const send = await clientOf(
    {
      '/tickets': { post: { ...sends(ticket), responses: ok(ticket) } },
      [path]: { ...one, get: { responses: ok(ticket) } },
      [`${path}/open`]: { ...one, post: { responses: ok(ticket) } },
      [`${path}/close`]: { ...one, post: { ...sends(object({ state: text, why: text })), responses: ok(ticket) } },
      [`${path}/pass`]: { ...one, post: { ...sends(object({ why: text })), responses: ok(ticket) } },
      [`${path}/copy`]: {
        ...one,
        post: { ...sends(ticket), responses: { 201: { description: 'New.', content: json(ticket) } } },
      },
      [`${path}/vote`]: { ...one, post: { ...sends(object({ state: text })), responses: ok(object({ state: text })) } },
    },
    {},
  )
  const { id } = (await send('POST /tickets', { title: 'Leak' })) as { id: string }
  const url = `/tickets/${id}`
  expect(await send(`POST ${url}/open`)).toEqual({ id, title: 'Leak' })
  const closed = { id, title: 'Leak', state: 'closed' }
  expect(await send(`POST ${url}/close`, { state: 'closed', why: 'done' })).toEqual(closed)
  expect(await send(`POST ${url}/pass`, { why: 'away' })).toEqual(closed)
  expect(await send(`POST ${url}/copy`, { title: 'Copy' })).toMatchObject({ id: 'text' })
  expect(await send(`POST ${url}/vote`, { state: 'up' })).toEqual({ state: 'text' })
  expect(await send(`GET ${url}`)).toEqual(closed)
})

test('what is posted within another thing is found by its own path, and listed where it was posted', async () => {
  const comment = object({ id: text, body: text, post_id: text })
  const post = '/{blog}/posts/{post_id}'
  const send = await clientOf(
    {
      [`${post}/comments`]: {
        ...pathWith('blog', 'post_id'),
        get: { responses: ok(listOf(comment)) },
        post: { ...sends(object({ body: text })), responses: ok(comment) },
      },
      '/{blog}/comments/{comment_id}': {
        ...pathWith('blog', 'comment_id'),
        get: { responses: { ...ok(comment), 404: { description: 'None.' } } },
        put: { ...sends(object({ body: text })), responses: ok(comment) },
        delete: { responses: { 204: { description: 'Gone.' } } },
      },
    },
    {},
  )
  const posted = (await send('POST /b/posts/p1/comments', { body: 'Yes' })) as { id: string }
  const { id } = posted
  expect(posted).toEqual({ id, body: 'Yes', post_id: 'p1' })
  expect(await send('POST /b/posts/p2/comments', { body: 'Hm' })).not.toMatchObject({ id })
  expect(await send(`GET /b/comments/${id}`)).toEqual(posted)
  expect(await send(`GET /other/comments/${id}`)).not.toEqual(posted)
  expect(await send(`PUT /b/comments/${id}`, { body: 'No' })).toEqual({ ...posted, body: 'No' })
  expect(await send('GET /b/posts/p1/comments')).toContainEqual({ ...posted, body: 'No' })
  const others = await send('GET /b/posts/p2/comments')
  expect(others).toContainEqual(expect.objectContaining({ body: 'text', post_id: 'p2' }))
  expect(JSON.stringify(others)).not.toContain('"No"')
  expect(await send(`DELETE /b/comments/${id}`)).toBe(204)
  expect(await send(`GET /b/comments/${id}`)).toBe(404)
  expect(JSON.stringify(await send('GET /b/posts/p1/comments'))).not.toContain('"No"')
})

test('a reply says what its path says', async () => {
  const card = object({ id: text, accountId: text, shop: { type: 'integer' } })
  const entries = listOf(object({ account_id: text, type: { const: 'entry' } }))
  const history = object({ id: text, account_id: text, entries })
  const send = await clientOf(
    {
      '/accounts/{account_id}/history': { ...pathWith('account_id'), get: { responses: ok(history) } },
      '/accounts/{account_id}/{type}': { ...pathWith('account_id', 'type'), get: { responses: ok(entries) } },
      '/shops/{shop}/{account_id}/cards': {
        ...pathWith('shop', 'account_id'),
        get: { responses: ok(listOf(card)) },
        post: { ...sends(card), responses: ok(card) },
      },
      '/shops/{shop}/{account_id}/cards/{id}': {
        ...pathWith('shop', 'account_id', 'id'),
        get: { responses: ok(card) },
      },
    },
    {},
  )
  const entry = { account_id: 'a1', type: 'entry' }
  expect(await send('GET /accounts/a1/history')).toEqual({ id: 'text', account_id: 'a1', entries: [entry] })
  expect(await send('GET /accounts/a1/none')).toEqual([entry])
  expect(await send('POST /shops/7/a1/cards', { id: 'c' })).toEqual({ id: 'c', accountId: 'a1', shop: 7 })
  expect(await send('GET /shops/7/a1/cards/d')).toEqual({ id: 'd', accountId: 'a1', shop: 7 })
  expect(await send('GET /shops/8/a2/cards')).toEqual([{ id: 'text', accountId: 'a2', shop: 8 }])
})

test('a discriminator has the name of its mapping, or that of the schema', async () => {
  const named = (more: object = {}, ...required: string[]) => {
    return { type: 'object', required: ['kind', ...required], properties: { kind: text, ...more } }
  }
  const of = (...names: string[]) => names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const schemas = {
    Cat: named({ lives: { type: 'integer' } }, 'lives'),
    Dog: named({ bark: text }, 'bark'),
    Fox: { allOf: of('Base'), example: { kind: 'vixen' } },
    Hen: { type: 'object', required: ['eggs'], properties: { eggs: text } },
    Pet: { oneOf: of('Cat', 'Dog', 'Hen'), discriminator: { propertyName: 'kind', mapping: { cat: 'Cat' } } },
    Base: { ...named(), discriminator: { propertyName: 'kind', mapping: { made: 'Made' } } },
    Made: { allOf: of('Base') },
    Plain: { allOf: of('Base') },
  }
  const pets = { type: 'array', minItems: 3, items: of('Pet')[0] }
  const [base, made, plain, fox] = of('Base', 'Made', 'Plain', 'Fox')
  const schema = { type: 'object', properties: { pets, base, made, plain, fox } }
  const { get } = await mockOf({ 200: { description: 'All.', content: json(schema) } }, {}, 'get', schemas)
  expect(JSON.parse((await get()).body)).toEqual({
    pets: [{ kind: 'cat', lives: 1 }, { kind: 'Dog', bark: 'text1' }, { eggs: 'text2' }],
    base: { kind: 'made' },
    made: { kind: 'made' },
    plain: { kind: 'Plain' },
    fox: { kind: 'vixen' },
  })
})
