import { expect, test } from 'vitest'
import { createToken, hashToken } from '../../src/auth/tokens.ts'
import { type VerifierOptions, createVerifiers } from '../../src/auth/verifiers.ts'
import type { TokenStore } from '../../src/store/store.ts'

const now = 1_800_000_000_000
const { text: token, stored } = createToken('me', now)
const me = { caller: 'me', scope: undefined }

/** Knows the one token, as any store does. */
const findCaller: TokenStore['findCaller'] = (hash) =>
  Promise.resolve(Buffer.from(hash).equals(stored.hash) ? me : 'unknown')

const create = (options: Partial<VerifierOptions> = {}) =>
  createVerifiers({ tokens: { findCaller }, now: () => now, ...options })
const createBearerVerifier = (options: Partial<VerifierOptions> = {}) => create(options).bearer!
const verify = createBearerVerifier()
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test.each([`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `bEaReR ${token}`, `Bearer    ${token}`])(
  'knows the caller of %s',
  async (authorization) => {
    expect(await verify(authorization)).toEqual(me)
  },
)

test.each([
  '',
  'Bearer',
  token,
  `Basic ${token}`,
  `Bearer:${token}`,
  `Bearer\t${token}`,
  `Bearer${token}`,
  ` Bearer ${token}`,
  `Digest realm="x", Bearer ${token}`,
])('finds no bearer credentials in %j', async (authorization) => {
  expect(await verify(authorization)).toBe('missing')
})

test.each([
  ['an empty one', 'Bearer '],
  ['an unknown one', 'Bearer plst_unknown'],
  ['one that is cut', `Bearer ${token.slice(0, -1)}`],
  ['one with more behind it', `Bearer ${token}x`],
  ['two in a list', `Bearer ${token}, Bearer ${token}`],
  ['a quoted one', `Bearer "${token}"`],
  ['one with a space behind it', `Bearer ${token} `],
  ['one with a tab before it', `Bearer \t${token}`],
  ['one with letters that no token has', `Bearer ${token}é`],
  ['one with padding in its middle', 'Bearer a=b'],
  ['a very long one', `Bearer ${'a'.repeat(1_000_000)} `],
  ['a million spaces', `Bearer${' '.repeat(1_000_000)}`],
])('refuses a token that is not valid, and takes no time for it: %s', async (_name, authorization) => {
  const startedAt = performance.now()
  expect(await verify(authorization)).toBe('unknown')
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

test('asks for the hash of the token and the time of the request, and not at all for what is no token', async () => {
  const asked: unknown[] = []
  const noted: unknown[] = []
  const noting = createBearerVerifier({
    tokens: { findCaller: (...question) => (asked.push(question), findCaller(...question)) },
    noteUse: (...use) => void noted.push(use),
  })
  for (const authorization of [`Bearer ${token}`, 'Bearer abc', 'Bearer a b', 'Basic abc']) await noting(authorization)
  expect(asked).toEqual([
    [hashToken(token), now],
    [hashToken('abc'), now],
  ])
  // Only a valid token is used.
  expect(noted).toEqual([[hashToken(token), now]])
})

test('cannot say of a token whether it is valid while the store is away', async () => {
  const down = createBearerVerifier({ tokens: { findCaller: () => Promise.resolve('unavailable') } })
  expect(await down(`Bearer ${token}`)).toBe('unavailable')
  expect(await down('Basic x')).toBe('missing')
})

test.each(['jwt:https://id.example alice', 'jwt:', ''])(
  'refuses an opaque token whose caller could be that of a JWT, or nobody: %j',
  async (caller) => {
    const forged = createBearerVerifier({
      tokens: { findCaller: () => Promise.resolve({ caller, scope: undefined }) },
      noteUse: () => expect.unreachable(),
    })
    expect(await forged(`Bearer ${token}`)).toBe('unknown')
  },
)

test.each([basic(`me:${token}`), basic(`:${token}`), basic(`:${token}`).replace('Basic', 'bAsIc  ')])(
  'a token is a password of its caller, or of no name: %s',
  async (authorization) => {
    expect(await create().basic!(authorization)).toEqual(me)
  },
)

test.each([
  ['another user', basic(`you:${token}`)],
  ['no colon', basic(token)],
  ['no password', basic('me:')],
  ['a token as the user', basic(`${token}:`)],
  ['what is not Base64', `Basic me:${token}`],
  ['two credentials', `${basic(`:${token}`)}, Basic x`],
])('a password is refused with %s', async (_what, authorization) => {
  expect(await create().basic!(authorization)).toBe('unknown')
})

test('an API key is a token as it is; a JSON Web Token is for the provider alone', async () => {
  const alice = { caller: 'jwt:i alice', scope: 'read' }
  const verifyJwt = (text: string) => Promise.resolve(text === 'jwt' ? alice : ('unknown' as const))
  const { apiKey, jwt, bearer } = create({ verifyJwt })
  expect(await apiKey!(token)).toEqual(me)
  expect([await jwt!('Bearer jwt'), await bearer!('Bearer jwt')]).toEqual([alice, alice])
  expect([await jwt!(`Bearer ${token}`), await bearer!(`Bearer ${token}`)]).toEqual(['unknown', me])
  expect(create().jwt).toBeUndefined()
})
