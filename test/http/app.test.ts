import { sealContract } from 'fastify-contract/document'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { createToken } from '../../src/auth/tokens.ts'
import { handlers } from '../../src/handlers.ts'
import { expectFailure } from '../support/responses/expected-contract.ts'
import { startApp, temporaryStore } from '../support/server/start-app.ts'
import { newPlant, shownPlant } from '../support/plants.ts'

test.each([undefined, 600])(
  'the start warns of no failure that breaks the contract (rate limit %s)',
  async (rateLimit) => {
    // With a limit that somebody has chosen, nothing is said of uploads.
    const { logLines } = await startApp({ rateLimit, limits: { bodyBytes: 65_537 } })
    expect(logLines).toEqual([])
  },
)

test('an unavailable store gives 503 with Retry-After and no error in the log', async () => {
  const unavailable = () => Promise.resolve('unavailable' as const)
  const all = { list: unavailable, create: unavailable, delete: unavailable, read: unavailable, write: unavailable }
  const requests = [
    { method: 'GET', url: '/plants' },
    { method: 'POST', url: '/plants', body: newPlant({ id: 1n }) },
    { method: 'DELETE', url: '/plants/1' },
  ]
  for (const broken of [all, { findCaller: unavailable }]) {
    const { send, logLines } = await startApp({ store: { ...(await temporaryStore()), ...broken } })
    for (const request of requests) {
      const response = await send(request)
      expectFailure(response, 'unavailable')
      expect([response.headers['retry-after'], response.headers['www-authenticate']]).toEqual(['1', undefined])
    }
    expect(logLines.filter((line) => line.includes('"level":50'))).toEqual([])
  }
})

test('an undeclared property of a reply is dropped, logged and counted', async () => {
  const broken: string[] = []
  // The compiler would refuse this handler.
  const createPlant = (() => ({ status: 200, body: { ...shownPlant(), caller: 'secret' } })) as never
  const { send, logLines } = await startApp({
    handlers: { ...handlers, createPlant },
    observer: { answered: () => undefined, contractBroken: (id) => void broken.push(id) },
  })
  const { status, text } = await send({ method: 'POST', url: '/plants', body: newPlant({ id: 1n }) })
  expect({ status, text, broken }).toEqual({ status: 200, text: JSON.stringify(shownPlant()), broken: ['createPlant'] })
  expect(logLines.join()).toContain('dropped from the 200 reply of createPlant: body/caller is not declared')
  expect(logLines.join()).not.toContain('secret')
})

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  login: { type: 'oauth2', flows: {} },
  connect: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
}
const Error = { type: 'object', properties: { error: { type: 'integer', enum: [40_300] }, message: {} } }
const described = { description: 'A response.', content: { 'application/json': { schema: {} } } }

/** Starts a server whose one operation, `GET /things`, has this security and returns its caller. */
async function start(security: Record<string, string[]>[], options: Partial<AppOptions> = {}) {
  const operation = { operationId: 'getThing', security, responses: { 200: described, 401: described, 403: described } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    paths: { '/things': { get: operation } },
    components: { securitySchemes, schemas: { Error } },
  }
  const store = await temporaryStore()
  const things = {
    getThing: (_input: unknown, { auth }: { auth: Record<string, { caller: string }> }) => ({
      status: 200,
      body: { caller: Object.values(auth)[0]?.caller ?? null },
    }),
  }
  const app = await buildApp({
    contract: sealContract({ document: JSON.stringify(document) }),
    // The types of handlers are those of the project's contract.
    handlers: things as unknown as AppOptions['handlers'],
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

  async function send(headers: Record<string, string> = {}) {
    const response = await app.inject({ url: '/things', headers })
    const { caller, error } = response.json<{ caller?: string | null; error?: number }>()
    return { status: response.statusCode, headers: response.headers, caller, error }
  }
  return { issue, send }
}

test('the credentials of two callers are refused, and those of one are served', async () => {
  const { issue, send } = await start([{ bearer: [], key: [] }])
  const [alice, bob] = [await issue('alice'), await issue('bob')]
  const responses = [
    await send({ ...bearer(alice), 'x-key': await issue('alice') }),
    await send({ ...bearer(alice), 'x-key': bob }),
    await send({ ...bearer(bob), 'x-key': alice }),
  ]
  expect(responses.map(({ status, caller, error }) => [status, caller ?? error])).toEqual([
    [200, 'alice'],
    [401, 40_101],
    [401, 40_101],
  ])
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('a token that lacks a scope is refused and counts against its caller', async () => {
  const { issue, send } = await start([{ bearer: ['things:read'] }], { rateLimit: 2 })
  const token = await issue('me', 'other')
  const responses = [await send(bearer(token)), await send(bearer(token)), await send(bearer(token))]
  expect(responses.map(({ status, error }) => [status, error])).toEqual([
    [403, 40_300],
    [403, 40_300],
    [429, 42_900],
  ])
  expect(responses[0]!.headers['ratelimit']).toMatch(/^"caller";r=1;/)
  expect(await send(bearer(await issue('you', 'things:read')))).toMatchObject({ status: 200, caller: 'you' })
})

test('requests without a caller count for their address', async () => {
  const { issue, send } = await start([{ bearer: [] }, {}], { rateLimit: 2 })
  const responses = [await send(), await send(), await send()]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(responses[0]!.headers).toMatchObject({ 'ratelimit-policy': '"address";q=2;w=60' })
  expect((await send(bearer(await issue('me')))).headers).toMatchObject({ 'ratelimit-policy': '"caller";q=2;w=60' })
})

test.each(['login', 'connect'])(
  'the scheme %s needs the variables of an identity provider at the start',
  async (scheme) => {
    await expect(start([{ [scheme]: [] }])).rejects.toThrow(
      `components/securitySchemes/${scheme}: needs an identity provider; ` +
        'set AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE',
    )
  },
)
