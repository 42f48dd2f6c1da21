import { METHODS } from 'node:http'
import { describe, expect, test } from 'vitest'
import { exchange } from '../../support/client/exchange.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { assertKeepsContract } from '../../support/responses/check-response.ts'
import { expectedOperations } from '../../support/responses/expected-contract.ts'
import { shareApp, startApp } from '../../support/server/start-app.ts'

const newCaller = shareApp()

const paths = [
  ['/plants', methodsOf('/plants')],
  ['/plants?limit=1', methodsOf('/plants')],
  ['/plants/54', methodsOf('/plants/{id}')],
  ['/plants/x', methodsOf('/plants/{id}')],
  ['/livez', ['GET', 'HEAD']],
  ['/readyz', ['GET', 'HEAD']],
  ['/openapi.json', ['GET', 'HEAD']],
  ['/openapi.yaml', ['GET', 'HEAD']],
  ['/docs', ['GET', 'HEAD']],
  ['/docs/', ['GET', 'HEAD']],
  ['/docs/static/swagger-ui.css', ['GET', 'HEAD']],
] as const

/** The methods of a path of the contract, and HEAD beside GET. */
function methodsOf(path: string): string[] {
  const methods = expectedOperations.filter((operation) => operation.path === path).map(({ method }) => method)
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
}

/** Every method that Node reads but CONNECT, which has no path. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

test.each(paths)(
  '%s has the methods %j, and every other one is refused with Allow',
  async (url, allowed: readonly string[]) => {
    const { send } = await newCaller()
    for (const method of methods.filter((each) => !allowed.includes(each))) {
      const response = await send({ method, url, headers: { authorization: undefined } })
      expect(response.status).toBe(405)
      expect(String(response.headers['allow']).split(', ').sort()).toEqual(allowed.toSorted())
      if (method !== 'HEAD') expect(expectFailure(response, 'method_not_allowed')).toContain(method)
    }
  },
)

test.each([
  '/',
  '/plant',
  '/Plants',
  '/PLANTS',
  '/plants/',
  '/plants//',
  '//plants',
  '/plants/54/',
  '/plants/54/leaves',
  '/v1/plants',
  '/plants;v=1',
  '/plants.json',
  '/plants%2F54',
  '/%2Fplants',
  '/docs/nothing',
  '/openapi',
  '/openapi.yml',
  '/livez/',
  '/healthz',
  '/favicon.ico',
  '/.env',
  '/generated/contract.json',
  '/constructor',
  '/__proto__',
  '/?plants',
  '/%00',
])('%s is no path, for whatever method, with or without a token', async (url) => {
  const { send } = await newCaller()
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
    for (const headers of [{}, { authorization: undefined }]) {
      const response = await send({ method, url, headers })
      expect({ method, status: response.status, allow: response.headers['allow'] }).toEqual({
        method,
        status: 404,
        allow: undefined,
      })
      if (method !== 'HEAD') expectFailure(response, 'path_not_found')
    }
  }
})

test.each([
  '/docs/static/nothing.js',
  '/docs/static/..%2f..%2fpackage.json',
  '/docs/static/%00',
  '/docs/static/swagger-ui.css/',
])('%s is no file of the docs page', async (url) => {
  const { send } = await newCaller()
  expectFailure(await send({ method: 'GET', url }), 'path_not_found')
})

test('a path whose letters are percent-encoded is the same path', async () => {
  const { app, token } = await newCaller()
  expect(
    (await app.inject({ method: 'GET', url: '/pl%61nts', headers: { authorization: `Bearer ${token}` } })).payload,
  ).toBe('[]')
})

test.each(['/plants/%', '/plants/%2', '/plants/%zz', '/plants/%ff', '/plants/%C3', '/plants/%ED%A0%80', '/%'])(
  'the percent-encoding of %s is broken',
  async (url) => {
    const { send } = await newCaller()
    for (const headers of [{}, { authorization: undefined }])
      expectFailure(await send({ method: 'DELETE', url, headers }), 'malformed_http')
  },
)

test.each([
  '/plants?limit=%',
  '/plants?limit=1%',
  '/plants?limit=%2',
  '/plants?limit=%zz',
  '/plants?limit=%u0031',
  '/plants?limit=%C3',
  '/plants?limit=%C3%28',
  '/plants?limit=%C0%B1',
  '/plants?limit=%ED%A0%80',
  '/plants?limit=%F5%80%80%80',
  '/plants?limit=%ff',
  '/plants?%',
  '/plants?%zz=1',
  '/plants?limit=1&%C3=1',
  '/plants?limit=1&limit=%',
  '/plants/1?%',
  '/livez?x=%C3',
  '/docs?%',
  '/docs/static/swagger-ui.css?v=%zz',
  '/nowhere?%',
])('the percent-encoding of the query of %s is broken', async (url) => {
  const { send } = await newCaller()
  for (const method of ['GET', 'DELETE', 'POST', 'PROPFIND']) {
    for (const headers of [{}, { authorization: undefined }])
      expect(expectFailure(await send({ method, url, headers }), 'malformed_http')).toContain('query')
  }
})

test('a query that is percent-encoded as it should be is decoded', async () => {
  const { send } = await newCaller()
  for (const url of ['/plants?limit=%31', '/plants?%6Cimit=0', '/plants?l%69mit=%30'])
    expect((await send({ method: 'GET', url })).status).toBe(200)
  expect(expectFailure(await send({ method: 'GET', url: '/plants?%C3%A9=1' }), 'invalid_request')).toContain('é')
})

describe('request targets of other forms', () => {
  test.each([
    ['the absolute form', 'GET http://plants.example/plants HTTP/1.1', 200],
    ['the absolute form of another port and scheme', 'GET HTTPS://plants.example:8443/plants?limit=1 HTTP/1.1', 200],
    ['the absolute form without a path', 'GET http://plants.example HTTP/1.1', 404],
    ['the absolute form with a query alone', 'GET http://plants.example?limit=1 HTTP/1.1', 404],
    ['the absolute form without a host', 'GET http:///plants HTTP/1.1', 400],
    ['the absolute form of nothing', 'GET http:// HTTP/1.1', 400],
    ['the absolute form of a port alone', 'GET http://:80/plants HTTP/1.1', 400],
    ['the absolute form of a user alone', 'GET http://user@/plants HTTP/1.1', 400],
    ['the absolute form with a user, which hides the host', 'GET http://a.example@b.example/plants HTTP/1.1', 400],
    ['the absolute form of a host that is none', 'GET http://a\\b/plants HTTP/1.1', 400],
    ['the absolute form of two ports', 'GET http://a:1:2/plants HTTP/1.1', 400],
    ['the absolute form of an address', 'GET http://[::1]:3000/plants HTTP/1.1', 200],
    ['the absolute form of an empty port', 'GET http://a:/plants HTTP/1.1', 200],
    ['the absolute form of a blank path', 'GET http://a/%20 HTTP/1.1', 404],
    ['a fragment', 'GET /plants#a HTTP/1.1', 400],
    ['a fragment behind a query', 'GET /plants?limit=1#a HTTP/1.1', 400],
    ['a fragment of a path that is none', 'GET /nowhere#a HTTP/1.1', 400],
    ['a fragment of the absolute form', 'GET http://plants.example#/plants HTTP/1.1', 400],
    ['the absolute form with a broken query', 'GET http://plants.example/plants?limit=%C3 HTTP/1.1', 400],
    ['the absolute form of a broken host', 'GET http://plants%zz/plants HTTP/1.1', 400],
    ['the absolute form of a host that is percent-encoded', 'GET http://pl%61nts.example/plants HTTP/1.1', 200],
    ['another scheme', 'GET ftp://plants.example/plants HTTP/1.1', 404],
    ['the asterisk form', 'OPTIONS * HTTP/1.1', 404],
    ['the authority form', 'CONNECT plants.example:80 HTTP/1.1', 404],
    ['dot segments, which only clients resolve', 'GET /docs/../plants HTTP/1.1', 404],
    ['encoded dot segments', 'GET /docs/static/%2e%2e/%2e%2e/package.json HTTP/1.1', 404],
  ])('%s', async (_description, requestLine, status) => {
    const { token, listen } = await startApp()
    const [response, ...others] = await exchange(
      await listen(),
      `${requestLine}\r\nHost: plants.example\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    )
    expect(others).toEqual([])
    if (status === 200) expect(response).toMatchObject({ status, text: '[]' })
    else expectFailure(response!, status === 400 ? 'malformed_http' : 'path_not_found')
    assertKeepsContract({ method: 'GET', url: requestLine.split(' ')[1] ?? '' }, response!)
  })
})
