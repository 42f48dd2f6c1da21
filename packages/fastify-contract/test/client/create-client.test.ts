import { expect, test } from 'vitest'
import { type ClientContract, UndeclaredReply, createClient } from '../../src/client/create-client.ts'

const int64 = { format: 'int64' } as const
const failure = { 'application/json': {} }

/** What `generated/client.ts` has. */
const contract = {
  int64Schemas: { '#/components/schemas/Thing': { properties: { id: int64 } } },
  clientOperations: {
    listThings: {
      method: 'GET',
      path: '/things',
      commaSeparated: ['ids', 'words'],
      replies: { 200: { 'application/json': { items: { $ref: '#/components/schemas/Thing' } }, 'text/csv': {} } },
    },
    putThing: {
      method: 'PUT',
      path: '/things/{id}/{parts}',
      contentType: 'application/merge-patch+json',
      replies: { 204: {}, 409: { 'text/plain': {}, 'image/png': {} }, '4XX': failure, default: failure },
    },
  },
} satisfies ClientContract

/** The operations as `generated/openapi.ts` has them. */
interface operations {
  listThings: {
    parameters: {
      query?: { ids?: bigint[]; words?: string[]; tags?: string[]; page?: number }
      header?: { 'X-A'?: number }
      path?: never
    }
    requestBody?: never
    responses: { 200: { content: { 'application/json': { id?: bigint }[]; 'text/csv': string } } }
  }
  putThing: {
    parameters: { query?: never; header?: never; path: { id: bigint; parts: string } }
    requestBody: { content: { 'application/merge-patch+json': { id: bigint } } }
    responses: {
      204: { content?: never }
      409: { content: { 'text/plain': string; 'image/png': string } }
      '4XX': { content: { 'application/json': { error: number } } }
      default: { content: { 'application/json': { error: number } } }
    }
  }
}

/** A client whose requests are answered with this, and the requests. */
function connect(answer: string | Uint8Array<ArrayBuffer> | null = null, init: ResponseInit = {}) {
  const requests: Request[] = []
  const client = createClient<operations>(contract, {
    baseUrl: 'http://things.example/v1//',
    token: 'secret',
    fetch: (url, options) => {
      const request = new Request(url, options)
      request.signal.throwIfAborted()
      requests.push(request)
      return Promise.resolve(new Response(answer, init))
    },
  })
  return { client, requests }
}

const put = { path: { id: 9007199254740993n, parts: 'a/b' }, body: { id: -9007199254740993n } }
const json = (status: number, type = 'application/json') => ({ status, headers: { 'content-type': type } })

test('a request has its parameters, its body and its token as the contract declares them', async () => {
  const listed = connect('[]', json(200))
  await listed.client.listThings({
    query: { ids: [1n, 9007199254740993n], words: ['a b', 'c'], tags: ['d', 'e&'], page: 0 },
    header: { 'X-A': 5 },
    accept: 'text/csv',
  })
  const query = 'ids=1,9007199254740993&words=a%20b,c&tags=d&tags=e%26&page=0'
  expect(listed.requests[0]).toMatchObject({ method: 'GET', url: `http://things.example/v1/things?${query}` })
  expect(Object.fromEntries(listed.requests[0]!.headers)).toEqual({
    ...{ accept: 'text/csv', authorization: 'Bearer secret', 'x-a': '5' },
  })
  const { client, requests } = connect(null, { status: 204 })
  expect(await client.putThing(put)).toMatchObject({ status: 204, contentType: undefined, body: undefined })
  expect(requests[0]).toMatchObject({ method: 'PUT', url: 'http://things.example/v1/things/9007199254740993/a%2Fb' })
  expect(requests[0]!.headers.get('content-type')).toBe('application/merge-patch+json')
  expect(await requests[0]!.text()).toBe('{"id":-9007199254740993}')
})

test('a request without anything but its operation can be left out', async () => {
  const { client, requests } = connect('[]', json(200))
  expect(await client.listThings()).toMatchObject({ body: [] })
  expect(requests[0]!.url).toBe('http://things.example/v1/things')
})

test('a body is read as its media type and its schema say', async () => {
  const { client } = connect('[{"id":9007199254740993,"size":5}]', json(200, 'Application/JSON; charset=utf-8'))
  const contentType = 'application/json'
  expect(await client.listThings()).toMatchObject({ contentType, body: [{ id: 9007199254740993n, size: 5 }] })
  expect(await connect('a,b', json(200, 'text/csv')).client.listThings()).toMatchObject({ body: 'a,b' })
  const png = await connect(new Uint8Array([1, 2]), json(409, 'image/png')).client.putThing(put)
  expect(png).toMatchObject({ status: 409, contentType: 'image/png', body: new Uint8Array([1, 2]) })
})

test.each([
  [409, 'text/plain', 'taken', 'taken'],
  [404, 'application/json', '{"error":1}', { error: 1 }],
  [503, 'application/json', '{"error":2}', { error: 2 }],
])('a failure is a value, of the most exact response that is declared: %i', async (status, type, text, body) => {
  const reply = await connect(text, json(status, type)).client.putThing(put)
  expect(reply).toMatchObject({ status, body })
})

test.each([
  ['a status', connect('[]', json(201)), 201],
  ['a status that is not registered', connect('{"error":1}', json(499)), 499],
  ['a media type', connect('<h1>Welcome</h1>', json(200, 'text/html')), 200],
  ['a body that is cut', connect('[{"id":', json(200)), 200],
])('an answer that the contract does not declare is thrown: %s', async (_what, { client }, status) => {
  const reply = status === 499 ? client.putThing(put) : client.listThings()
  await expect(reply).rejects.toSatisfy((error) => error instanceof UndeclaredReply && error.status === status)
})

test('a call ends with its signal', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(connect().client.listThings({}, { signal })).rejects.toThrow('enough')
})
