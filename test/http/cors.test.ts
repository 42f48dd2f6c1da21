import { describe, expect, test } from 'vitest'
import { startApp } from '../support/server/start-app.ts'

describe('a page of another origin', () => {
  const origin = 'https://plants.example'
  const preflight = { origin, 'access-control-request-method': 'POST' }
  /** Returns a sender that does not validate responses, because the contract declares no preflight. */
  const asked = async (corsOrigins?: string[]) => {
    const { app } = await startApp({ corsOrigins })
    return async (request: { method?: 'GET' | 'OPTIONS'; url: string; headers: Record<string, string> }) => {
      const { statusCode: status, headers, payload: text } = await app.inject(request)
      return { status, headers, text }
    }
  }

  test('is refused unless its origin is configured', async () => {
    for (const [corsOrigins, from] of [
      [undefined, origin],
      [[origin], 'https://plants.example.evil.example'],
      [[origin], 'null'],
    ] as const) {
      const send = await asked(corsOrigins === undefined ? undefined : [...corsOrigins])
      for (const method of ['OPTIONS', 'GET'] as const) {
        const { headers } = await send({ method, url: '/plants', headers: { ...preflight, origin: from } })
        expect(headers['access-control-allow-origin']).toBeUndefined()
      }
    }
  })

  test('is allowed if configured: preflights need no token, every response is readable', async () => {
    const send = await asked([origin, 'http://localhost:5173'])
    const allowed = await send({
      method: 'OPTIONS',
      url: '/plants',
      headers: preflight,
    })
    expect(allowed).toMatchObject({
      status: 204,
      text: '',
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': expect.stringMatching(/^Authorization, Content-Type, X-Request-Id\b/) as string,
        'access-control-allow-methods': expect.stringMatching(/^GET, POST, DELETE\b/) as string,
        vary: 'Origin',
        'cache-control': 'no-store',
        'x-request-id': expect.any(String) as string,
      },
    })
    expect(allowed.headers).not.toHaveProperty('content-length')
    for (const url of ['/plants', '/plants?limit=x', '/nowhere', '/%zz']) {
      const { headers } = await send({ url, headers: { origin } })
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': expect.stringContaining('X-Request-Id') as string,
        vary: 'Origin',
      })
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
  })

  test('is allowed from any origin with *', async () => {
    const send = await asked(['*'])
    const { headers } = await send({ method: 'OPTIONS', url: '/plants/1', headers: preflight })
    expect(headers['access-control-allow-origin']).toBe('*')
  })

  test('gets 405 or 404 for OPTIONS requests that are not preflights', async () => {
    const send = await asked([origin])
    for (const headers of [{}, { origin, 'access-control-request-method': '' }, { ...preflight, origin: '' }]) {
      const { status, headers: received } = await send({ method: 'OPTIONS', url: '/plants', headers })
      expect([status, received['allow']]).toEqual([405, 'GET, HEAD, POST'])
    }
    expect((await send({ method: 'OPTIONS', url: '/nowhere', headers: { origin } })).status).toBe(404)
  })
})
