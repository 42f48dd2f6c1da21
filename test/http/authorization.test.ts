import fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { failureBody } from '../../src/contract.ts'
import { UnreadBytes } from '../../packages/fastify-contract/src/server/connections/unread-bytes.ts'
import type { BoundOperation } from '../../packages/fastify-contract/src/engine/engine.ts'
import {
  type VerifiedScheme,
  type Verifier,
  authenticate,
  requireScopes,
} from '../../packages/fastify-contract/src/server/authentication.ts'
import { registerErrorHandler } from '../../packages/fastify-contract/src/server/error-handler.ts'
import { registerOperations } from '../../packages/fastify-contract/src/server/operations.ts'
import { exchange } from '../support/client/exchange.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { assertKeepsContract } from '../support/responses/check-response.ts'
import { shareApp, startApp } from '../support/server/start-app.ts'

const newCaller = shareApp()
const operations = [
  { method: 'GET', url: '/plants' },
  { method: 'HEAD', url: '/plants' },
  { method: 'POST', url: '/plants', body: { id: 1, name: 'a' } },
  { method: 'DELETE', url: '/plants/1' },
]

/** What comes as `Authorization`, made from a token that is good. */
const missing: [string, (token: string) => string | undefined][] = [
  ['no header', () => undefined],
  ['an empty header', () => ''],
  ['white space', () => '  '],
  ['the token alone', (token) => token],
  ['the scheme alone', () => 'Bearer'],
  ['Basic credentials', (token) => `Basic ${Buffer.from(`me:${token}`).toString('base64')}`],
  ['Digest credentials', (token) => `Digest username="me", response="${token}"`],
  ['a scheme that begins like Bearer', (token) => `BearerToken ${token}`],
  ['a scheme that ends like Bearer', (token) => `XBearer ${token}`],
  ['a colon behind the scheme', (token) => `Bearer: ${token}`],
  ['an equals sign behind the scheme', (token) => `Bearer=${token}`],
  ['a tab behind the scheme', (token) => `Bearer\t${token}`],
  ['no space behind the scheme', (token) => `Bearer${token}`],
  ['another scheme before Bearer', (token) => `Basic x, Bearer ${token}`],
]

const invalid: [string, (token: string) => string | undefined][] = [
  ['an unknown token', () => `Bearer plst_${'A'.repeat(43)}`],
  ['a token without its last character', (token) => `Bearer ${token.slice(0, -1)}`],
  ['a token with one more character', (token) => `Bearer ${token}A`],
  ['a token with padding', (token) => `Bearer ${token}=`],
  ['a token in upper case', (token) => `Bearer ${token.toUpperCase()}`],
  ['a token in quotes', (token) => `Bearer "${token}"`],
  ['a token in angle brackets', (token) => `Bearer <${token}>`],
  ['a token as a parameter', (token) => `Bearer token=${token}`],
  ['two tokens', (token) => `Bearer ${token} ${token}`],
  ['two credentials', (token) => `Bearer ${token}, Bearer ${token}`],
  ['a token and a parameter', (token) => `Bearer ${token}, realm="plant-store"`],
  ['a token with a space inside', (token) => `Bearer ${token.slice(0, 10)} ${token.slice(10)}`],
  ['the prefix of a token', (token) => `Bearer ${token.slice(0, 11)}`],
  ['a token percent-encoded', (token) => `Bearer ${token.replace('_', '%5F')}`],
  ['a text of ten thousand characters', () => `Bearer ${'A'.repeat(10_000)}`],
  ['SQL', () => `Bearer ' OR 1=1 --`],
]

test.each(missing)('%s is no credential on any operation', async (_description, authorization) => {
  const { send, token } = await newCaller()
  for (const request of operations) {
    const response = await send({ ...request, headers: { authorization: authorization(token) } })
    expect(response).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="plant-store"' } })
    if (request.method !== 'HEAD') expectFailure(response, 'credentials_missing')
  }
})

test.each(invalid)('%s is refused as invalid on every operation', async (_description, authorization) => {
  const { send, token } = await newCaller()
  for (const request of operations) {
    const response = await send({ ...request, headers: { authorization: authorization(token) } })
    expect(response).toMatchObject({
      status: 401,
      headers: {
        'www-authenticate': expect.stringMatching(/^Bearer realm="plant-store", error="invalid_token"/) as string,
      },
    })
    if (request.method !== 'HEAD') expectFailure(response, 'token_invalid')
  }
})

test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('the scheme may be written %s', async (scheme) => {
  const { send, token } = await newCaller()
  expect((await send({ method: 'GET', url: '/plants', headers: { authorization: `${scheme} ${token}` } })).status).toBe(
    200,
  )
})

test('more than one space may follow the scheme', async () => {
  const { send, token } = await newCaller()
  expect((await send({ method: 'GET', url: '/plants', headers: { authorization: `Bearer   ${token}` } })).status).toBe(
    200,
  )
})

test('a token anywhere but in Authorization is no credential', async () => {
  const { send, token } = await newCaller()
  const elsewhere = {
    authorization: undefined,
    cookie: `token=${token}`,
    'x-api-key': token,
    'proxy-authorization': `Bearer ${token}`,
  }
  expectFailure(
    await send({ method: 'GET', url: `/plants?access_token=${token}`, headers: elsewhere }),
    'credentials_missing',
  )
})

test('white space around the header is no part of it', async () => {
  const { token, listen } = await startApp()
  const [response] = await exchange(
    await listen(),
    `GET /plants HTTP/1.1\r\nHost: x\r\naUTHORIZATION: \t Bearer ${token} \t \r\nConnection: close\r\n\r\n`,
  )
  expect(response).toMatchObject({ status: 200, text: '[]' })
})

test.each([
  ['a good and a bad one', (token: string) => [`Bearer ${token}`, 'Bearer x']],
  ['a bad and a good one', (token: string) => ['Bearer x', `Bearer ${token}`]],
  ['the same one twice', (token: string) => [`Bearer ${token}`, `Bearer ${token}`]],
])('two Authorization headers are no credentials: %s', async (_description, values) => {
  const { token, listen } = await startApp()
  const lines = values(token).map((value) => `Authorization: ${value}\r\n`)
  const [response] = await exchange(
    await listen(),
    `GET /plants HTTP/1.1\r\nHost: x\r\n${lines.join('')}Connection: close\r\n\r\n`,
  )
  expectFailure(response!, 'token_invalid')
  assertKeepsContract({ method: 'GET', url: '/plants' }, response!)
})

test('a token is good until the millisecond of its expiry', async () => {
  let now = 1_000_000
  const { send, issueToken } = await startApp({ now: () => now })
  const request = {
    method: 'GET',
    url: '/plants',
    headers: { authorization: `Bearer ${await issueToken('me', 1_000)}` },
  }
  now += 999
  expect((await send(request)).status).toBe(200)
  now += 1
  expectFailure(await send(request), 'token_invalid')
})

test('a revoked token is refused by the very next request', async () => {
  const { send, store, token } = await startApp()
  expect((await send({ method: 'GET', url: '/plants' })).status).toBe(200)
  await store.revokeTokens(token.slice(0, 11))
  expectFailure(await send({ method: 'GET', url: '/plants' }), 'token_invalid')
})

describe('an operation whose security', () => {
  const verifying = (verify: Verifier): VerifiedScheme => ({
    kind: 'bearer',
    in: 'header',
    name: 'Authorization',
    verify,
  })
  const caller = (name: string) => verifying(() => Promise.resolve({ caller: name, scope: 'read' }))
  const schemes = new Map([
    ['me', caller('me')],
    ['meLater', caller('me')],
    ['you', caller('you')],
    ['nobody', verifying(() => Promise.resolve('missing'))],
    ['bad', verifying(() => Promise.resolve('unknown'))],
    ['later', verifying(() => Promise.resolve('unavailable'))],
  ])

  test.each<[string, string[][], number, (string | undefined)[]]>([
    ['is one scheme', [['me']], 200, ['me']],
    ['is one scheme that refuses', [['nobody']], 401, []],
    ['is two schemes together that agree', [['me', 'meLater']], 200, ['me']],
    ['is two schemes together that differ', [['me', 'you']], 401, []],
    ['is two schemes together of which one refuses', [['me', 'nobody']], 401, []],
    ['is two alternatives of which the first refuses', [['nobody'], ['you']], 200, ['you']],
    ['is two alternatives of which both accept', [['you'], ['me']], 200, ['you']],
    ['is two alternatives of which the first differs', [['me', 'you'], ['meLater']], 200, ['me']],
    ['is two alternatives of which one cannot be checked now', [['bad'], ['later']], 503, []],
    ['is two alternatives of which one cannot be checked and one accepts', [['later'], ['me']], 200, ['me']],
    ['is an alternative that needs nothing', [[]], 200, [undefined]],
    ['is no alternative', [], 200, [undefined]],
    ['is a scheme or nothing, and the scheme accepts', [[], ['me']], 200, ['me']],
    ['is a scheme or nothing, and the scheme refuses', [['bad'], []], 401, []],
    ['is a scheme or nothing, and the credentials are of another scheme', [['nobody'], []], 401, []],
    ['is a scope that the token has', [['me:read']], 200, ['me']],
    ['is a scope that the token lacks', [['me:write']], 403, []],
    ['is two scopes of which the token lacks one', [['me:read,write']], 403, []],
    ['is two alternatives of which one has its scopes', [['me:write'], ['you:read']], 200, ['you']],
    ['is two schemes together of which one lacks its scope', [['me', 'meLater:write']], 403, []],
    ['is a scope or nothing, and the token lacks the scope', [['me:write'], []], 403, []],
  ])('%s', async (_description, security, status, callers) => {
    const seen: (string | undefined)[] = []
    const operation: BoundOperation = {
      id: 'getThing',
      method: 'get',
      path: '/thing',
      bodyTypes: [],
      offeredTypes: [],
      requiresBody: false,
      security: security.map((required) =>
        required.map((text) => {
          const [scheme = '', scopes] = text.split(':')
          return { scheme, scopes: scopes?.split(',') ?? [] }
        }),
      ),
      handle: ({ caller }) => {
        seen.push(caller)
        const media = { contentType: 'application/json', isJson: true }
        return Promise.resolve({ status: 200, body: {}, media })
      },
    }
    const app = fastify()
    onTestFinished(() => app.close())
    registerErrorHandler(app, failureBody)
    app.decorateRequest('caller')
    app.decorateRequest('lackingScope')
    registerOperations(app, {
      operations: [operation],
      basePaths: [''],
      onRequestOf: (each) => [...authenticate(each, { schemes, realm: 'things' }), requireScopes],
      bodyLevels: 1,
      unread: new UnreadBytes(1_024),
    })
    const response = await app.inject({ url: '/thing', headers: { authorization: 'x' } })
    expect(response.statusCode).toBe(status)
    expect(seen).toEqual(callers)
    if (status === 401 || status === 403) expect(response.headers['www-authenticate']).toMatch(/^Bearer realm="[^"]+"/)
  })
})
