import { expect, test } from 'vitest'
import { exchange } from '../../support/client/exchange.ts'
import { startApp } from '../../support/server/start-app.ts'

test.each(['/plants', '/plants?limit=x', '/nowhere', '/%', '/livez', '/readyz', '/openapi.json', '/docs'])(
  '%s is kept by nobody and is taken for nothing but its media type',
  async (url) => {
    const { app, token } = await startApp()
    for (const headers of [{ authorization: `Bearer ${token}` }, {}]) {
      expect((await app.inject({ url, headers })).headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    }
  },
)

test('an answer to what is no request is kept by nobody either', async () => {
  const { listen } = await startApp()
  const [response] = await exchange(await listen(), 'nonsense\r\n\r\n')
  expect(response?.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
})

test('the docs page may load scripts from here alone, none of them inline, and may be framed by nobody', async () => {
  const { app } = await startApp()
  for (const url of ['/docs', '/docs/static/swagger-ui-bundle.js']) {
    const { headers } = await app.inject({ url })
    const policy = String(headers['content-security-policy']).split(';')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(headers['x-frame-options']).toBe('DENY')
  }
})

test('no answer names the software that made it', async () => {
  const { app, token } = await startApp()
  for (const url of ['/plants', '/nowhere', '/docs', '/livez']) {
    const { headers } = await app.inject({ url, headers: { authorization: `Bearer ${token}` } })
    expect(Object.keys(headers).filter((name) => ['server', 'x-powered-by', 'via'].includes(name))).toEqual([])
  }
})
