import { type FailureForm, unavailable } from 'fastify-contract'
import { describe, expect, test } from 'vitest'
import { receive } from './support/exchange.ts'
import { type ServedShop, type Shop, bothServers, ok, serve, shop } from './support/serve.ts'

const last = 'Connection: close\r\n\r\n'
const operation = { operationId: 'list', responses: ok }

/** Failures: the name, the status and a request that causes it. */
const doors: [name: string, status: number, bytes: string][] = [
  ['malformed_http', 400, `GET / RTSP/9\r\n${last}`],
  ['malformed_http', 400, `GET /things HTTP/1.1\r\n${last}`],
  ['headers_too_large', 431, `GET /things HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n${last}`],
  ['path_not_found', 404, `GET /nothing HTTP/1.1\r\nHost: a\r\n${last}`],
  ['method_not_allowed', 405, `PUT /things HTTP/1.1\r\nHost: a\r\n${last}`],
  ['credentials_missing', 401, `GET /things HTTP/1.1\r\nHost: a\r\n${last}`],
  ['unavailable', 503, `GET /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer later\r\n${last}`],
  ['invalid_request', 400, `GET /things?limit=x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n${last}`],
  [
    'malformed_body',
    400,
    `POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\nContent-Length: 1\r\n${last}{`,
  ],
  ['internal', 500, `DELETE /things/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\n${last}`],
]
const handlers = {
  listThings: () => ({ status: 200, body: [] }),
  createThing: () => ({ status: 200, body: {} }),
  deleteThing: () => {
    throw new Error('a fault')
  },
}

const warningsOf = ({ lines }: ServedShop) => lines().flatMap(({ level, msg }) => (level === 40 ? [String(msg)] : []))

/** Serves one operation with this default response. */
function serveDeclared(failure: object, given: Shop = {}, more: object = {}): Promise<ServedShop> {
  const paths = { '/things': { get: { ...operation, responses: { ...ok, default: failure }, ...more } } }
  return serve({ paths, handlers: { list: () => ({ status: 200, body: [] }) }, ...given })
}

const anyText = expect.stringMatching(/./) as string
const ownForm: FailureForm = ({ name, status, message }) => ({
  status: status === 400 ? 422 : status,
  contentType: 'text/plain',
  body: `${name}: ${message}`,
})

test.each([
  ['the problem details of RFC 9457 by default', null, 'application/problem+json'],
  ['the form of failureForm', ownForm, 'text/plain; charset=utf-8'],
])('every failure has %s, and the headers that HTTP requires', async (_what, failureForm, type) => {
  const { listen } = await serve({ failureForm, handlers })
  const origin = await listen()
  const asked: Record<number, string> = { 401: 'www-authenticate', 405: 'allow', 503: 'retry-after' }
  for (const [name, status, bytes] of doors) {
    const [response] = await receive(origin, bytes)
    const sent = status === 400 && failureForm !== null ? 422 : status
    expect(response, name).toMatchObject({ status: sent, headers: { 'content-type': type } })
    if (failureForm !== null) expect(response!.text).toMatch(new RegExp(`^${name}: .`))
    else expect(JSON.parse(response!.text), name).toEqual({ status, title: anyText, detail: anyText })
    const header = asked[status]
    if (header !== undefined) expect(response!.headers[header]).toMatch(/./)
  }
})

test('a failure that does not fit its declared response is warned of, and sent', async () => {
  const Failure = { type: 'object', required: ['code'], properties: { code: { type: 'integer' } } }
  const declared = { description: 'A failure.', content: { 'application/problem+json': { schema: Failure } } }
  const responses = { ...ok, 400: declared, 401: declared, '4XX': { description: 'No content.' } }
  const get = { ...operation, responses }
  const paths = { '/things': { get, delete: { ...get, operationId: 'remove' } } }
  const list = () => ({ status: 200, body: [] })
  const served = await serve({ paths, handlers: { list, remove: list }, failureForm: null })
  expect(warningsOf(served)).toEqual([
    'list and 1 more can answer 400 malformed_http, 401 credentials_missing, 401 token_invalid, 400 invalid_request: body/code is required; ' +
      'list and 1 more can answer 408 request_timeout, 431 headers_too_large: no body is declared; ' +
      'list and 1 more can answer 500 internal, 503 unavailable: the status is not declared; ' +
      'declare them, or a `default` response, or change failureForm',
  ])
  const [response] = await receive(await served.listen(), doors[7]![2])
  expect(JSON.parse(response!.text)).toMatchObject({ title: 'Bad Request', status: 400 })
  expect(warningsOf(served)).toHaveLength(1)
})

test.each<[string, object, string | undefined]>([
  [
    'the media type',
    { content: { 'application/problem+json': {} } },
    'the media type application/json is not declared',
  ],
  ['a header that HTTP asks for', { headers: { 'retry-after': { schema: { type: 'string' } } } }, undefined],
  ['other headers', { headers: { 'X-Mark': { required: true, schema: {} } } }, 'the header x-mark is required'],
])('the start compares %s of the contract with the failures', async (_what, declared, problem) => {
  const content = { 'application/json': {} }
  const warnings = warningsOf(await serveDeclared({ description: 'A failure.', content, ...declared }))
  expect(warnings.map((text) => / can answer [^:]*: ([^;]*)/.exec(text)?.[1])).toEqual(
    problem === undefined ? [] : [problem],
  )
})

test('the start checks only failures that can occur', async () => {
  const security = [{ bearer: ['admin'] }]
  const names = async (given: Shop, more?: object) => {
    const [warning = ''] = warningsOf(await serveDeclared({ description: 'No content.' }, given, more))
    return [...warning.matchAll(/[1-5]\d\d (\w+)(?=[,:])/g)].map(([, name]) => name).sort()
  }
  const always = [
    'headers_too_large',
    'internal',
    'invalid_request',
    'malformed_http',
    'request_timeout',
    'unavailable',
  ]
  const ofCredentials = ['credentials_missing', 'token_invalid']
  const ofBodies = ['body_too_large', 'malformed_body', 'unsupported_media_type']
  expect(await names({}, { security: [] })).toEqual(always)
  expect(await names({})).toEqual([...always, ...ofCredentials].sort())
  expect(await names({}, { security })).toEqual([...always, ...ofCredentials, 'insufficient_scope'].sort())
  const { post } = shop['/things']
  const paths = { '/things': { post: { ...post, security: [], responses: { 204: { description: 'Done.' } } } } }
  expect(await names({ paths, handlers: { createThing: () => ({ status: 204 }) } })).toEqual(
    [...always, ...ofBodies].sort(),
  )
})

test.each<[string, FailureForm]>([
  ['a status of success', () => ({ status: 204, body: {} })],
  ['a status that HTTP does not have', () => ({ status: 4.5, body: {} })],
  ['no JSON', () => ({ body: undefined })],
  ['a value as text', () => ({ contentType: 'application/xml', body: {} })],
])('a form that makes %s stops the start', async (_what, failureForm) => {
  await expect(serve({ failureForm }).then(({ app }) => app.ready())).rejects.toThrow(
    /^failureForm: the reply to malformed_http cannot be sent; return a status of 400 to 599/,
  )
})

test('a form that fails is logged, and the client gets the default form', async () => {
  const failureForm: FailureForm = ({ message }) => {
    if (/limit|HTTP/.test(message) && !message.startsWith('the reason')) throw new Error('a fault of the form')
    return { body: {} }
  }
  const served = await serve({ failureForm })
  const ids: unknown[] = []
  for (const index of [7, 0]) {
    const [name, status, bytes] = doors[index]!
    const [response] = await receive(await served.listen(), bytes)
    expect(response, name).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } })
    ids.push(response!.headers['x-request-id'])
  }
  const faults = served.lines().filter(({ level }) => level === 50)
  const names = ['invalid_request', 'malformed_http']
  expect(faults.map(({ msg }) => msg)).toEqual(names.map((name) => `failureForm failed for ${name}`))
  expect(faults[0]).toMatchObject({ reqId: ids[0] })
})

describe.each(bothServers)('what a handler throws, on %s', (_kind, isGuest) => {
  class NotFound extends Error {}
  const reports = { description: 'Gone.', content: { 'application/json': { schema: { required: ['code'] } } } }
  const responses = { ...ok, 404: reports, 410: { description: 'Gone.', content: { 'application/xml': {} } } }
  const paths = { '/things': { get: { operationId: 'list', responses } } }
  const usual = { body: { code: 0 } }

  /** Serves an operation whose handler throws. @returns also its faults, and what breaks the contract */
  async function serveThrown(failureForm: FailureForm, thrown: Error = new NotFound('secret'), more: Shop = {}) {
    const broken: string[] = []
    const list = () => Promise.reject(thrown)
    const options = { onContractBroken: (id: string) => void broken.push(id) }
    const { app, lines } = await serve({ isGuest, paths, handlers: { list }, failureForm, options, ...more })
    const faults = () => lines().filter(({ level }) => level === 50)
    const send = async (method: 'GET' | 'HEAD' = 'GET') => {
      const response = await app.inject({ method, url: '/things', headers: { authorization: 'Bearer me' } })
      return { status: response.statusCode, text: response.payload }
    }
    return { broken, faults, send }
  }

  test.each<[string, ReturnType<FailureForm>, string]>([
    ['JSON', { status: 404, body: { code: 1 } }, '{"code":1}'],
    ['bytes', { status: 410, contentType: 'application/xml', body: '<gone/>' }, '<gone/>'],
  ])('is no fault where failureForm makes a declared failure of it, of %s', async (_what, reply, text) => {
    const { send, faults, broken } = await serveThrown(({ cause }) => (cause instanceof NotFound ? reply : usual))
    expect(await send()).toMatchObject({ status: reply.status, text })
    expect(await send('HEAD')).toMatchObject({ status: reply.status, text: '' })
    expect([faults(), broken]).toEqual([[], []])
  })

  test.each<[string, ReturnType<FailureForm>, string]>([
    [
      'status',
      { status: 409, body: { code: 1 } },
      'the 409 reply of list breaks the contract: the status is not declared',
    ],
    ['body', { status: 404, body: {} }, 'the 404 reply of list breaks the contract: body/code is required'],
    [
      'media type',
      { status: 404, contentType: 'text/plain', body: 'gone' },
      'the 404 reply of list breaks the contract: the media type text/plain is not declared',
    ],
  ])('is a fault where the operation does not declare the %s that failureForm makes', async (_what, reply, reason) => {
    const { send, faults, broken } = await serveThrown(({ cause }) => (cause instanceof NotFound ? reply : usual))
    const { status, text } = await send()
    expect([status, text]).toEqual([500, '{"code":0}'])
    expect(faults()).toMatchObject([{ msg: 'request failed', err: { message: `${reason}: secret` } }])
    expect(broken).toEqual(['list'])
  })

  test.each<[string, FailureForm]>([
    ['ignores it', () => usual],
    ['gives every fault another status', ({ name }) => (name === 'internal' ? { status: 404, ...usual } : usual)],
    ['changes the body alone', ({ cause }) => (cause instanceof Error ? { body: cause.message } : usual)],
  ])('is logged as a fault, and not shown, where failureForm %s', async (_what, failureForm) => {
    const { send, faults, broken } = await serveThrown(failureForm)
    expect((await send()).text).toBe('{"code":0}')
    expect(faults()).toMatchObject([{ msg: 'request failed', err: { type: 'NotFound' } }])
    expect(broken).toEqual([])
  })

  test('is logged beside the error of a failureForm that fails for it', async () => {
    const { send, faults } = await serveThrown(({ cause }) => {
      if (cause instanceof NotFound) throw new Error('a fault of the form')
      return usual
    })
    expect((await send()).text).toBe('{"code":0}')
    expect(faults()).toMatchObject([
      { msg: 'failureForm failed for internal', err: { message: 'a fault of the form' } },
      { msg: 'request failed', err: { type: 'NotFound' } },
    ])
  })

  test('is the only failure that has a cause', async () => {
    const causes: unknown[] = []
    const failureForm: FailureForm = (failure) => {
      if ('cause' in failure) causes.push(failure.cause)
      return usual
    }
    const fail = () => Promise.reject(new Error('of a hook or a verifier'))
    const failing = [
      await serveThrown(failureForm, unavailable('later')),
      await serveThrown(failureForm, undefined, { before: (app) => app.addHook('preHandler', fail) }),
      await serveThrown(failureForm, undefined, { options: { auth: { bearer: fail } } }),
      await serveThrown(failureForm, undefined, { handlers: { list: () => ({ status: 299 }) } }),
    ]
    const statuses = await Promise.all(failing.map(async ({ send }) => (await send()).status))
    expect([statuses, causes]).toEqual([[503, 500, 500, 500], []])
    const thrown = new NotFound()
    await (await serveThrown(failureForm, thrown)).send()
    expect(causes).toEqual([thrown])
  })
})
