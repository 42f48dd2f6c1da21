import { expect, test } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import { shareApp, startApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test.each(['a', 'A-z_0.9', '8f14e45f-ceea-467f-a9c1-6b1f0a6b3f0e', 'x'.repeat(128)])(
  'the request id %s of the client comes back',
  async (id) => {
    const { send } = await newCaller()
    expect(
      (await send({ method: 'GET', url: '/plants', headers: { 'x-request-id': id } })).headers['x-request-id'],
    ).toBe(id)
  },
)

test.each(['', ' ', 'x'.repeat(129), 'a b', 'a,b', 'a/b', 'a"b', '{"a":1}', 'é', '<script>', 'a%0Ab'])(
  'the request id %j is replaced by a random one',
  async (id) => {
    const { send } = await newCaller()
    expect(
      (await send({ method: 'GET', url: '/plants', headers: { 'x-request-id': id } })).headers['x-request-id'],
    ).toMatch(uuid)
  },
)

test.each([
  createToken('me', 0).text,
  'plst_cut',
  `a.${createToken('me', 0).text}`,
  'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2ln',
  'eyAiYWxnIjoiRVMyNTYifQ.e30.c2ln',
])('the request id %s, which looks like a token, is replaced by a random one', async (id) => {
  const { send } = await newCaller()
  expect(
    (await send({ method: 'GET', url: '/plants', headers: { 'x-request-id': id } })).headers['x-request-id'],
  ).toMatch(uuid)
})

test('each request without an id gets one of its own', async () => {
  const { send } = await newCaller()
  const ids = await Promise.all(
    Array.from({ length: 10 }, async () => (await send({ method: 'GET', url: '/plants' })).headers['x-request-id']),
  )
  expect(new Set(ids).size).toBe(10)
  for (const id of ids) expect(id).toMatch(uuid)
})

test.each([
  [200, { method: 'GET', url: '/plants' }],
  [204, { method: 'DELETE', url: '/plants/1' }],
  [400, { method: 'GET', url: '/plants?limit=x' }],
  [400, { method: 'GET', url: '/%' }],
  [401, { method: 'GET', url: '/plants', headers: { authorization: undefined } }],
  [404, { method: 'GET', url: '/nowhere' }],
  [405, { method: 'PUT', url: '/plants' }],
  [413, { method: 'POST', url: '/plants', body: ' '.repeat(70_000) }],
  [415, { method: 'POST', url: '/plants', body: 'a', headers: { 'content-type': 'text/plain' } }],
])(
  'a response with status %i has the request id, and the one log line has the same',
  async (
    status,
    {
      headers,
      ...request
    }: { method: string; url: string; body?: string; headers?: Record<string, string | undefined> },
  ) => {
    const { send, store, logLines } = await startApp()
    await store.create('me', { id: 1n, name: 'a' })
    const response = await send({ ...request, headers: { ...headers, 'x-request-id': 'mine' } })
    expect(response).toMatchObject({ status, headers: { 'x-request-id': 'mine' } })
    expect(logLines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ requestId: 'mine', status }])
  },
)
