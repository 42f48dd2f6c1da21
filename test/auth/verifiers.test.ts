import type { FastifyRequest } from 'fastify'
import { sealContract } from 'fastify-contract/document'
import { expect, test } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
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
