import { expect, test } from 'vitest'
import { contractWith, failures, serve } from '../../contract/words/own-contract.ts'
import { startApp } from '../../support/server/start-app.ts'

const origin = 'https://plants.example'
const preflight = {
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
}

test('without configured origins no page of another origin is let in', async () => {
  const { app, token } = await startApp()
  const asked = await app.inject({ method: 'OPTIONS', url: '/plants', headers: preflight })
  expect(asked.statusCode).toBe(405)
  const got = await app.inject({ url: '/plants', headers: { origin, authorization: `Bearer ${token}` } })
  for (const { headers } of [asked, got])
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
})

test('a page of a configured origin is let in before it has credentials, and may read headers of answers', async () => {
  const { app, token } = await startApp({ corsOrigins: [origin, 'http://localhost:5173'] })
  const asked = await app.inject({ method: 'OPTIONS', url: '/plants', headers: preflight })
  expect(asked).toMatchObject({ statusCode: 204, body: '' })
  expect(asked.headers).not.toHaveProperty('content-length')
  expect(asked.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'Authorization, Content-Type, X-Request-Id',
    'access-control-allow-methods': 'GET, POST, DELETE',
    vary: 'Origin',
  })
  for (const headers of [{ authorization: `Bearer ${token}` }, {}]) {
    const got = await app.inject({ url: '/plants', headers: { origin, ...headers } })
    expect(got.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': expect.stringContaining('X-Request-Id') as string,
      vary: 'Origin',
    })
    expect(got.headers['access-control-allow-credentials']).toBeUndefined()
  }
})

test.each(['https://evil.example', 'https://plants.example.evil.example', 'http://plants.example', 'null'])(
  'a page of %s is not',
  async (other) => {
    const { app } = await startApp({ corsOrigins: [origin] })
    for (const method of ['OPTIONS', 'GET'] as const)
      expect(
        (await app.inject({ method, url: '/plants', headers: { ...preflight, origin: other } })).headers[
          'access-control-allow-origin'
        ],
      ).toBeUndefined()
  },
)

test('with * every origin is let in', async () => {
  const { app } = await startApp({ corsOrigins: ['*'] })
  expect(
    (
      await app.inject({
        method: 'OPTIONS',
        url: '/plants/54',
        headers: { ...preflight, origin: 'https://any.example' },
      })
    ).headers['access-control-allow-origin'],
  ).toBe('*')
})

test('an OPTIONS that is no preflight is answered as without CORS', async () => {
  const { app } = await startApp({ corsOrigins: [origin] })
  const method = 'OPTIONS'
  expect(await app.inject({ method, url: '/plants' })).toMatchObject({
    statusCode: 405,
    headers: { allow: 'GET, HEAD, POST' },
  })
  for (const headers of [
    { origin, 'access-control-request-method': '' },
    { origin: '', 'access-control-request-method': 'GET' },
  ]) {
    expect(await app.inject({ method, url: '/plants', headers })).toMatchObject({
      statusCode: 405,
      headers: { 'content-type': 'application/json' },
    })
  }
  expect(await app.inject({ method, url: '/nowhere', headers: { origin } })).toMatchObject({ statusCode: 404 })
  expect(await app.inject({ method: 'GET', url: '/nowhere' })).toMatchObject({ statusCode: 404 })
})

test.each(['/nowhere', '/%zz', '/plants/%'])(
  'a page of a configured origin may read that %s is refused',
  async (url) => {
    const { app } = await startApp({ corsOrigins: [origin] })
    for (const method of ['GET', 'OPTIONS'] as const) {
      const { statusCode, headers } = await app.inject({ method, url, headers: { origin } })
      expect(statusCode, method).toBeGreaterThanOrEqual(400)
      expect(headers['access-control-allow-origin'], method).toBe(origin)
    }
  },
)

test.each([
  ['two media types', {}, { origin }, 'Origin, Accept'],
  ['two media types, and no page', {}, {}, 'Origin, Accept'],
  ['two media types and the language', { vary: 'Accept-Language' }, { origin }, 'Origin, Accept, Accept-Language'],
])('an answer that depends on the origin names in Vary what else it depends on: %s', async (_on, own, asked, vary) => {
  const content = { 'application/json': {}, 'text/csv': { schema: { type: 'string' } } }
  const headers = Object.fromEntries(Object.keys(own).map((name) => [name, { schema: { type: 'string' } }]))
  const { send } = await serve(
    contractWith({ responses: { 200: { description: 'Things', headers, content }, ...failures } }),
    { listThings: () => ({ status: 200, headers: own, body: 'a,b', contentType: 'text/csv' }) },
    { corsOrigins: [origin, 'http://localhost:5173'] },
  )
  const response = await send({ method: 'GET', url: '/things', headers: { accept: 'text/csv', ...asked } })
  expect(response).toMatchObject({ status: 200, text: 'a,b', headers: { vary } })
})
