import { expect, test } from 'vitest'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { shareApp, startApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const operations = [
  { method: 'GET', url: '/plants' },
  { method: 'HEAD', url: '/plants' },
  { method: 'POST', url: '/plants', body: { id: 1, name: 'a' } },
  { method: 'DELETE', url: '/plants/1' },
]
const challenge = 'Bearer realm="plant-store"'
const invalid =
  `${challenge}, error="invalid_token", ` + 'error_description="The token is unknown, malformed, expired or revoked"'

test.each<[string, (token: string) => string | undefined, string]>([
  ['no header', () => undefined, challenge],
  ['the token alone', (token) => token, challenge],
  ['Basic credentials', (token) => `Basic ${Buffer.from(`me:${token}`).toString('base64')}`, challenge],
  ['an unknown token', () => `Bearer plst_${'A'.repeat(43)}`, invalid],
  ['two credentials', (token) => `Bearer ${token}, Bearer ${token}`, invalid],
])('%s is no credential on any operation', async (_what, authorization, expected) => {
  const { send, token } = await newCaller()
  for (const request of operations) {
    const response = await send({ ...request, headers: { authorization: authorization(token) } })
    expect(response).toMatchObject({ status: 401, headers: { 'www-authenticate': expected } })
    const name = expected === invalid ? 'token_invalid' : 'credentials_missing'
    if (request.method !== 'HEAD') expectFailure(response, name)
  }
})

test('a token anywhere but in Authorization is no credential', async () => {
  const { send, token } = await newCaller()
  const proxied = { 'x-api-key': token, 'proxy-authorization': `Bearer ${token}` }
  const headers = { ...proxied, authorization: undefined, cookie: `token=${token}` }
  expectFailure(await send({ method: 'GET', url: `/plants?access_token=${token}`, headers }), 'credentials_missing')
})

test('a token is good until the millisecond of its expiry', async () => {
  let now = 1_000_000
  const { send, issueToken } = await startApp({ now: () => now })
  const headers = { authorization: `Bearer ${await issueToken('me', 1_000)}` }
  now += 999
  expect((await send({ method: 'GET', url: '/plants', headers })).status).toBe(200)
  now += 1
  expectFailure(await send({ method: 'GET', url: '/plants', headers }), 'token_invalid')
})

test('a revoked token is refused by the very next request', async () => {
  const { send, store, token } = await startApp()
  expect((await send({ method: 'GET', url: '/plants' })).status).toBe(200)
  await store.revokeTokens(token.slice(0, 11))
  expectFailure(await send({ method: 'GET', url: '/plants' }), 'token_invalid')
})
