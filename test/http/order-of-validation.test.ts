import { expect, test } from 'vitest'
import { exchange } from '../support/client/exchange.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { assertKeepsContract } from '../support/responses/check-response.ts'
import { type TestRequest as AnyTestRequest, shareApp, startApp } from '../support/server/start-app.ts'

const newCaller = shareApp()

type TestRequest = AnyTestRequest & { body: string }

/**
 * What can be wrong with a request to create a plant, in the order in which it is checked: each spoils a request that
 * was good so far.
 */
const faults = [
  { name: 'path_not_found', spoil: (request: TestRequest) => ({ ...request, url: `/nowhere${request.url}` }) },
  { name: 'method_not_allowed', spoil: (request: TestRequest) => ({ ...request, method: 'PUT' }) },
  {
    name: 'credentials_missing',
    spoil: (request: TestRequest) => ({ ...request, headers: { ...request.headers, authorization: undefined } }),
  },
  {
    name: 'unsupported_media_type',
    spoil: (request: TestRequest) => ({ ...request, headers: { ...request.headers, 'content-type': 'text/plain' } }),
  },
  {
    name: 'body_too_large',
    spoil: (request: TestRequest) => ({ ...request, body: `${request.body}${' '.repeat(70_000)}` }),
  },
  { name: 'malformed_body', spoil: (request: TestRequest) => ({ ...request, body: `${request.body}}` }) },
  { name: 'invalid_request', spoil: (request: TestRequest) => ({ ...request, url: `${request.url}?limt=1` }) },
  { name: 'plant_exists', spoil: (request: TestRequest) => request },
] as const

const pairs = faults.flatMap((earlier, index) => faults.slice(index + 1).map((later) => ({ earlier, later })))

test.each(pairs)('$earlier.name is told before $later.name', async ({ earlier, later }) => {
  const { send } = await newCaller()
  const request: TestRequest = { method: 'POST', url: '/plants', body: '{"id":54,"name":"a"}' }
  expect((await send(request)).status).toBe(200)
  expectFailure(await send(earlier.spoil(later.spoil(request))), earlier.name)
})

test('every fault at once is told as the first of them', async () => {
  const { send } = await newCaller()
  const request: TestRequest = { method: 'POST', url: '/plants', body: '{"id":54,"name":"a"}' }
  expectFailure(await send(faults.reduceRight((spoiled, { spoil }) => spoil(spoiled), request)), 'path_not_found')
})

test.each([
  [
    'broken percent-encoding before credentials',
    { method: 'DELETE', url: '/plants/%', headers: { authorization: undefined } },
    'malformed_http',
  ],
  [
    'credentials before the contract',
    { method: 'DELETE', url: '/plants/x', headers: { authorization: undefined } },
    'credentials_missing',
  ],
  [
    'credentials before the store',
    { method: 'DELETE', url: '/plants/1', headers: { authorization: undefined } },
    'credentials_missing',
  ],
  [
    'a bad token before the contract',
    { method: 'GET', url: '/plants?limit=x', headers: { authorization: 'Bearer x' } },
    'token_invalid',
  ],
  [
    'a bad token before the media type',
    { method: 'POST', url: '/plants', headers: { authorization: 'Bearer x', 'content-type': 'text/plain' }, body: 'x' },
    'token_invalid',
  ],
  ['the contract before the store', { method: 'DELETE', url: '/plants/1?force=1' }, 'invalid_request'],
  [
    'the media type before an encoding that is not JSON',
    { method: 'POST', url: '/plants', headers: { 'content-encoding': 'gzip' }, body: '\u001f' },
    'unsupported_media_type',
  ],
] as const)('%s', async (_description, request, name) => {
  const { send } = await newCaller()
  expectFailure(await send(request), name)
})

test.each([
  ['credentials', '', 'credentials_missing'],
  ['a token', 'Authorization: Bearer x\r\n', 'token_invalid'],
] as const)('%s are checked before one byte of the body has arrived', async (_description, authorization, name) => {
  const { listen } = await startApp()
  const head =
    `POST /plants HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\n` +
    'Content-Length: 20\r\n\r\n'
  const body = `{"id":54,"name":"a"}`
  const second = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const [refused, next] = await exchange(await listen(), head, untilAnswered, body, second)
  expectFailure(refused!, name)
  assertKeepsContract({ method: 'POST', url: '/plants' }, refused!)
  // The body that comes after all is not taken for the next request.
  expectFailure(next!, 'path_not_found')
})

async function untilAnswered(received: () => string): Promise<void> {
  while (!received().endsWith('}')) await new Promise((resolve) => setTimeout(resolve, 2))
}
