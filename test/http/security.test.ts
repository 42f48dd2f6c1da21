import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { createToken } from '../../src/auth/tokens.ts'
import { contractOf } from '../../packages/fastify-contract/test/support/contracts.ts'
import { temporaryStore } from '../support/server/start-app.ts'

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  login: { type: 'oauth2', flows: {} },
  connect: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
}
const Error = { type: 'object', properties: { error: { type: 'integer', enum: [40_300] }, message: {} } }
const described = { description: 'An answer.', content: { 'application/json': { schema: {} } } }

/** A server whose one operation, `GET /things`, has this security and answers with its caller. */
async function start(security: object[], options: Partial<AppOptions> = {}) {
  const operation = { operationId: 'getThing', security, responses: { 200: described, 401: described, 403: described } }
  const document = contractOf(
    {},
    { paths: { '/things': { get: operation } }, components: { securitySchemes, schemas: { Error } } },
  )
  const store = await temporaryStore()
  const handlers = {
    getThing: (_input: unknown, context: { caller?: string | undefined }) => ({
      status: 200,
      body: { caller: context.caller ?? null },
    }),
  }
  const app = await buildApp({
    contract: { document, json: JSON.stringify(document), yaml: '' },
    // The types of handlers are those of the project's contract.
    handlers: handlers as unknown as AppOptions['handlers'],
    store,
    log: pino({ level: 'silent' }),
    rateLimit: undefined,
    limits: { shutdownDelayMilliseconds: 0 },
    ...options,
  })
  onTestFinished(() => app.close())

  async function issue(caller: string, scope?: string): Promise<string> {
    const { text, stored } = createToken(caller, Date.now(), undefined, scope)
    await store.addToken(stored)
    return text
  }

  async function send(headers: Record<string, string> = {}, url = '/things') {
    const response = await app.inject({ url, headers })
    const challenge = response.headers['www-authenticate']
    const { caller, error, message } = response.json<{ caller?: string | null; error?: number; message?: string }>()
    return { status: response.statusCode, headers: response.headers, challenge, caller, error, message }
  }
  return { app, issue, send }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const bearerChallenge = 'Bearer realm="plant-store"'
const basicChallenge = 'Basic realm="plant-store", charset="UTF-8"'
const invalid = ', error="invalid_token", error_description="The token is unknown, malformed, expired or revoked"'

test('a token that lacks a scope is refused, and counts among the requests of its caller', async () => {
  const { issue, send } = await start([{ bearer: ['things:read'] }], { rateLimit: 2 })
  const token = await issue('me', 'other')
  const answers = [await send(bearer(token)), await send(bearer(token)), await send(bearer(token))]
  expect(answers.map(({ status, error }) => [status, error])).toEqual([
    [403, 40_300],
    [403, 40_300],
    [429, 42_900],
  ])
  expect(answers[0]!.headers['ratelimit']).toMatch(/^"caller";r=1;/)
  expect(await send(bearer(await issue('you', 'things:read')))).toMatchObject({ status: 200, caller: 'you' })
})

test('requests without a caller are counted by their address', async () => {
  const { issue, send } = await start([{ bearer: [] }, {}], { rateLimit: 2 })
  const answers = [await send(), await send(), await send()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(answers[0]!.headers).toMatchObject({ 'ratelimit-policy': '"address";q=2;w=60' })
  expect((await send(bearer(await issue('me')))).headers).toMatchObject({ 'ratelimit-policy': '"caller";q=2;w=60' })
})

describe('http basic', () => {
  test('takes a token as the password of its caller, or of no name', async () => {
    const { issue, send } = await start([{ basic: [] }])
    const [mine, theirs] = [await issue('me'), await issue('a:b é')]
    expect(await send(basic(`me:${mine}`))).toMatchObject({ status: 200, caller: 'me' })
    expect(await send(basic(`:${theirs}`))).toMatchObject({ status: 200, caller: 'a:b é' })
    expect(await send({ authorization: basic(`:${mine}`).authorization.replace('Basic', 'bAsIc  ') })).toMatchObject({
      status: 200,
    })
  })

  test.each<[string, (token: string) => string]>([
    ['another user', (token) => `Basic ${Buffer.from(`you:${token}`).toString('base64')}`],
    ['no colon', (token) => `Basic ${Buffer.from(token).toString('base64')}`],
    ['no password', () => `Basic ${Buffer.from('me:').toString('base64')}`],
    ['a token as the user', (token) => `Basic ${Buffer.from(`${token}:`).toString('base64')}`],
    ['what is not Base64', (token) => `Basic me:${token}`],
    ['two credentials', (token) => `Basic ${Buffer.from(`:${token}`).toString('base64')}, Basic x`],
  ])('refuses %s', async (_description, authorization) => {
    const { issue, send } = await start([{ basic: [] }])
    expect(await send({ authorization: authorization(await issue('me')) })).toMatchObject({
      status: 401,
      error: 40_101,
      challenge: basicChallenge,
    })
  })
})

describe('an API key', () => {
  test('is an issued token, in the header or the query that the contract names', async () => {
    const { issue, send } = await start([{ key: [] }, { query: [] }])
    const token = await issue('me')
    expect(await send({ 'x-api-key': token })).toMatchObject({ status: 200, caller: 'me' })
    expect(await send({}, `/things?key=${token}`)).toMatchObject({ status: 200, caller: 'me' })
  })
})

describe.each(['login', 'connect'])('the scheme %s, OAuth 2.0 or OpenID Connect,', (scheme) => {
  const verifyJwt = (token: string) =>
    Promise.resolve(token === 'jwt' ? { caller: 'jwt:i me', scope: 'read' } : ('unknown' as const))

  test('takes the tokens of the provider, and none of this service', async () => {
    const { issue, send } = await start([{ [scheme]: ['read'] }], { verifyJwt })
    expect(await send(bearer('jwt'))).toMatchObject({ status: 200, caller: 'jwt:i me' })
    expect(await send(bearer(await issue('me')))).toMatchObject({ status: 401, challenge: bearerChallenge + invalid })
  })

  test('is refused at the start without a provider', async () => {
    await expect(start([{ [scheme]: [] }])).rejects.toThrow(
      `components/securitySchemes/${scheme}: needs an identity provider; ` +
        'set AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE',
    )
  })
})
