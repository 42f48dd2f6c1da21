import { createHmac, generateKeyPairSync } from 'node:crypto'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, type JWTPayload, SignJWT, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createJwtVerifier } from '../../src/auth/jwt.ts'
import { expectFailure } from '../support/responses/expected-contract.ts'
import { type OnFinished, startApp } from '../support/server/start-app.ts'
import { readPlants, shownPlant, storedPlant } from '../support/plants.ts'

const issuer = 'https://id.example'
const audience = 'plant-store'
const alice = { caller: `jwt:${issuer} alice`, scope: undefined }

interface Key {
  kid: string
  alg: string
  privateKey: CryptoKey
  publicKey: CryptoKey
}

async function newKey(kid: string, alg = 'ES256'): Promise<Key> {
  return { kid, alg, ...(await generateKeyPair(alg, { extractable: true })) }
}

const [published, second, foreign] = await Promise.all(['first', 'second', 'foreign'].map((kid) => newKey(kid)))

const publicKey = await exportJWK(published!.publicKey)

/** Starts a key server and makes a verifier that uses it. */
async function startProvider(onFinished: OnFinished = onTestFinished) {
  let keys: unknown[] = []
  const respondWith = (status: number) => (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
  let respondNow: (response: ServerResponse) => void = respondWith(200)
  let fetches = 0
  const server = createServer((_request, response) => {
    fetches++
    respondNow(response)
  })
  const start = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await start(0)
  onFinished(stop)
  const publish = async (...all: Key[]) => {
    keys = await Promise.all(
      all.map(async ({ kid, alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' })),
    )
  }
  await publish(published!)
  const faults: Error[] = []
  // The port of a server that listens is a number.
  const { port } = server.address() as AddressInfo
  const jwksUrl = `http://127.0.0.1:${String(port)}/jwks`
  return {
    verify: createJwtVerifier({ jwksUrl, issuer, audience }, Date.now, (error) => void faults.push(error)),
    faults,
    publish,
    /** Publishes further members of the key set, which may be no keys. */
    publishBeside: (...others: unknown[]) => void (keys = [...keys, ...others]),
    fetches: () => fetches,
    respondWith: (status: number) => void (respondNow = respondWith(status)),
    respond: (respond: (response: ServerResponse) => void) => void (respondNow = respond),
    stop,
    restart: () => start(port),
  }
}

const now = () => Math.floor(Date.now() / 1000)

function sign(claims: Record<string, unknown> = {}, { kid, alg, privateKey }: Key = published!): Promise<string> {
  // Some tests need claims of a wrong type.
  const payload = { iss: issuer, aud: audience, sub: 'alice', exp: now() + 300, ...claims } as JWTPayload
  return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(privateKey)
}

/** Puts the claims of a token under another header, signed by HMAC if there is a secret. */
function forge(header: object, token: string, secret = ''): string {
  const signed = `${encode(header)}.${token.split('.')[1] ?? ''}`
  return `${signed}.${secret === '' ? '' : createHmac('sha256', secret).update(signed).digest('base64url')}`
}

function encode(value: object): string {
  return encodeText(JSON.stringify(value))
}

function encodeText(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** Valid headers and claims with further members, in a length whose base64 ends with `=`. */
const headerText = (more = '') => padded(`{"alg":"ES256","kid":"first"${more}`)
const claimsText = (more = '') =>
  padded(`{"iss":"${issuer}","aud":"${audience}","sub":"alice","exp":${String(now() + 300)}${more}`)

function padded(members: string): string {
  return `${members.padEnd(Math.ceil((members.length + 2) / 3) * 3 - 2)}}`
}

/** Signs two encoded parts with the published key, well-formed or not. */
async function signParts(header: string, claims: string): Promise<string> {
  const signed = `${header}.${claims}`
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(algorithm, published!.privateKey, Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

/** Sets a bit of the last character that decoders drop: another text for the same bytes. */
function withUnusedBit(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return part.slice(0, -1) + alphabet.charAt(alphabet.indexOf(part.slice(-1)) + 1)
}

describe('over HTTP', () => {
  test('a JSON Web Token acts for its subject, never for the caller of an opaque token', async () => {
    const { send, store, issueToken } = await startApp({ verifyJwt: (await startProvider()).verify })
    const listAs = (token: string) =>
      send({ method: 'GET', url: '/plants', headers: { authorization: `Bearer ${token}` } })
    const listed = async (token: string) => readPlants((await listAs(token)).text)
    await store.create(alice.caller, storedPlant({ id: 1n, name: 'hers' }))
    await store.create('alice', storedPlant({ id: 1n, name: 'of another alice' }))
    expect(await listed(await sign())).toEqual([shownPlant({ name: 'hers' })])
    expect(await listed(await sign({ sub: 'bob' }))).toEqual([])
    expect(await listed(await issueToken('alice'))).toEqual([shownPlant({ name: 'of another alice' })])
    expectFailure(await listAs(await issueToken(alice.caller)), 'token_invalid')
    expectFailure(await listAs(await sign({ exp: now() - 31 })), 'token_invalid')
  })

  test('JSON Web Tokens get 503 while the key set is empty; opaque tokens still work', async () => {
    const { verify, publish } = await startProvider()
    const { send } = await startApp({ verifyJwt: verify })
    const get = { method: 'GET', url: '/plants' }
    await publish()
    const refused = await send({ ...get, headers: { authorization: `Bearer ${await sign()}` } })
    expectFailure(refused, 'unavailable')
    expect(refused.headers['retry-after']).toBe('1')
    expect((await send(get)).status).toBe(200)
  })
})

describe('the JSON Web Token parser', () => {
  const header = encodeText(headerText())
  const claims = encodeText(claimsText())
  const of = (moreHeader: string, moreClaims = '') =>
    signParts(encodeText(headerText(moreHeader)), encodeText(claimsText(moreClaims)))
  /** `>>>`, `???` and `~~~` in claims give every character in which base64url and base64 differ. */
  const standard = (text: string) => Buffer.from(text).toString('base64').replaceAll('=', '')
  const signed = () => signParts(header, claims)

  test.each<[string, () => Promise<string>]>([
    ['padding of the header', () => signParts(`${header}=`, claims)],
    ['padding of the signature', async () => `${await signed()}==`],
    ['an unused bit in the signature', async () => withUnusedBit(await signed())],
    ['a space behind the signature', async () => `${await signed()} `],
    ['base64 in the claims', () => signParts(header, standard(claimsText(',"x":">>>???~~~"')))],
    ['no signature', async () => (await signed()).replace(/[^.]*$/, '')],
    ['no claims', () => signParts(header, '')],
    ['five parts', async () => `${await signed()}.a.b`],
    ['an unknown critical parameter', () => of(',"crit":["x"],"x":1')],
    ['a payload that only says that it is not encoded', () => of(',"b64":false')],
    ['a parameter twice in the header', () => of(',"kid":"first"')],
    ['a claim twice', () => of('', ',"sub":"bob"')],
  ])('refuses a token with %s', async (_what, make) => {
    const { verify } = await startProvider()
    expect(await verify(await make())).toBe('unknown')
  })

  test('accepts a lone surrogate in a claim that the service does not read', async () => {
    const { verify } = await startProvider()
    expect(await verify(await of('', ',"name":"\\ud83d"'))).toEqual(alice)
  })
})

describe('a signed token', () => {
  test.each(['RS256', 'PS512', 'ES384', 'Ed25519'])('may be signed with %s', async (alg) => {
    const { verify, publish } = await startProvider()
    const key = await newKey('other', alg)
    await publish(published!, key)
    expect(await verify(await sign({}, key))).toEqual(alice)
  })

  test.each<[string, () => Promise<string> | string]>([
    ['it has expired', () => sign({ exp: now() - 31 })],
    ['it has no expiry', () => sign({ exp: undefined })],
    ['its issuer is another', () => sign({ iss: 'https://evil.example' })],
    ['its audience is another', () => sign({ aud: 'other-service' })],
    ['it has no subject', () => sign({ sub: undefined })],
    ['its subject contains U+0000', () => sign({ sub: 'a\0b' })],
    ['its subject contains a lone surrogate', () => sign({ sub: 'a\ud800' })],
    ['its subject is too long', () => sign({ sub: 'a'.repeat(256) })],
    ['its scopes are a number', () => sign({ scope: 1 })],
    ['one of its scopes contains a space', () => sign({ scp: ['read', 'write admin'] })],
    ['another key has the same name', async () => sign({}, await newKey('first'))],
    ['its alg is none', async () => forge({ alg: 'none', kid: 'first' }, await sign())],
    [
      'it is signed by HMAC with the public key',
      async () => forge({ alg: 'HS256', kid: 'first' }, await sign(), await exportSPKI(published!.publicKey)),
    ],
    [
      'it brings its own key',
      async () =>
        new SignJWT({ sub: 'alice', iss: issuer, aud: audience, exp: now() + 60 })
          .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(foreign!.publicKey) })
          .sign(foreign!.privateKey),
    ],
  ])('is refused if %s', async (_name, make) => {
    const { verify, faults, publish } = await startProvider()
    await publish(published!, second!)
    expect(await verify(await make())).toBe('unknown')
    expect(faults).toEqual([])
  })

  test.each<[Record<string, unknown>, string | undefined]>([
    [{}, undefined],
    [{ scope: 'read write' }, 'read write'],
    [{ scope: ['read', 'write'] }, 'read write'],
    [{ scp: ['read', 'write'] }, 'read write'],
    [{ scp: [] }, ''],
    [{ scope: 'read', scp: 'admin' }, 'read'],
  ])('with the claims %j has the scopes %j', async (claims, scope) => {
    const { verify } = await startProvider()
    expect(await verify(await sign(claims))).toStrictEqual({ ...alice, scope })
  })

  test('is valid within 30 seconds of clock skew', async () => {
    const { verify } = await startProvider()
    expect(await verify(await sign({ exp: now() - 20, nbf: now() + 20 }))).toEqual(alice)
  })
})

describe('the key server', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() })
    return () => void vi.useRealTimers()
  })

  test('is asked once for many tokens, and again when a token names a new key', async () => {
    const { verify, publish, fetches } = await startProvider()
    await Promise.all(Array.from({ length: 10 }, async () => verify(await sign())))
    expect(fetches()).toBe(1)
    await publish(second!)
    vi.advanceTimersByTime(30_000)
    expect(await verify(await sign({}, second))).toEqual(alice)
    expect(await verify(await sign())).toBe('unknown')
    expect(fetches()).toBe(2)
  })

  test('is not asked again for each token with an unknown key', async () => {
    const { verify, fetches } = await startProvider()
    for (let count = 0; count < 5; count++) expect(await verify(await sign({}, foreign))).toBe('unknown')
    vi.advanceTimersByTime(29_000)
    expect(await verify(await sign({}, foreign))).toBe('unknown')
    expect(fetches()).toBe(1)
  })

  test('is not asked about a token that no key can verify', async () => {
    const { verify, fetches } = await startProvider()
    for (const token of [forge({ alg: 'HS256' }, await sign(), 'secret'), 'abc', 'a.b.c'])
      expect(await verify(token)).toBe('unknown')
    expect(fetches()).toBe(0)
  })

  test.each([-3_600_000, 0, 3_600_000])(
    'is asked again after ten minutes, even if the clock is set by %i ms',
    async (step) => {
      const { verify, publish, fetches } = await startProvider()
      expect(await verify(await sign())).toEqual(alice)
      await publish(second!)
      vi.setSystemTime(Date.now() + step)
      vi.advanceTimersByTime(599_000)
      expect(await verify(await sign())).toEqual(alice)
      expect(fetches()).toBe(1)
      vi.advanceTimersByTime(1_000)
      expect(await verify(await sign())).toBe('unknown')
      expect(await verify(await sign({}, second))).toEqual(alice)
      expect(fetches()).toBe(2)
    },
  )

  test('is asked again a second after a failure, and each unchecked token is a fault', async () => {
    const { verify, respondWith, faults, fetches } = await startProvider()
    respondWith(500)
    const token = await sign()
    for (let count = 0; count < 6; count++) expect(await verify(token)).toBe('unavailable')
    expect(fetches()).toBe(1)
    vi.advanceTimersByTime(10_000)
    expect(await verify(token)).toBe('unavailable')
    expect(fetches()).toBe(2)
    const fault = expect.stringMatching(/^Error: the keys of 127\.0\.0\.1:\d+ are not available$/) as string
    expect(faults.map(String)).toEqual(Array(7).fill(fault))
    respondWith(200)
    vi.advanceTimersByTime(1_000)
    expect(await verify(token)).toEqual(alice)
  })

  test('is not asked for each token while it is down; its last keys stay valid', async () => {
    const { verify, stop, restart, publish, fetches, faults } = await startProvider()
    expect(await verify(await sign())).toEqual(alice)
    await stop()
    vi.advanceTimersByTime(30_000)
    for (let round = 0; round < 3; round++) {
      const tokens = [await sign(), await sign({}, second)]
      expect(await Promise.all(tokens.map((token) => verify(token)))).toEqual([alice, 'unavailable'])
    }
    await publish(published!, second!)
    await restart()
    expect(await verify(await sign({}, second))).toBe('unavailable')
    vi.advanceTimersByTime(1_000)
    expect(await verify(await sign({}, second))).toEqual(alice)
    expect({ fetches: fetches(), faults: faults.length }).toEqual({ fetches: 2, faults: 4 })
  })
})

/** Sends a key set with these keys, or with another value instead. */
const sendKeys = (keys: unknown) => (response: ServerResponse) => void response.end(JSON.stringify({ keys }))

/** Bad responses of a key server. */
const badResponses: [string, (response: ServerResponse) => void][] = [
  ['404', (response) => void response.writeHead(404).end('{"keys":[]}')],
  ['a redirect to good keys', (response) => void response.writeHead(302, { location: '/jwks' }).end()],
  ['half a key set', (response) => void response.end('{"keys":[')],
  ['keys that are no list', sendKeys({})],
  ['no object in the set', sendKeys([null, 1, 'a', []])],
  ['a set with a private key', sendKeys([await exportJWK(published!.privateKey)])],
  [
    'a set with malformed keys',
    sendKeys([
      { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
      { ...publicKey, x: '!' },
    ]),
  ],
  ['a response that grows without end', sendWithoutEnd],
  ['no response', () => undefined],
  [
    'a connection that is reset in the response',
    (response) => void response.write('{"keys":[', () => response.socket?.resetAndDestroy()),
  ],
]

function sendWithoutEnd(response: ServerResponse): void {
  const send = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', send)
  send()
}

test.concurrent.for(badResponses)(
  'a bad response of the key server makes tokens unavailable in time: %s',
  async ([_name, respond], context) => {
    const provider = await startProvider(context.onTestFinished)
    provider.respond(respond)
    const tokens = [await sign(), await sign(), await sign({}, foreign), forge({ alg: 'ES256' }, await sign(), 'x')]
    const results = await Promise.all(tokens.map((token) => provider.verify(token)))
    context.expect(results).toEqual(tokens.map(() => 'unavailable'))
    context.expect({ fetches: provider.fetches(), faults: provider.faults.length }).toEqual({ fetches: 1, faults: 4 })
  },
)

describe('a key of the set', () => {
  const point = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey

  test.each<[string, unknown, 'unavailable' | 'unknown']>([
    ['a point that is none', point, 'unavailable'],
    ['a private key', privateKey.export({ format: 'jwk' }), 'unavailable'],
    ['a weak one', weak.export({ format: 'jwk' }), 'unavailable'],
    ['a key for encryption', { ...point, use: 'enc' }, 'unknown'],
  ])('affects only its own tokens if it is weak or malformed: %s', async (_name, key, result) => {
    const { verify, publishBeside, faults } = await startProvider()
    // Members that are no keys do no harm either.
    publishBeside({ ...(key as object), kid: 'broken' }, null, 'a', [], {}, { kid: 'first' })
    const alg = (key as { kty: string }).kty === 'RSA' ? 'RS256' : 'ES256'
    expect(await verify(forge({ alg, kid: 'broken' }, await sign(), 'x'))).toBe(result)
    expect(faults).toHaveLength(result === 'unavailable' ? 1 : 0)
    expect(await verify(await sign())).toEqual(alice)
  })

  test('is reported if its name is not unique; a token without a key name is not', async () => {
    const { verify, publish, faults } = await startProvider()
    await publish(published!, await newKey('first'))
    expect(await verify(forge({ alg: 'ES256' }, await sign(), 'x'))).toBe('unknown')
    expect(faults).toEqual([])
    expect(await verify(await sign())).toBe('unavailable')
    expect(faults).toHaveLength(1)
  })
})
