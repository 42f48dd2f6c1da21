import {
  type GoldenRequest,
  type Parts,
  create,
  ended,
  message,
  raw,
  remove,
  shown,
  together,
  tokens,
} from './request.ts'

/** How the second server is configured, beside its database. */
export const configuration = {
  CORS_ORIGIN: 'https://plants.example, http://localhost:5173',
  RATE_LIMIT: '12',
  TRUST_PROXY: 'loopback',
  BODY_LIMIT: '200',
  REQUEST_TIMEOUT: '1',
  KEEP_ALIVE_TIMEOUT: '1',
  METRICS_PORT: '0',
  LOG_LEVEL: 'info',
  SHUTDOWN_DELAY: '2',
} as const

const plant = '{"id":1,"name":"a"}'
const allowed = 'https://plants.example'

/** Each of these comes from a client of its own behind the trusted proxy, so that none is refused for another. */
let clients = 0
function from(parts: Parts): Parts {
  clients++
  const address = `10.0.${String(clients >> 8)}.${String(clients & 255)}`
  return { ...parts, fields: [...(parts.fields ?? []), `X-Forwarded-For: ${address}`] }
}

const origins = [
  ...[
    allowed,
    'http://localhost:5173',
    'https://evil.example',
    'https://plants.example.evil.example',
    'http://plants.example',
  ],
  ...[
    'https://plants.example:8443',
    'https://plants.example/',
    'HTTPS://PLANTS.EXAMPLE',
    'null',
    '*',
    '',
    `${allowed}, ${allowed}`,
  ],
]

const requested = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'get', 'x', '']

const targets = [
  '/plants',
  '/plants/54',
  '/plants/x',
  '/livez',
  '/docs/',
  '/docs/static/logo.svg',
  '/openapi.json',
  '/nowhere',
  '/%zz',
  '*',
]

const preflight = (origin: string, method: string, more: readonly string[] = []): readonly string[] => [
  `Origin: ${origin}`,
  `Access-Control-Request-Method: ${method}`,
  ...more,
]

const cors: readonly GoldenRequest[] = [
  ...origins.flatMap((origin) => [
    together(
      `CORS: preflight from ${shown(origin)}`,
      message(from({ method: 'OPTIONS', authorization: null, fields: preflight(origin, 'POST') })),
    ),
    together(
      `CORS: page from ${shown(origin)}`,
      message(from({ authorization: null, target: '/livez', fields: [`Origin: ${origin}`] })),
    ),
    together(
      `CORS: refused, from ${shown(origin)}`,
      message(from({ authorization: null, fields: [`Origin: ${origin}`] })),
    ),
  ]),
  ...requested.map((method) =>
    together(
      `CORS: preflight for ${shown(method)}`,
      message(from({ method: 'OPTIONS', authorization: null, fields: preflight(allowed, method) })),
    ),
  ),
  ...targets.flatMap((target) =>
    ['GET', 'HEAD', 'OPTIONS', 'PUT'].map((method) =>
      together(
        `CORS: ${method} ${target} from an allowed origin`,
        message(from({ method, target, authorization: null, fields: [`Origin: ${allowed}`] })),
      ),
    ),
  ),
  ...targets.map((target) =>
    together(
      `CORS: preflight for ${target}`,
      message(from({ method: 'OPTIONS', target, authorization: null, fields: preflight(allowed, 'DELETE') })),
    ),
  ),
  ...['authorization,content-type', 'x-anything', '', '*'].map((headers) =>
    together(
      `CORS: preflight for the headers ${shown(headers)}`,
      message(
        from({
          method: 'OPTIONS',
          authorization: null,
          fields: preflight(allowed, 'POST', [`Access-Control-Request-Headers: ${headers}`]),
        }),
      ),
    ),
  ),
  together(
    'CORS: preflight for a private network',
    message(
      from({
        method: 'OPTIONS',
        authorization: null,
        fields: preflight(allowed, 'POST', ['Access-Control-Request-Private-Network: true']),
      }),
    ),
  ),
  together(
    'CORS: preflight with content',
    message(from({ method: 'OPTIONS', body: plant, fields: preflight(allowed, 'POST') })),
  ),
  together(
    'CORS: preflight without Host',
    message(from({ method: 'OPTIONS', host: null, fields: preflight(allowed, 'POST') })),
  ),
  together(
    'CORS: OPTIONS without Origin',
    message(from({ method: 'OPTIONS', authorization: null, fields: ['Access-Control-Request-Method: GET'] })),
  ),
  together('CORS: bytes that are no request', raw(`GET /plants HTTP/1.1\r\nOrigin: ${allowed}\r\nno-colon\r\n\r\n`)),
  together(
    'CORS: create, list and delete from an allowed origin',
    create(plant, from({ fields: [`Origin: ${allowed}`], isLast: false })),
    message(from({ fields: [`Origin: ${allowed}`], isLast: false })),
    remove('1', from({ fields: [`Origin: ${allowed}`] })),
  ),
]

/** One request too many for the token of the lane; the refusals of the contract and of the store count, too. */
const ofCaller: readonly GoldenRequest[] = [
  ...[1, 2, 3, 4].map((count) =>
    together(`rate: request ${String(count)} of a caller`, message({ authorization: `Bearer ${tokens.few}` })),
  ),
  together('rate: a bad query', message({ authorization: `Bearer ${tokens.few}`, target: '/plants?limit=x' })),
  together('rate: another type', create(plant, { authorization: `Bearer ${tokens.few}`, type: 'text/plain' })),
  together('rate: HEAD', message({ authorization: `Bearer ${tokens.few}`, method: 'HEAD' })),
  together('rate: no method', message({ authorization: `Bearer ${tokens.few}`, method: 'PUT' })),
  together('rate: a page', message({ authorization: `Bearer ${tokens.few}`, target: '/livez' })),
  together(
    'rate: the rest and more in a pipeline',
    ...Array.from({ length: 7 }, () => message({ authorization: `Bearer ${tokens.few}`, isLast: false })),
    message({ authorization: `Bearer ${tokens.few}` }),
  ),
  together('rate: a create that is too many', create(plant, { authorization: `Bearer ${tokens.few}` })),
  together(
    'rate: a create that is too many, with Expect',
    create(plant, { authorization: `Bearer ${tokens.few}`, fields: ['Expect: 100-continue'] }),
  ),
  together('rate: a delete that is too many', remove('1', { authorization: `Bearer ${tokens.few}` })),
  together('rate: HEAD that is too many', message({ authorization: `Bearer ${tokens.few}`, method: 'HEAD' })),
  together(
    'rate: no path when there were too many',
    message({ authorization: `Bearer ${tokens.few}`, target: '/nowhere' }),
  ),
  together(
    'rate: a page when there were too many',
    message({ authorization: `Bearer ${tokens.few}`, target: '/readyz' }),
  ),
  together('rate: another caller', message()),
]

/** Refused tokens of one address. */
const ofAddress: readonly GoldenRequest[] = [
  '192.0.2.1',
  '2001:db8::1',
  '[2001:db8:1::2]:99',
  '192.0.2.7:80',
  '_hidden',
].flatMap((address) => {
  const by = (authorization: string | null): Parts => ({
    authorization,
    fields: [`X-Forwarded-For: ${address}`],
    isLast: false,
  })
  return [
    together(
      `rate: refused tokens from ${address}`,
      ...Array.from({ length: 11 }, (_, index) => message(by(`Bearer x${String(index)}`))),
      message(by(null)),
      message({ ...by('Bearer y'), isLast: true }),
    ),
    together(
      `rate: after refused tokens from ${address}`,
      message(by('Bearer x')),
      message(by(null)),
      message({ ...by(null), target: '/livez' }),
      message({ ...by(null), target: '/nowhere' }),
      create(plant, { ...by(`Bearer ${tokens.scoped}`), isLast: true }),
    ),
  ]
})

const neighbours: readonly GoldenRequest[] = [
  '2001:db8::ffff',
  '2001:db8:0:1::1',
  '::ffff:192.0.2.1',
  '192.0.2.1, 192.0.2.9',
  '192.0.2.9, 192.0.2.1',
  '',
].map((address) =>
  together(
    `rate: a neighbour, ${shown(address)}`,
    message({ authorization: 'Bearer x', fields: [`X-Forwarded-For: ${address}`] }),
  ),
)

export const issuer = 'https://id.example'
export const audience = 'plant-store'

/** A JSON Web Token of the identity provider, or what looks like one. */
export interface WebToken {
  title: string
  header: unknown
  /** @param now in seconds since 1970-01-01T00:00:00Z */
  claims: (now: number) => unknown
  by: 'rsa' | 'ec' | 'ed' | 'weak' | 'other' | 'hmac' | 'nobody'
  change?: (token: string) => string
}

type Claims = Record<string, unknown>

function webToken(title: string, claims: Claims | ((now: number) => Claims), rest: Partial<WebToken> = {}): WebToken {
  const header = { alg: 'ES256', kid: 'ec', ...(rest.header as object | undefined) }
  const good = (now: number): Claims => ({ iss: issuer, aud: audience, sub: title, exp: now + 3_600 })
  const own = (now: number) => ({ ...good(now), ...(typeof claims === 'function' ? claims(now) : claims) })
  return { title, by: 'ec', claims: own, ...rest, header }
}

const absent = undefined

/** The good ones first. */
export const webTokens: readonly WebToken[] = [
  webToken('ES256', {}),
  webToken('RS256', {}, { header: { alg: 'RS256', kid: 'rsa' }, by: 'rsa' }),
  webToken('EdDSA', {}, { header: { alg: 'EdDSA', kid: 'ed' }, by: 'ed' }),
  webToken('a type', {}, { header: { typ: 'at+jwt' } }),
  webToken('two audiences', { aud: ['other', audience] }),
  webToken('a scope', { scope: 'plants:read plants:write' }),
  webToken('scopes in a list', { scope: ['plants:read'] }),
  webToken('scp', { scp: ['plants:read'] }),
  webToken('almost valid', (now) => ({ nbf: now + 10 })),
  webToken('the longest subject', { sub: 's'.repeat(255) }),
  webToken('expired', (now) => ({ exp: now - 3_600 })),
  webToken('not valid yet', (now) => ({ nbf: now + 3_600 })),
  webToken('no exp', { exp: absent }),
  webToken('exp as text', { exp: '9999999999' }),
  webToken('nbf as text', { nbf: 'now' }),
  webToken('another issuer', { iss: 'https://other.example' }),
  webToken('no issuer', { iss: absent }),
  webToken('another audience', { aud: 'other' }),
  webToken('no audience', { aud: absent }),
  webToken('no subject', { sub: absent }),
  webToken('an empty subject', { sub: '' }),
  webToken('a number as the subject', { sub: 5 }),
  webToken('a subject that is too long', { sub: 's'.repeat(256) }),
  webToken('a subject with U+0000', { sub: 'a\0b' }),
  webToken('a number as the scope', { scope: 5 }),
  webToken('a scope with a space in a list', { scope: ['a b'] }),
  webToken('no algorithm', {}, { header: { alg: 'none' }, by: 'nobody' }),
  webToken('HS256 with the public key', {}, { header: { alg: 'HS256', kid: 'rsa' }, by: 'hmac' }),
  webToken('the algorithm of another key', {}, { header: { alg: 'RS256' } }),
  webToken('the signature of another key', {}, { by: 'other' }),
  webToken('no signature', {}, { by: 'nobody' }),
  webToken('an unknown kid', {}, { header: { kid: 'nobody' } }),
  webToken('no kid', {}, { header: { kid: absent } }),
  webToken('a weak key', {}, { header: { alg: 'RS256', kid: 'weak' }, by: 'weak' }),
  webToken('a broken key', {}, { header: { alg: 'RS256', kid: 'broken' }, by: 'rsa' }),
  webToken('a kid of two keys', {}, { header: { kid: 'twice' } }),
  webToken('crit', {}, { header: { crit: ['x'], x: 1 } }),
  webToken('changed claims', {}, { change: (token) => token.replace('.eyJ', '.eyK') }),
  webToken('a changed signature', {}, { change: (token) => `${token.slice(0, -3)}AAA` }),
  webToken('a fourth part', {}, { change: (token) => `${token}.e30` }),
  webToken('two parts', {}, { change: (token) => token.slice(0, token.lastIndexOf('.')) }),
  webToken('padding', {}, { change: (token) => `${token}==` }),
  { ...webToken('claims that are no JSON', {}), claims: () => '{' },
  { ...webToken('claims that are a list', {}), claims: () => [] },
  { ...webToken('a header that is no JSON', {}), header: '{"alg":' },
]

/** What is asked before the keys can be had. */
export const withoutKeys: readonly GoldenRequest[] = [
  together('web token: while there are no keys', message(from({ authorization: 'Bearer $JWT_0' }))),
  together('web token: again while there are no keys', message(from({ authorization: 'Bearer $JWT_1' }))),
  together('web token: an opaque one while there are no keys', message(from({ authorization: 'Bearer x.y.z' }))),
]

const byWebToken: readonly GoldenRequest[] = [
  ...webTokens.map(({ title }, index) =>
    together(`web token: ${title}`, message(from({ authorization: `Bearer $JWT_${String(index)}` }))),
  ),
  together(
    'web token: create, list and delete',
    create(plant, from({ authorization: 'Bearer $JWT_0', isLast: false })),
    message(from({ authorization: 'Bearer $JWT_0', isLast: false })),
    remove('1', from({ authorization: 'Bearer $JWT_0' })),
  ),
]

const padded = (size: number) => plant + ' '.repeat(size - plant.length)

const small: readonly GoldenRequest[] = [199, 200, 201, 10_000].map((size) =>
  together(
    `body limit: ${String(size)} bytes`,
    create(padded(size), from({ authorization: `Bearer ${tokens.scoped}`, isLast: false })),
    remove('1', from({ authorization: `Bearer ${tokens.scoped}` })),
  ),
)

/** In their order, one at a time: the counts of a rate depend on it. */
export const configured: readonly GoldenRequest[] = [
  ...cors,
  ...byWebToken,
  ...ofCaller,
  ...ofAddress,
  ...neighbours,
  ...small,
]

const head = create(plant).subarray(0, -plant.length)

/** What does not arrive in time, all at once: each takes some seconds. */
export const late: readonly GoldenRequest[] = [
  together('late: nothing'),
  together('late: a line end', '\r\n'),
  together('late: half a request line', 'GET /pla'),
  together('late: half a field', 'GET /plants HTTP/1.1\r\nHos'),
  together('late: fields without an end', 'GET /plants HTTP/1.1\r\nHost: a\r\n'),
  together('late: no content', head),
  together('late: half of the content', head, plant.slice(0, 5)),
  together('late: half a chunk', create('', { length: null, fields: ['Transfer-Encoding: chunked'] }), '13\r\n{"id"'),
  together(
    'late: content that was never invited',
    create(plant, { fields: ['Expect: something'] }).subarray(0, -plant.length),
  ),
  together(
    'late: content of a refused request',
    create(plant, from({ authorization: null, isLast: false })).subarray(0, -plant.length),
  ),
  together('late: the next request', message(from({ target: '/livez', isLast: false }))),
  together(
    'late: content that is too large',
    create(plant, from({ authorization: `Bearer ${tokens.many}`, length: '9007199254740993', isLast: false })),
  ),
  together(
    'late: behind HTTP/1.0 that stays',
    message(from({ target: '/livez', version: 'HTTP/1.0', fields: ['Connection: keep-alive'], isLast: false })),
  ),
]

const each: readonly (readonly [string, Buffer])[] = [
  ['list', message()],
  ['create', create('{"id":77,"name":"a"}')],
  ['delete', remove('77')],
  ['unknown token', message(from({ authorization: `Bearer plst_${'a'.repeat(43)}` }))],
  ['no token', message(from({ authorization: null }))],
  ['bad request', message({ target: '/plants?limit=x' })],
  ['readyz', message({ target: '/readyz', authorization: null })],
  ['livez', message({ target: '/livez', authorization: null })],
]

/** What is asked while the database is away, broken, or the server about to stop. */
export function asked(when: string): readonly GoldenRequest[] {
  return each.map(([title, bytes]) => together(`${when}: ${title}`, bytes))
}

/** The same on connections that stay, as far as the server lets them. */
export function askedToStay(when: string): readonly GoldenRequest[] {
  const stays = { isLast: false }
  return [
    ended(`${when}: list and readyz`, message(stays), message({ target: '/readyz', authorization: null, ...stays })),
    ended(`${when}: readyz and list`, message({ target: '/readyz', authorization: null, ...stays }), message(stays)),
    ended(`${when}: bytes that are no request`, raw('x\r\n\r\n')),
  ]
}
