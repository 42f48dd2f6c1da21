import type { FastifyRequest } from 'fastify'
import { sealContract } from 'fastify-contract/document'
import { expect, test } from 'vitest'
import { createToken, hashToken } from '../../src/auth/tokens.ts'
import { type FoundCaller, type VerifierOptions, createVerifiers } from '../../src/auth/verifiers.ts'
import type { TokenStore } from '../../src/store/store.ts'

const now = 1_800_000_000_000
const { text: token, stored } = createToken('me', now)
const me = { caller: 'me', scopes: 'all' }

/** Finds the one token, as a store would. */
const findCaller: TokenStore['findCaller'] = (hash) =>
  Promise.resolve(Buffer.from(hash).equals(stored.hash) ? { caller: 'me', scope: undefined } : 'unknown')

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  login: { type: 'oauth2', flows: {} },
}
type Name = keyof typeof securitySchemes

/** Makes the verifiers of a contract with these schemes. They do not look at the request. */
function create(options: Partial<VerifierOptions> = {}, names: Name[] = ['bearer', 'basic', 'key']) {
  const security = names.map((name) => ({ [name]: [] }))
  const paths = { '/': { get: { operationId: 'get', security, responses: {} } } }
  const document = JSON.stringify({ paths, components: { securitySchemes } })
  const verifiers: unknown = createVerifiers(sealContract({ document }), {
    tokens: { findCaller },
    now: () => now,
    ...options,
  })
  // A contract without generated types.
  const verifierOf = verifiers as Record<Name, (credentials: unknown, request: FastifyRequest) => Promise<FoundCaller>>
  return (name: Name, credentials: unknown = token) => verifierOf[name](credentials, {} as FastifyRequest)
}

test('a verifier returns the caller and the scopes of a token', async () => {
  expect(await create()('bearer')).toEqual(me)
  const scoped = create({ tokens: { findCaller: () => Promise.resolve({ caller: 'me', scope: 'read write' }) } })
  expect(await scoped('bearer')).toEqual({ caller: 'me', scopes: ['read', 'write'] })
})

test.each(['plst_unknown', token.slice(0, -1), `${token}x`])(
  'the unknown token %s is refused and reported',
  async (wrong) => {
    const rejected: unknown[] = []
    const verify = create({ onRejected: (request) => void rejected.push(request) })
    expect(await verify('bearer', wrong)).toBeUndefined()
    expect(rejected).toHaveLength(1)
    await verify('bearer')
    expect(rejected).toHaveLength(1)
  },
)

test('a verifier looks up the hash of the token at the time of the request', async () => {
  const asked: unknown[] = []
  const noted: unknown[] = []
  const verify = create({
    tokens: { findCaller: (...question) => (asked.push(question), findCaller(...question)) },
    noteUse: (...use) => void noted.push(use),
  })
  for (const text of [token, 'abc']) await verify('bearer', text)
  expect(asked).toEqual([
    [hashToken(token), now],
    [hashToken('abc'), now],
  ])
  // Only a valid token is used.
  expect(noted).toEqual([[hashToken(token), now]])
})

test('a verifier reports an unavailable store', async () => {
  const down = create({ tokens: { findCaller: () => Promise.resolve('unavailable') } })
  await expect(down('bearer')).rejects.toMatchObject({ failure: 'unavailable' })
})

test.each(['jwt:https://id.example alice', 'jwt:', ''])(
  "an opaque token is refused if its caller is empty or named like a JWT's: %j",
  async (caller) => {
    const forged = create({
      tokens: { findCaller: () => Promise.resolve({ caller, scope: undefined }) },
      noteUse: () => expect.unreachable(),
    })
    expect(await forged('bearer')).toBeUndefined()
  },
)

test('a token is the password of its caller or of an empty user name', async () => {
  const verify = create()
  for (const user of ['me', '']) expect(await verify('basic', { user, password: token })).toEqual(me)
  for (const [user, password] of [
    ['you', token],
    ['me', ''],
    [token, ''],
  ]) {
    expect(await verify('basic', { user, password })).toBeUndefined()
  }
})

test('API keys are opaque tokens; login schemes accept JSON Web Tokens only', async () => {
  const verifyJwt = (text: string) =>
    Promise.resolve(text === 'jwt' ? { caller: 'jwt:i alice', scope: 'read' } : ('unknown' as const))
  const verify = create({ verifyJwt }, ['key', 'login', 'bearer'])
  const alice = { caller: 'jwt:i alice', scopes: ['read'] }
  expect(await verify('key')).toEqual(me)
  expect([await verify('login', 'jwt'), await verify('bearer', 'jwt')]).toEqual([alice, alice])
  expect([await verify('login'), await verify('bearer')]).toEqual([undefined, me])
})
