import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, type JWTPayload, SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createJwtVerifier } from '../../src/auth/jwt.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { startApp } from '../support/server/start-app.ts'

const issuer = 'https://id.example'
const audience = 'plant-store'
const get = { method: 'GET', url: '/plants' }

interface Key {
  kid: string
  alg: string
  privateKey: CryptoKey
  publicKey: CryptoKey
}

async function newKey(kid: string, alg = 'ES256'): Promise<Key> {
  return { kid, alg, ...(await generateKeyPair(alg, { extractable: true })) }
}

const published = await newKey('first')

/** A key server, an application that asks it, and a provider that signs. */
async function startProvider() {
  let keys: unknown[] = []
  const answerWith = (status: number) => (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
  let answer: (response: ServerResponse) => void = answerWith(200)
  let fetches = 0
  const server = createServer((_request, response) => {
    fetches++
    answer(response)
  })
  const start = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await start(0)
  onTestFinished(stop)
  const publish = async (...all: Key[]) => {
    keys = await Promise.all(
      all.map(async ({ kid, alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' })),
    )
  }
  await publish(published)
  const faults: Error[] = []
  // The port of a server that listens is a number.
  const { port } = server.address() as AddressInfo
  const jwksUrl = `http://127.0.0.1:${String(port)}/jwks`
  const verifyJwt = createJwtVerifier({ jwksUrl, issuer, audience }, Date.now, (error) => void faults.push(error))
  const app = await startApp({ verifyJwt })
  return {
    ...app,
    faults,
    publish,
    /** Publishes what may be no keys beside those that are. */
    publishBeside: (...others: unknown[]) => void (keys = [...keys, ...others]),
    fetches: () => fetches,
    answerWith: (status: number) => void (answer = answerWith(status)),
    respond: (respond: (response: ServerResponse) => void) => void (answer = respond),
    stop,
    verifyJwt,
    restart: () => start(port),
    sendAs: (token: string) => app.send({ ...get, headers: { authorization: `Bearer ${token}` } }),
  }
}

const now = () => Math.floor(Date.now() / 1000)

interface Claims {
  iss?: string
  aud?: string | string[]
  sub?: unknown
  exp?: number
  nbf?: number
  scope?: unknown
  scp?: unknown
}

function sign(claims: Claims = {}, { kid, alg, privateKey }: Key = published): Promise<string> {
  // A claim of a wrong type is what some of the tests are about.
  const payload = { iss: issuer, aud: audience, sub: 'alice', exp: now() + 300, ...claims } as JWTPayload
  return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(privateKey)
}

describe('a JSON Web Token', () => {
  test('acts for its subject, who has plants of its own', async () => {
    const { store, sendAs } = await startProvider()
    await store.create(`jwt:${issuer} alice`, { id: 1n, name: 'hers' })
    await store.create('alice', { id: 1n, name: 'of another alice' })
    expect((await sendAs(await sign())).text).toBe('[{"name":"hers"}]')
    expect((await sendAs(await sign({ sub: 'bob' }))).text).toBe('[]')
  })

  test.each(['RS256', 'PS512', 'ES384', 'Ed25519'])('may be signed with %s', async (alg) => {
    const { sendAs, publish } = await startProvider()
    const key = await newKey('other', alg)
    await publish(published, key)
    expect((await sendAs(await sign({}, key))).status).toBe(200)
  })

  test.each<[string, () => Promise<string> | string]>([
    ['an expired one', () => sign({ exp: now() - 31 })],
    ['one that is not valid yet', () => sign({ nbf: now() + 60 })],
    ['one without an end', () => sign({ exp: undefined as unknown as number })],
    ['one of another issuer', () => sign({ iss: 'https://evil.example' })],
    ['one of an issuer whose name begins alike', () => sign({ iss: `${issuer}.evil.example` })],
    ['one for another audience', () => sign({ aud: 'other-service' })],
    ['one for other audiences', () => sign({ aud: ['a', 'b'] })],
    ['one without an audience', () => sign({ aud: undefined as unknown as string })],
    ['one without a subject', () => sign({ sub: undefined })],
    ['one of nobody', () => sign({ sub: '' })],
    ['one whose subject is a number', () => sign({ sub: 1 })],
    ['one whose subject no store keeps: U+0000', () => sign({ sub: 'a\0b' })],
    ['one whose subject no store keeps: a lone surrogate', () => sign({ sub: 'a\ud800' })],
    ['one whose subject is too long', () => sign({ sub: 'a'.repeat(256) })],
    ['one whose scopes are a number', () => sign({ scope: 1 })],
    ['one whose scopes are nothing', () => sign({ scope: null })],
    ['one of whose scopes one is two', () => sign({ scp: ['read', 'write admin'] })],
    ['one with another key under the same name', async () => sign({}, await newKey('first'))],
    ['one with a key that is not published', async () => sign({}, await newKey('unpublished'))],
    [
      'one without a signature',
      () => new UnsecuredJWT({ sub: 'alice' }).setIssuer(issuer).setAudience(audience).setExpirationTime('5m').encode(),
    ],
    ['one with alg none and a key', async () => forge({ alg: 'none', kid: 'first' }, await sign(), '')],
    [
      'one signed by HMAC with the public key',
      async () => forge({ alg: 'HS256', kid: 'first' }, await sign(), await exportSPKI(published.publicKey)),
    ],
    ['one whose claims were changed', async () => changed(await sign(), { sub: 'bob' })],
    ['one that is cut', async () => (await sign()).slice(0, -4)],
    [
      'one that brings its own key',
      async () =>
        new SignJWT({ sub: 'alice', iss: issuer, aud: audience, exp: now() + 60 })
          .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK((await foreign).publicKey) })
          .sign((await foreign).privateKey),
    ],
    [
      'one with a critical extension that is not known',
      async () => forge({ alg: 'ES256', kid: 'first', crit: ['x'], x: 1 }, await sign(), ''),
    ],
    ['what is no token at all', () => 'a.b.c'],
  ])('is refused: %s', async (_name, make) => {
    const { sendAs, faults, publish } = await startProvider()
    await publish(published, await newKey('second'))
    expectFailure(await sendAs(await make()), 'token_invalid')
    expect(faults).toEqual([])
  })

  test.each<[Claims, string | undefined]>([
    [{}, undefined],
    [{ scope: 'read write' }, 'read write'],
    [{ scope: '' }, ''],
    [{ scope: ['read', 'write'] }, 'read write'],
    [{ scp: 'read' }, 'read'],
    [{ scp: ['read', 'write'] }, 'read write'],
    [{ scp: [] }, ''],
    [{ scope: 'read', scp: 'admin' }, 'read'],
  ])('with the claims %j has the scopes %j', async (claims, scope) => {
    const { verifyJwt } = await startProvider()
    expect(await verifyJwt(await sign(claims))).toStrictEqual({ caller: `jwt:${issuer} alice`, scope })
  })

  test('is honoured within half a minute of clock skew', async () => {
    const { sendAs } = await startProvider()
    expect((await sendAs(await sign({ exp: now() - 20 }))).status).toBe(200)
    expect((await sendAs(await sign({ nbf: now() + 20 }))).status).toBe(200)
  })

  test('never acts for the caller of an opaque token, whatever either is called', async () => {
    const { sendAs, issueToken } = await startProvider()
    expectFailure(await sendAs(await issueToken(`jwt:${issuer} alice`)), 'token_invalid')
    expect((await sendAs(await issueToken('alice'))).status).toBe(200)
  })

  test('is not asked for where there is no provider', async () => {
    const { send } = await startApp()
    expectFailure(await send({ ...get, headers: { authorization: `Bearer ${await sign()}` } }), 'token_invalid')
  })
})

describe('the key server', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    return () => void vi.useRealTimers()
  })

  test('is asked once for many tokens, and again when a token names a new key', async () => {
    const { sendAs, publish, fetches } = await startProvider()
    await Promise.all(Array.from({ length: 10 }, async () => sendAs(await sign())))
    expect(fetches()).toBe(1)
    const second = await newKey('second')
    await publish(second)
    vi.advanceTimersByTime(31_000)
    expect((await sendAs(await sign({}, second))).status).toBe(200)
    expectFailure(await sendAs(await sign()), 'token_invalid')
    expect(fetches()).toBe(2)
  })

  test('cannot be made to answer for each token with an unknown key', async () => {
    const { sendAs, fetches } = await startProvider()
    const unknown = await newKey('unknown')
    for (let count = 0; count < 5; count++) expectFailure(await sendAs(await sign({}, unknown)), 'token_invalid')
    expect(fetches()).toBe(1)
  })

  test.each([500, 404, 302])(
    'that answers %i makes the service unavailable to JSON Web Tokens, and to no other',
    async (status) => {
      const { sendAs, answerWith, faults, send } = await startProvider()
      answerWith(status)
      const refused = await sendAs(await sign())
      expectFailure(refused, 'unavailable')
      expect(refused.headers['retry-after']).toBe('1')
      expect(faults.map(({ message }) => message)).toEqual([
        expect.stringMatching(
          /^the keys of 127\.0\.0\.1:\d+ are not available; JSON Web Tokens that could not be checked: 1$/,
        ),
      ])
      expect((await send(get)).status).toBe(200)
      answerWith(200)
      vi.advanceTimersByTime(1_000)
      expect((await sendAs(await sign())).status).toBe(200)
    },
  )

  test('that nobody reaches does so too, and is told to the log', async () => {
    const faults: Error[] = []
    const { send } = await startApp({
      verifyJwt: createJwtVerifier(
        { jwksUrl: 'http://127.0.0.1:1/jwks', issuer, audience },
        Date.now,
        (error) => void faults.push(error),
      ),
    })
    expectFailure(await send({ ...get, headers: { authorization: `Bearer ${await sign()}` } }), 'unavailable')
    expect(faults).toHaveLength(1)
  })

  test('is not asked about a token that no key could make good', async () => {
    const { sendAs, fetches } = await startProvider()
    for (const token of [forge({ alg: 'HS256' }, await sign(), 'secret'), 'abc', 'a.b.c'])
      expectFailure(await sendAs(token), 'token_invalid')
    expect(fetches()).toBe(0)
  })
})

/** What a key server sends that keeps no rule. */
const badAnswers: [string, (response: ServerResponse) => void][] = [
  ['no JSON', (response) => void response.end('<html>')],
  ['nothing', (response) => void response.end()],
  ['no object', (response) => void response.end('[]')],
  ['no keys', (response) => void response.end('{"keys":{}}')],
  ['JSON that is nested too deeply', (response) => void response.end(`{"keys":${'['.repeat(500_000)}`)],
  [
    'a key that is nested too deeply',
    (response) => void response.end(`{"keys":[{"kid":${'['.repeat(250_000)}${']'.repeat(250_000)}}]}`),
  ],
  ['10 MB', (response) => void response.end(`{"keys":[]}${' '.repeat(10_000_000)}`)],
  ['an answer that grows without end', sendWithoutEnd],
  ['an answer that never ends', (response) => void response.write('{"keys":[')],
  ['no answer', () => undefined],
  ['a connection that is reset', ({ socket }) => void socket?.resetAndDestroy()],
  [
    'a connection that is reset in the answer',
    (response) => void response.write('{"keys":[', () => response.socket?.resetAndDestroy()),
  ],
  ['what is no HTTP', ({ socket }) => void socket?.end('nonsense\r\n\r\n')],
  ['a redirect to good keys', (response) => void response.writeHead(302, { location: '/jwks' }).end()],
]

function sendWithoutEnd(response: ServerResponse): void {
  const send = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', send)
  send()
}

/** RSA keys of a length that jose neither makes nor signs with. */
const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 })

function signWeakly(token: string): string {
  const signed = `${encode({ alg: 'RS256', kid: 'weak' })}.${token.split('.')[1] ?? ''}`
  return `${signed}.${signBytes('sha256', Buffer.from(signed), weak.privateKey).toString('base64url')}`
}

describe('a key server that is at fault', () => {
  test.for(badAnswers)('is no reason to fail, to wait for long or to let anybody in: %s', async ([_name, respond]) => {
    const provider = await startProvider()
    provider.respond(respond)
    const tokens = [
      await sign(),
      await sign(),
      await sign({}, await newKey('unknown')),
      forge({ alg: 'ES256' }, await sign(), 'x'),
    ]
    for (const response of await Promise.all(tokens.map((token) => provider.sendAs(token))))
      expectFailure(response, 'unavailable')
    expect(provider.fetches()).toBe(1)
    expect(provider.faults).toHaveLength(1)
    expect((await provider.send(get)).status).toBe(200)
  })

  test('is not asked for each token while it is down, is reported once, and is asked again soon', async () => {
    const { sendAs, stop, restart, fetches, faults, logLines } = await startProvider()
    await stop()
    const token = await sign()
    const startedAt = performance.now()
    for (let round = 0; round < 5; round++) {
      for (const response of await Promise.all(Array.from({ length: 20 }, () => sendAs(token))))
        expectFailure(response, 'unavailable')
    }
    expect(faults).toHaveLength(1)
    expect(fetches()).toBe(0)
    await restart()
    await expect.poll(async () => (await sendAs(token)).status, { timeout: 10_000 }).toBe(200)
    expect(fetches()).toBe(1)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(faults).toHaveLength(1)
    expect(logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([])
  })

  test('is reported with the number of tokens that could not be checked', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { sendAs, answerWith, faults, fetches } = await startProvider()
    answerWith(500)
    const token = await sign()
    for (let count = 0; count < 6; count++) await sendAs(token)
    expect(fetches()).toBe(1)
    vi.advanceTimersByTime(10_000)
    await sendAs(token)
    expect(fetches()).toBe(2)
    expect(faults.map(({ message }) => / (\d+)$/.exec(message)?.[1])).toEqual(['1', '6'])
  })

  test('keeps no old keys when the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const { sendAs, publish, fetches } = await startProvider()
    expect((await sendAs(await sign())).status).toBe(200)
    vi.advanceTimersByTime(600_000)
    vi.setSystemTime(Date.now() - 3_600_000)
    const second = await newKey('second')
    await publish(second)
    expectFailure(await sendAs(await sign()), 'token_invalid')
    expect((await sendAs(await sign({}, second))).status).toBe(200)
    expect(fetches()).toBe(2)
  })

  test('spoils with a weak key the tokens of that key alone', async () => {
    const { sendAs, publishBeside, faults } = await startProvider()
    publishBeside({ ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256' })
    expectFailure(await sendAs(signWeakly(await sign())), 'unavailable')
    expect(faults.map(({ cause }) => String(cause))).toEqual([
      'TypeError: RS256 requires key modulusLength to be 2048 bits or larger',
    ])
    expect((await sendAs(await sign())).status).toBe(200)
  })

  test.for<[string, unknown, 'unavailable' | 'token_invalid']>([
    ['a point that is none', { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', alg: 'ES256' }, 'unavailable'],
    ['no point', { kty: 'EC', crv: 'P-256' }, 'unavailable'],
    ['texts that are no Base64', { kty: 'EC', crv: 'P-256', x: '{', y: 1, alg: 'ES256' }, 'unavailable'],
    [
      'a private key',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
      'unavailable',
    ],
    ['another type', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }, 'token_invalid'],
    ['a type that nobody knows', { kty: 'new', x: 'AAAA' }, 'token_invalid'],
    ['a curve that nobody knows', { kty: 'EC', crv: 'P-1', x: 'AAAA', y: 'AAAA' }, 'token_invalid'],
    ['an algorithm that is none', { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', alg: 1 }, 'token_invalid'],
    ['a secret', { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }, 'token_invalid'],
    ['a key for encryption', { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', use: 'enc' }, 'token_invalid'],
    [
      'key operations that are no list',
      { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', key_ops: 'verify' },
      'token_invalid',
    ],
    ['a type that is no text', { kty: { EC: true } }, 'token_invalid'],
  ])('spoils with a malformed key the tokens of that key alone: %s', async ([_name, key, failure]) => {
    const { sendAs, publishBeside, faults } = await startProvider()
    publishBeside({ ...(key as object), kid: 'broken' })
    expectFailure(await sendAs(forge({ alg: 'ES256', kid: 'broken' }, await sign(), 'x')), failure)
    expect(faults).toHaveLength(failure === 'unavailable' ? 1 : 0)
    expect((await sendAs(await sign())).status).toBe(200)
  })

  test('spoils nothing with members that are no keys, and lets nobody in with none at all', async () => {
    const { sendAs, publishBeside } = await startProvider()
    publishBeside(null, 1, 'a', [], {}, { kid: 'first' }, { kid: 1 })
    expect((await sendAs(await sign())).status).toBe(200)
    const empty = await startProvider()
    await empty.publish()
    expectFailure(await empty.sendAs(await sign()), 'token_invalid')
  })

  test('that gives two keys one name is logged, and a token that names no key is not', async () => {
    const { sendAs, publish, faults } = await startProvider()
    await publish(published, await newKey('first'))
    expectFailure(await sendAs(forge({ alg: 'ES256' }, await sign(), 'x')), 'token_invalid')
    expect(faults).toEqual([])
    expectFailure(await sendAs(await sign()), 'unavailable')
    expect(faults).toHaveLength(1)
  })
})

const foreign = newKey('foreign')

/** The claims of a token under another header, signed by HMAC where there is a secret. */
function forge(header: object, token: string, secret: string): string {
  const signed = `${encode(header)}.${token.split('.')[1] ?? ''}`
  return `${signed}.${secret === '' ? '' : createHmac('sha256', secret).update(signed).digest('base64url')}`
}

function changed(token: string, claims: object): string {
  const [header, payload = '', signature] = token.split('.')
  return [
    header,
    encode({ ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), ...claims }),
    signature,
  ].join('.')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
