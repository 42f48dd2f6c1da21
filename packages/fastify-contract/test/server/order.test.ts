import { expect, test } from 'vitest'
import { exchange, until } from './support/exchange.ts'
import { type TestRequest, serve } from './support/serve.ts'

type Request = TestRequest & { url: string; headers: Record<string, string | undefined>; body: string }

const good: Request = { method: 'POST', url: '/things', headers: {}, body: '{"id":1}' }
const withHeader = (name: string, value: string | undefined) => (request: Request) => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

/** The faults of a request, in the order of the checks. Each makes a valid request faulty. */
const faults: [string, (request: Request) => Request][] = [
  ['malformed_http', withHeader('host', 'a b')],
  ['path_not_found', (request) => ({ ...request, url: `/nowhere${request.url}` })],
  ['method_not_allowed', (request) => ({ ...request, method: 'PUT' })],
  ['token_invalid', withHeader('authorization', 'Bearer no')],
  ['unsupported_media_type', withHeader('content-type', 'text/plain')],
  ['body_too_large', (request) => ({ ...request, body: `${request.body}${' '.repeat(70_000)}` })],
  ['malformed_body', (request) => ({ ...request, body: `${request.body}}` })],
  ['invalid_request', (request) => ({ ...request, url: `${request.url}?limt=1` })],
  ['thing_exists', (request) => request],
]
const pairs = faults.flatMap(([name, spoil], index) =>
  faults
    .slice(index + 1)
    .map(([later, spoilToo]) => [name, later, (request: Request) => spoil(spoilToo(request))] as const),
)

test.each(pairs)('%s is reported before %s', async (name, _later, spoil) => {
  const { send } = await serve()
  expect((await send(good)).status).toBe(200)
  expect(JSON.parse((await send(spoil(good))).text)).toMatchObject({ failure: name })
})

test('credentials are checked before the body arrives', async () => {
  const { listen } = await serve()
  const responses = await exchange(
    await listen(),
    'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n',
    until('}'),
    '{"id":1}GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  expect(responses.map(({ status }) => status)).toEqual([401, 404])
})
