import { authOf, unavailable } from 'fastify-contract'
import { describe, expect, test } from 'vitest'
import { exchange } from './support/exchange.ts'
import { type AnyOptions, type Found, type Shop, bothServers, serve, verify } from './support/serve.ts'

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  other: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  digest: { type: 'http', scheme: 'Digest' },
  login: { type: 'oauth2', flows: {} },
  connect: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
}

const auth = {
  ...{ bearer: verify, other: verify, key: verify, query: verify, cookie: verify, login: verify, connect: verify },
  basic: ({ user, password }: { user: string; password: string }) => (password === 'secret' ? verify(user) : undefined),
  digest: (header: string) => verify(header.replace(/^Digest /, '')),
}

/** Serves one operation that replies with the caller of each scheme. */
async function serveWith(security: object[], options: AnyOptions = {}, shop: Shop = {}) {
  const getCaller = (_input: unknown, { auth: found }: { auth: Record<string, Found> }) => ({
    status: 200,
    body: Object.fromEntries(Object.entries(found).map(([name, { caller }]) => [name, caller])),
  })
  return serve({
    paths: { '/caller': { get: { operationId: 'getCaller', security } } },
    handlers: { getCaller },
    document: { components: { securitySchemes } },
    options: { auth, ...options },
    ...shop,
  })
}

const bearer = 'Bearer realm="shop"'
const basic = 'Basic realm="shop", charset="UTF-8"'
const key = 'ApiKey realm="shop"'
const invalid = ', error="invalid_token"'
const unknown = `${invalid}, error_description="The token is unknown, malformed, expired or revoked"`
const lacking = (scope: string) => `, error="insufficient_scope", scope="${scope}"`
const sent = (authorization?: string, xKey?: string, cookie?: string) => ({ authorization, 'x-key': xKey, cookie })
const [b, o, k, q] = [{ bearer: [] }, { other: [] }, { key: [] }, { query: [] }]
const basicOf = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const both = { bearer: [], key: [] }

test('the default realm is the title of the contract as a quoted string', async () => {
  const info = { title: 'A "shop" \\ caf\u00e9', version: '1.0.0' }
  const { send } = await serve({ document: { info }, options: { realm: undefined } })
  const { headers } = await send({ url: '/things', headers: { authorization: undefined } })
  expect(headers['www-authenticate']).toBe('Bearer realm="A _shop_ _ caf_"')
})

describe('an operation whose security is', () => {
  test.each<[string, object[], Record<string, string | undefined>, Record<string, string>]>([
    ['one scheme', [b], sent('bearer me'), { bearer: 'me' }],
    ['two schemes together', [both], sent('bearer me', 'me'), { bearer: 'me', key: 'me' }],
    ['two schemes of two callers', [both], sent('bearer me', 'you'), { bearer: 'me', key: 'you' }],
    ['two alternatives, of which the first refuses', [k, b], sent('bearer me', 'no'), { bearer: 'me' }],
    ['two alternatives that accept: the first decides', [k, b], sent('bearer me', 'you'), { key: 'you' }],
    ['two alternatives, of which one cannot be checked', [k, b], sent('bearer me', 'later'), { bearer: 'me' }],
    ['basic', [{ basic: [] }], sent(basicOf('me:secret')), { basic: 'me' }],
    ['a key in a cookie', [{ cookie: [] }], sent(undefined, undefined, 'a=b; session=me'), { cookie: 'me' }],
    ['a key in the query', [q], sent(), { query: 'you' }],
    ['another HTTP scheme', [{ digest: [] }], sent('Digest me'), { digest: 'me' }],
    ['nothing, whatever is sent', [], sent('bearer no'), {}],
    ['an empty alternative, whatever is sent', [{}], sent('bearer no'), {}],
    ['optional, without credentials', [b, {}], sent(), {}],
    ['optional, with credentials', [{}, b], sent('bearer me'), { bearer: 'me' }],
    ['a scope that the token has', [{ bearer: ['read'] }], sent('bearer me/write+read'), { bearer: 'me' }],
    ['a scope, and the token has all rights', [{ bearer: ['read'] }], sent('bearer me'), { bearer: 'me' }],
    ['two alternatives, one with its scope', [{ bearer: ['read'] }, k], sent('bearer me/x', 'you'), { key: 'you' }],
  ])('%s: serves', async (_security, security, headers, callers) => {
    const { send } = await serveWith(security)
    const { status, text } = await send({ url: q === security[0] ? '/caller?key=you' : '/caller', headers })
    expect([status, JSON.parse(text)]).toEqual([200, callers])
  })

  test.each<[string, object[], Record<string, string | undefined>, number, string]>([
    ['one scheme, and nothing is sent', [b], sent(), 401, bearer],
    ['one scheme, and another is sent', [b], sent('basic me'), 401, bearer],
    ['one scheme, and it refuses', [b], sent('bearer no'), 401, bearer + unknown],
    ['basic, and nothing is sent', [{ basic: [] }], sent(), 401, basic],
    ['basic, and the password is wrong', [{ basic: [] }], sent(basicOf('me:x')), 401, basic],
    ['basic without a colon', [{ basic: [] }], sent(basicOf('me')), 401, basic],
    ['a key, and it is unknown', [k], sent(undefined, 'no'), 401, key],
    ['a key in a cookie that is not sent', [{ cookie: [] }], sent(undefined, undefined, 'sessions=me'), 401, key],
    ['another HTTP scheme', [{ digest: [] }], sent(), 401, 'Digest realm="shop"'],
    ['alternatives, and nothing is sent', [b, k, { basic: [] }], sent(), 401, `${bearer}, ${key}, ${basic}`],
    ['alternatives of one kind', [b, o], sent(), 401, bearer],
    ['alternatives, and one refuses', [b, k], sent(undefined, 'no'), 401, `${bearer}, ${key}`],
    ['two schemes together, and one is missing', [both], sent('bearer me'), 401, `${bearer}, ${key}`],
    ['optional, and what is sent is wrong', [b, {}], sent('bearer no'), 401, bearer + unknown],
    ['optional, and what is sent is empty', [b, {}], sent(''), 401, bearer],
    ['a scope that the token lacks', [{ bearer: ['a', 'b'] }], sent('bearer me/b'), 403, bearer + lacking('a b')],
    ['a scope, and the token has one like it', [{ bearer: ['a'] }], sent('bearer me/ab'), 403, bearer + lacking('a')],
    ['a scope of a key', [{ key: ['a'] }], sent(undefined, 'me/'), 403, key],
    ['a scope or nothing', [{ bearer: ['a'] }, {}], sent('bearer me/b'), 403, bearer + lacking('a')],
    ['OAuth 2.0', [{ login: ['a'] }], sent('bearer me/b'), 403, bearer + lacking('a')],
    ['OpenID Connect', [{ connect: ['a'] }], sent('bearer me/b'), 403, bearer + lacking('a')],
  ])('%s: refuses with the challenge', async (_security, security, headers, status, challenge) => {
    const { send } = await serveWith(security)
    expect(await send({ url: '/caller', headers })).toMatchObject({
      status,
      headers: { 'www-authenticate': challenge },
    })
  })

  const callerOf = ({ caller }: Found) => caller
  const k2 = { key: [], query: [] }
  test.each<[string, object[], Record<string, string | undefined>, Record<string, string>]>([
    ['one caller', [both], sent('bearer me', 'me'), { bearer: 'me', key: 'me' }],
    ['two callers, and one is enough for another alternative', [both, k], sent('bearer me', 'you'), { key: 'you' }],
    ['two callers in two alternatives', [k, b], sent('bearer me', 'you'), { key: 'you' }],
  ])('compared by callerOf, %s: serves', async (_case, security, headers, callers) => {
    const { send } = await serveWith(security, { callerOf })
    const { status, text } = await send({ url: '/caller', headers })
    expect([status, JSON.parse(text)]).toEqual([200, callers])
  })

  test.each<[string, object[], Record<string, string | undefined>, string]>([
    ['a token and a key', [both], sent('bearer me', 'you'), `${bearer}, ${key}`],
    ['a token and a key, with scopes', [{ bearer: ['a'], key: ['a'] }], sent('bearer me', 'you'), `${bearer}, ${key}`],
    ['a token and a key, or nothing', [both, {}], sent('bearer me', 'you'), `${bearer}, ${key}`],
    ['two keys', [k2], sent(undefined, 'you'), key],
  ])('compared by callerOf, %s of two callers: refuses', async (_case, security, headers, challenges) => {
    const { send, lines } = await serveWith(security, { callerOf })
    const { status, text, headers: received } = await send({ url: '/caller?key=me', headers })
    expect([status, JSON.parse(text)]).toEqual([
      401,
      { failure: 'token_invalid', message: 'the credentials are of different callers; send those of one' },
    ])
    expect(received['www-authenticate']?.replaceAll(/, error[^,]*/g, '')).toBe(challenges)
    expect(lines().filter(({ level }) => level === 50)).toEqual([])
  })

  test('a scheme that cannot be checked now: gives 503', async () => {
    const { send } = await serveWith([b, k])
    for (const headers of [sent('bearer later'), sent('bearer later', 'no')]) {
      const { status, headers: received, text } = await send({ url: '/caller', headers })
      expect(text).toContain('tokens cannot be checked now')
      expect([status, received['retry-after'], received['www-authenticate']]).toEqual([503, '1', undefined])
    }
  })
})

const unknownKey = 'is unknown, malformed, expired or revoked'

test.each([
  [
    'nothing',
    [b, k, q],
    sent(),
    'header Authorization: Bearer TOKEN, or the header X-Key: KEY, or the query parameter key',
  ],
  ['nothing', [{ basic: [], key: [] }], sent(), 'Basic with CALLER:TOKEN in Base64 and the header X-Key: KEY'],
  ['an unknown key', [k], sent(undefined, 'no'), `the key ${unknownKey}`],
  [
    'a key that lacks a scope',
    [{ key: ['a'] }],
    sent(undefined, 'me/b'),
    'the key lacks a required scope; required: a',
  ],
  ['an unknown token', [b, k], sent('bearer no'), `the token ${unknownKey}`],
  ['an unknown token beside a key', [b, k], sent('bearer no', 'no'), `the token or key ${unknownKey}`],
])('the refusal of %s says what is wrong: %j', async (_sent, security, headers, message) => {
  const { send } = await serveWith(security)
  expect((await send({ url: '/caller', headers })).text).toContain(message)
})

test.each([
  ['constructor', 'header'],
  ['toString', 'query'],
  ['valueOf', 'cookie'],
])('an API key may be named %s, which every object inherits, in the %s', async (name, place) => {
  const schemes = { [name]: { type: 'apiKey', in: place, name } }
  const seen: unknown[] = []
  const getCaller = (_input: unknown, { auth: found }: { auth: Record<string, unknown> }) => {
    seen.push(found[name])
    return { status: 200, body: {} }
  }
  const get = { operationId: 'getCaller', security: [{ [name]: [] }, {}] }
  const required = { ...get, operationId: 'getOwn', security: [{ [name]: [] }] }
  const { send } = await serve({
    paths: { '/caller': { get }, '/own': { get: required } },
    handlers: { getCaller, getOwn: getCaller },
    document: { security: [], components: { securitySchemes: schemes } },
    options: { auth: { [name]: (text: string) => (text === 'me' ? { caller: text } : undefined) } },
  })
  const statusOf = async (path: string, text: string) => {
    const headers = place === 'header' ? { [name]: text } : place === 'cookie' ? { cookie: `${name}=${text}` } : {}
    const url = place === 'query' ? `${path}?${name}=${text}` : path
    return (await send({ url, headers: { ...sent(), ...headers } })).status
  }
  expect((await send({ url: '/caller', headers: sent() })).status).toBe(200)
  expect((await send({ url: '/own', headers: sent() })).status).toBe(401)
  expect([await statusOf('/caller', 'me'), await statusOf('/own', 'me'), await statusOf('/own', 'no')]).toEqual([
    200, 200, 401,
  ])
  expect(seen).toEqual([undefined, { caller: 'me' }, { caller: 'me' }])
})

describe.each(bothServers)('%s', (_what, isGuest) => {
  const key = { type: 'apiKey', in: 'header', name: 'X-Key' }
  const query = { type: 'apiKey', in: 'query', name: 'key' }
  const cookie = { type: 'apiKey', in: 'cookie', name: 'session' }

  /** @param scheme its verifier replies with what it gets */
  async function sendRaw(scheme: object, target: string, fields: string[]) {
    const { listen } = await serve({
      paths: { '/': { get: { operationId: 'get', security: [{ it: [] }] } } },
      handlers: { get: (_input: object, { auth }: { auth: object }) => ({ status: 200, body: auth }) },
      document: { components: { securitySchemes: { it: scheme } } },
      options: { auth: { it: (credentials: unknown) => ({ credentials }) } },
      isGuest,
    })
    const lines = ['Host: a', ...fields, 'Connection: close'].map((line) => `${line}\r\n`)
    const [response] = await exchange(await listen(), `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
    return response!
  }

  test.each<[string, object, string, ...string[]]>([
    ['two bearer tokens', securitySchemes.bearer, '/', 'Authorization: Bearer me', 'Authorization: Bearer you'],
    ['one bearer token twice', securitySchemes.bearer, '/', 'Authorization: Bearer me', 'authorization: Bearer me'],
    ['two schemes', securitySchemes.bearer, '/', 'Authorization: Basic bWU6', 'Authorization: Bearer me'],
    ['other credentials', securitySchemes.digest, '/', 'Authorization: Digest me', 'Authorization: Digest you'],
    ['two keys in a header', key, '/', 'X-Key: me', 'x-KEY: you'],
    ['a key beside an empty one', key, '/', 'X-Key: me', 'X-Key:'],
    ['two keys in the query', query, '/?key=me&k%65y=you'],
    ['a key beside an empty one in the query', query, '/?key=me&key'],
    ['two keys in a cookie', cookie, '/', 'Cookie: session=me; a=b; session=me'],
    ['two keys in two fields', cookie, '/', 'Cookie: session=me', 'Cookie: session=you'],
    ['two keys in a cookie, with spaces', cookie, '/', 'Cookie: session=me; session =you'],
    ['two keys in a cookie, one within quotation marks', cookie, '/', 'Cookie: a="b; session=me"; session=you'],
  ])('refuses repeated credentials: %s', async (_which, scheme, target, ...fields) => {
    const { status, headers } = await sendRaw(scheme, target, fields)
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(/./)])
  })

  test('takes no cookie for one of another name', async () => {
    for (const name of ['\xa0session', 'session\xa0'])
      expect((await sendRaw(cookie, '/', [`Cookie: ${name}=me`])).status).not.toBe(200)
  })

  test.each<[string, object, string, string, string]>([
    ['a comma in a header', key, '/', 'X-Key: me, you', 'me, you'],
    ['a comma in the query', query, '/?key=me,you', 'X: a', 'me,you'],
    ['what another cookie has', cookie, '/', 'Cookie: a=session=b; Session=c; $session=d; session="m=e,"', '"m=e,"'],
    ['a no-break space', cookie, '/', 'Cookie: session=me\xa0', 'me\xa0'],
  ])('takes %s for a part of a key', async (_which, scheme, target, field, credentials) => {
    const { status, text } = await sendRaw(scheme, target, [field])
    expect([status, JSON.parse(text)]).toEqual([200, { it: { credentials } }])
  })
})

test('preParsing hooks know the caller, even if a scope is missing', async () => {
  const seen: unknown[] = []
  const { send } = await serveWith(
    [{ bearer: ['a'] }],
    {},
    {
      before: (app) => {
        app.addHook('onRequest', (request, _reply, done) => {
          seen.push(['onRequest', authOf(request)])
          done()
        })
        app.addHook('preParsing', (request, _reply, payload, done) => {
          seen.push(['preParsing', Object.keys(authOf(request))])
          done(null, payload)
        })
      },
    },
  )
  for (const token of ['me/a', 'me/b', 'no']) await send({ url: '/caller', headers: sent(`bearer ${token}`) })
  const [before, after] = [
    ['onRequest', {}],
    ['preParsing', ['bearer']],
  ]
  expect(seen).toEqual([before, after, before, after, before])
})

test('a verifier result without scopes is refused if the operation requires one', async () => {
  for (const found of ['me', { scopes: 'a' }, { scopes: undefined }]) {
    const { send } = await serveWith([{ bearer: ['a'] }], { auth: { bearer: () => found } })
    expect((await send({ url: '/caller', headers: sent('bearer me') })).status).toBe(403)
  }
})

describe.each<[string, (value: unknown) => unknown]>([
  ['returns', (value) => value],
  ['resolves with', (value) => Promise.resolve(value)],
])('a verifier that %s', (_how, given) => {
  test.each<[unknown, number]>([
    ...[undefined, null, false, 0, -0, NaN, 0n, ''].map((value): [unknown, number] => [value, 401]),
    ...[true, 1, 1n, Infinity, Symbol('me'), () => 'me', new Error('me')].map((value): [unknown, number] => [
      value,
      500,
    ]),
    [unavailable('the provider is away'), 503],
    ...['me', {}].map((value): [unknown, number] => [value, 200]),
    // An empty list, or a boxed false, is an object too.
    ...[[], ['me'], new Set(), Object(false)].map((value): [unknown, number] => [value, 500]),
  ])('%o as its result gives %i', async (value, status) => {
    for (const security of [[b, {}], [both]]) {
      const { send, lines } = await serveWith(security, { auth: { bearer: () => given(value), key: () => 'me' } })
      expect((await send({ url: '/caller', headers: sent('bearer me', 'me') })).status).toBe(status)
      expect(lines().filter(({ level }) => level === 50)).toHaveLength(status === 500 ? 1 : 0)
    }
  })
})

test('a verifier that returns true is named in the log', async () => {
  const { send, lines } = await serveWith([b], { auth: { bearer: () => true } })
  await send({ url: '/caller', headers: sent('bearer me') })
  expect(JSON.stringify(lines())).toMatch(
    /the verifier of bearer failed.*it returned true; return an object, a text or undefined/,
  )
})

test('credentials without a caller are not of one, compared by callerOf', async () => {
  for (const caller of [undefined, null, '', false, 0, NaN]) {
    const { send } = await serveWith([both], { callerOf: () => caller })
    expect((await send({ url: '/caller', headers: sent('bearer me', 'me') })).status).toBe(401)
  }
})

test('a verifier receives the request', async () => {
  const urls: unknown[] = []
  const bearerOf = (_token: string, { url }: { url: string }) => void urls.push(url)
  const { send } = await serveWith([b], { auth: { bearer: bearerOf } })
  expect((await send({ url: '/caller?a=b', headers: sent('bearer me') })).status).toBe(401)
  expect(urls).toEqual(['/caller?a=b'])
})

const fail = () => {
  throw new Error('secret')
}

test.each([
  ['throws', fail],
  ['rejects', () => Promise.reject(new Error('secret'))],
  ['rejects with a status', () => Promise.reject(Object.assign(new Error('secret'), { statusCode: 404 }))],
  ['rejects with nothing', () => Promise.reject(undefined as unknown as Error)],
])('a verifier that %s gives 500 and reveals nothing', async (_how, verifier) => {
  const { send, lines } = await serveWith([both], { auth: { bearer: verifier, key: verifier } })
  const { status, text } = await send({ url: '/caller', headers: sent('bearer me', 'me') })
  expect([status, text.includes('secret')]).toEqual([500, false])
  expect(lines().filter(({ level }) => level === 50)).toHaveLength(1)
})

test.each<[string, object, string]>([
  ['without a verifier', {}, 'components/securitySchemes/bearer: has no verifier; add auth.bearer'],
  [
    'with a verifier for no scheme',
    { bearer: verify, key: verify },
    'auth.key: the contract has no such security scheme',
  ],
  ['with one named constructor', { bearer: verify, constructor: verify }, 'auth.constructor: the contract has no such'],
])('a server %s does not start', async (_what, verifiers, reason) => {
  await expect(serve({ options: { auth: verifiers } })).rejects.toThrow(reason)
})
