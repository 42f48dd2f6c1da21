import type { Verifier } from 'fastify-contract'
import { describe, expect, test } from 'vitest'
import { exchange } from './support/exchange.ts'
import { failures, ok, serve } from './support/serve.ts'

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  other: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  login: { type: 'oauth2', flows: {} },
}

/** Declares the failure of a token that lacks a scope. */
const schemas = { Error: { properties: { error: { enum: [40_300] } } } }

/** Finds the caller of `CALLER` or `CALLER/SCOPE,SCOPE`. */
const found: Verifier = (token) => {
  const [, caller = '', scopes] = /^(me|you)(?:\/(.*))?$/.exec(token) ?? []
  return Promise.resolve(
    token === 'later' ? 'unavailable' : caller === '' ? 'unknown' : { caller, scope: scopes?.replaceAll(',', ' ') },
  )
}

/** Serves one operation that answers with its caller. A scheme takes the credentials that begin with its kind. */
async function serveWith(security: object[], options: object = {}) {
  const getCaller = (_input: unknown, { caller = null }: { caller?: string | null }) => ({ status: 200, body: caller })
  return serve({
    paths: { '/caller': { get: { operationId: 'getCaller', security, responses: { ...ok, ...failures } } } },
    handlers: { getCaller },
    document: { components: { securitySchemes, schemas } },
    options: {
      verifierOf:
        ({ kind }, name) =>
        (credentials) =>
          kind === 'apiKey'
            ? found(credentials)
            : credentials.startsWith(`${name} `)
              ? found(credentials.slice(name.length + 1))
              : Promise.resolve('missing'),
      ...options,
    },
  })
}

const bearer = 'Bearer realm="shop"'
const basic = 'Basic realm="shop", charset="UTF-8"'
const key = 'ApiKey realm="shop"'
const invalid = ', error="invalid_token"'
const unknown = `${invalid}, error_description="The token is unknown, malformed, expired or revoked"`
const lacking = (scope: string) => `, error="insufficient_scope", scope="${scope}"`
const sent = (authorization?: string, xKey?: string) => ({ authorization, 'x-key': xKey })
const [b, o, k, q] = [{ bearer: [] }, { other: [] }, { key: [] }, { query: [] }]
const both = { bearer: [], key: [] }

test('the realm is by default the title of the contract, as a quoted string', async () => {
  const info = { title: 'A "shop" \\ caf\u00e9', version: '1.0.0' }
  const { send } = await serve({ document: { info }, options: { realm: undefined } })
  const { headers } = await send({ url: '/things', headers: { authorization: undefined } })
  expect(headers['www-authenticate']).toBe('Bearer realm="A _shop_ _ caf_"')
})

describe('an operation whose security is', () => {
  test.each<[string, object[], Record<string, string | undefined>, string | null]>([
    ['one scheme', [b], sent('bearer me'), 'me'],
    ['two schemes together', [both], sent('bearer me', 'me'), 'me'],
    ['two alternatives, of which the first refuses', [k, b], sent('bearer me', 'no'), 'me'],
    ['two alternatives that accept: the first decides', [k, b], sent('bearer me', 'you'), 'you'],
    ['two alternatives, of which the first names two callers', [both, k], sent('bearer me', 'you'), 'you'],
    ['two alternatives, of which one cannot be checked', [k, b], sent('bearer me', 'later'), 'me'],
    ['nothing, whatever is sent', [], sent('bearer no'), null],
    ['an empty alternative, whatever is sent', [{}], sent('bearer no'), null],
    ['optional, without credentials', [b, {}], sent(), null],
    ['optional, with credentials', [{}, b], sent('bearer me'), 'me'],
    ['a scope that the token has', [{ bearer: ['read'] }], sent('bearer me/write,read'), 'me'],
    ['a scope, and the token has all rights', [{ bearer: ['read'] }], sent('bearer me'), 'me'],
    ['two alternatives, of which one has its scope', [{ bearer: ['read'] }, k], sent('bearer me/x', 'you'), 'you'],
  ])('%s: serves', async (_security, security, headers, caller) => {
    const { send } = await serveWith(security)
    expect(await send({ url: '/caller', headers })).toMatchObject({ status: 200, text: JSON.stringify(caller) })
  })

  test.each<[string, object[], Record<string, string | undefined>, number, string]>([
    ['one scheme, and nothing is sent', [b], sent(), 401, bearer],
    ['one scheme, and another is sent', [b], sent('basic me'), 401, bearer],
    ['one scheme, and it refuses', [b], sent('bearer no'), 401, bearer + unknown],
    ['basic, and nothing is sent', [{ basic: [] }], sent(), 401, basic],
    ['a key, and it is unknown', [k], sent(undefined, 'no'), 401, key],
    ['alternatives, and nothing is sent', [b, k, { basic: [] }], sent(), 401, `${bearer}, ${key}, ${basic}`],
    ['alternatives of one kind', [b, o], sent(), 401, bearer],
    ['alternatives, and one refuses', [b, k], sent('bearer no'), 401, `${bearer}${unknown}, ${key}`],
    ['two schemes together, and one is missing', [both], sent('bearer me'), 401, `${bearer}, ${key}`],
    ['two schemes together that differ', [both], sent('bearer me', 'you'), 401, `${bearer}${invalid}, ${key}`],
    ['optional, and what is sent is wrong', [b, {}], sent('bearer no'), 401, bearer + unknown],
    ['optional, and what is sent is empty', [b, {}], sent(''), 401, bearer],
    ['a scope that the token lacks', [{ bearer: ['a', 'b'] }], sent('bearer me/b'), 403, bearer + lacking('a b')],
    ['a scope, and the token has one like it', [{ bearer: ['a'] }], sent('bearer me/ab'), 403, bearer + lacking('a')],
    ['a scope of a key', [{ key: ['a'] }], sent(undefined, 'me/'), 403, key],
    ['a scope or nothing', [{ bearer: ['a'] }, {}], sent('bearer me/b'), 403, bearer + lacking('a')],
    ['OAuth 2.0', [{ login: ['a'] }], sent('login me/b'), 403, bearer + lacking('a')],
  ])('%s: refuses, with the challenge', async (_security, security, headers, status, challenge) => {
    const { send } = await serveWith(security)
    expect(await send({ url: '/caller', headers })).toMatchObject({
      status,
      headers: { 'www-authenticate': challenge },
    })
  })

  test('one that cannot be checked now is answered 503', async () => {
    const { send } = await serveWith([b, k])
    for (const headers of [sent('bearer later'), sent('bearer later', 'no')]) {
      const { status, headers: received } = await send({ url: '/caller', headers })
      expect([status, received['retry-after'], received['www-authenticate']]).toEqual([503, '1', undefined])
    }
  })
})

test.each([
  [
    [b, k, q],
    'credentials are missing; send the header Authorization: Bearer TOKEN, or the header X-Key: TOKEN, or the query parameter key=TOKEN',
  ],
  [
    [{ basic: [], key: [] }],
    'credentials are missing; send the header Authorization: Basic with CALLER:TOKEN in Base64 and the header X-Key: TOKEN',
  ],
])('a request without credentials is told how to send them: %#', async (security, message) => {
  const { send } = await serveWith(security)
  expect(JSON.parse((await send({ url: '/caller', headers: sent() })).text)).toEqual({
    failure: 'credentials_missing',
    message,
  })
})

test('a key of the query is no parameter of the operation, and counts only once', async () => {
  const { send } = await serveWith([q])
  expect(await send({ url: '/caller?key=me', headers: sent() })).toMatchObject({ status: 200, text: '"me"' })
  expect((await send({ url: '/caller?key=me&key=me', headers: sent() })).status).toBe(401)
})

test.each(['Bearer me', 'Bearer no'])('two fields with credentials are none: Bearer me and %s', async (second) => {
  const { listen } = await serve()
  for (const values of [
    ['Bearer me', second],
    [second, 'Bearer me'],
  ]) {
    const fields = values.map((value) => `Authorization: ${value}\r\n`).join('')
    const [answer] = await exchange(
      await listen(),
      `GET /things HTTP/1.1\r\nHost: a\r\n${fields}Connection: close\r\n\r\n`,
    )
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': bearer + unknown } })
  }
})

test('hooks run before and after the caller is known, also where a scope is lacking', async () => {
  const seen: unknown[] = []
  const note = (name: string) => (request: { caller?: string | undefined }, _reply: unknown, done: () => void) => {
    seen.push([name, request.caller])
    done()
  }
  const options = {
    beforeAuthentication: [note('before')],
    afterAuthentication: [note('after'), note('later')],
    onCredentialsRefused: () => seen.push('refused'),
  }
  const { send } = await serveWith([{ bearer: ['a'] }], options)
  for (const token of ['me/a', 'me/b', 'no']) await send({ url: '/caller', headers: sent(`bearer ${token}`) })
  await send({ url: '/caller', headers: sent() })
  const known = [
    ['before', undefined],
    ['after', 'me'],
    ['later', 'me'],
  ]
  expect(seen).toEqual([...known, ...known, ['before', undefined], 'refused', ['before', undefined]])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('secret')
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret'))],
  ['rejects with nothing', () => Promise.reject(undefined as unknown as Error)],
])('a verifier that %s lets nobody in and does not end the process', async (_how, verifier) => {
  const { send, lines } = await serveWith([{ bearer: [], key: [] }], { verifierOf: () => verifier })
  const { status, text } = await send({ url: '/caller', headers: sent('bearer me', 'me') })
  expect([status, text.includes('secret')]).toEqual([500, false])
  expect(lines().filter(({ level }) => level === 50)).toHaveLength(1)
})
