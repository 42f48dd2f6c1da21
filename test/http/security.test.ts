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
const keyChallenge = 'ApiKey realm="plant-store"'
const invalid = ', error="invalid_token", error_description="The token is unknown, malformed, expired or revoked"'

describe('an operation that asks for scopes', () => {
  const security = [{ bearer: ['things:read', 'things:list'] }]

  test.each([
    ['all of them', 'things:read things:list'],
    ['all of them and more', 'admin things:list things:read'],
    ['all rights', undefined],
  ])('serves a token with %s', async (_description, scope) => {
    const { issue, send } = await start(security)
    expect(await send(bearer(await issue('me', scope)))).toMatchObject({ status: 200, caller: 'me' })
  })

  test.each(['', 'things:read', 'things:reads things:list', 'things:read,things:list', 'THINGS:READ things:list'])(
    'answers 403 to a token with the scopes %j, and says which are needed',
    async (scope) => {
      const { issue, send } = await start(security)
      expect(await send(bearer(await issue('me', scope)))).toMatchObject({
        status: 403,
        error: 40_300,
        message: 'the token lacks a scope of: things:read things:list',
        challenge: `${bearerChallenge}, error="insufficient_scope", scope="things:read things:list"`,
      })
    },
  )

  test('answers 401 to no token and to a bad one', async () => {
    const { send } = await start(security)
    expect(await send()).toMatchObject({ status: 401, error: 40_100, challenge: bearerChallenge })
    expect(await send(bearer('plst_x'))).toMatchObject({ status: 401, challenge: bearerChallenge + invalid })
  })

  test('counts what it refuses among the requests of the caller', async () => {
    const { issue, send } = await start(security, { rateLimit: 2 })
    const token = await issue('me', 'other')
    const answers = [await send(bearer(token)), await send(bearer(token)), await send(bearer(token))]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 429])
    expect(answers[0]!.headers['ratelimit']).toMatch(/^"caller";r=1;/)
  })
})

describe('an operation without required credentials', () => {
  test('that everybody may call has no caller, whatever is sent', async () => {
    const { issue, send } = await start([])
    for (const headers of [{}, bearer(await issue('me')), bearer('plst_x')])
      expect(await send(headers)).toMatchObject({ status: 200, caller: null })
  })

  test('has the caller of good credentials, and none without credentials', async () => {
    const { issue, send } = await start([{}, { bearer: [] }, { query: [] }])
    expect(await send()).toMatchObject({ status: 200, caller: null })
    expect(await send(bearer(await issue('me')))).toMatchObject({ status: 200, caller: 'me' })
    expect(await send({}, `/things?key=${await issue('you')}`)).toMatchObject({ status: 200, caller: 'you' })
  })

  test.each([
    ['an unknown token', bearer('plst_x'), '/things'],
    ['an empty token', { authorization: 'Bearer' }, '/things'],
    ['an empty header', { authorization: '' }, '/things'],
    ['another scheme', basic('me:x'), '/things'],
    ['an unknown key', {}, '/things?key=plst_x'],
    ['an empty key', {}, '/things?key='],
  ])('refuses wrong credentials: %s', async (_description, headers, url) => {
    const { send } = await start([{ bearer: [] }, { query: [] }, {}])
    expect(await send(headers, url)).toMatchObject({ status: 401 })
  })

  test('counts requests without a caller by their address', async () => {
    const { issue, send } = await start([{ bearer: [] }, {}], { rateLimit: 2 })
    const answers = [await send(), await send(), await send()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[0]!.headers).toMatchObject({ 'ratelimit-policy': '"address";q=2;w=60' })
    expect((await send(bearer(await issue('me')))).headers).toMatchObject({ 'ratelimit-policy': '"caller";q=2;w=60' })
  })
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

  test('says how to send credentials where there are none', async () => {
    const { send, issue } = await start([{ basic: [] }])
    for (const headers of [{}, bearer(await issue('me'))])
      expect(await send(headers)).toMatchObject({
        status: 401,
        error: 40_100,
        challenge: basicChallenge,
        message: 'send the header Authorization: Basic with CALLER:TOKEN in Base64',
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

  test('is refused where it is unknown, repeated or elsewhere', async () => {
    const { issue, send } = await start([{ key: [] }, { query: [] }])
    const token = await issue('me')
    for (const url of ['/things?key=plst_x', `/things?key=${token}&key=${token}`])
      expect(await send({}, url)).toMatchObject({ status: 401, error: 40_101, challenge: keyChallenge })
    expect(await send(bearer(token))).toMatchObject({
      status: 401,
      error: 40_100,
      challenge: keyChallenge,
      message: 'send the header X-Api-Key: TOKEN, or the query parameter key=TOKEN',
    })
  })

  test('has scopes', async () => {
    const { issue, send } = await start([{ key: ['admin'] }])
    expect(await send({ 'x-api-key': await issue('me', 'admin') })).toMatchObject({ status: 200 })
    expect(await send({ 'x-api-key': await issue('me', 'other') })).toMatchObject({ status: 403 })
  })

  test('may be sent by pages of other origins', async () => {
    const { app } = await start([{ key: [] }], { corsOrigins: ['https://plants.example'] })
    const { headers } = await app.inject({
      method: 'OPTIONS',
      url: '/things',
      headers: { origin: 'https://plants.example', 'access-control-request-method': 'GET' },
    })
    expect(headers['access-control-allow-headers']).toMatch(/\bX-Api-Key\b/)
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

describe('several schemes', () => {
  test('that are alternatives are all in the challenge, and the wrong one is named', async () => {
    const { send } = await start([{ bearer: [] }, { basic: [] }])
    expect(await send()).toMatchObject({ status: 401, challenge: `${bearerChallenge}, ${basicChallenge}` })
    expect(await send(bearer('plst_x'))).toMatchObject({
      status: 401,
      error: 40_101,
      challenge: `${bearerChallenge}${invalid}, ${basicChallenge}`,
    })
  })

  test('of one alternative are all needed, and belong to one caller', async () => {
    const { issue, send } = await start([{ bearer: [], key: [] }])
    const [mine, also, yours] = [await issue('me'), await issue('me'), await issue('you')]
    expect(await send({ ...bearer(mine), 'x-api-key': also })).toMatchObject({ status: 200, caller: 'me' })
    expect(await send({ ...bearer(mine), 'x-api-key': yours })).toMatchObject({
      status: 401,
      error: 40_101,
      message: 'the credentials belong to different callers',
    })
    expect(await send(bearer(mine))).toMatchObject({
      status: 401,
      error: 40_100,
      message: 'send the header Authorization: Bearer TOKEN and the header X-Api-Key: TOKEN',
    })
  })
})
