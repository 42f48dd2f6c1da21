import { describe, expect, it } from 'vitest'
import { createToken, hashToken } from '../../src/auth/tokens.ts'
import { type VerifierOptions, createVerifiers } from '../../src/auth/verifiers.ts'
import type { TokenStore } from '../../src/store/store.ts'

const now = 1_800_000_000_000
const { text: token, stored } = createToken('me', now, 1000)

const me = { caller: 'me', scope: undefined }

/** Knows the one token, as any store does. */
const tokens: Pick<TokenStore, 'findCaller'> = {
  findCaller: (hash, at) => Promise.resolve(Buffer.from(hash).equals(stored.hash) && at < now + 1000 ? me : 'unknown'),
}
const createBearerVerifier = (options: VerifierOptions) => createVerifiers(options).bearer!
const verify = createBearerVerifier({ tokens, now: () => now })

describe('the bearer verifier', () => {
  it.each([`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `bEaReR ${token}`, `Bearer    ${token}`])(
    'knows the caller of %s',
    async (authorization) => {
      expect(await verify(authorization)).toEqual(me)
    },
  )

  it.each([
    '',
    ' ',
    'Bearer',
    'bearer',
    token,
    'Basic bWU6c2VjcmV0',
    `Basic ${token}`,
    `Token ${token}`,
    `Bearer:${token}`,
    `Bearer=${token}`,
    `Bearer\t${token}`,
    `Bearer${token}`,
    `Bearers ${token}`,
    ` Bearer ${token}`,
    `"Bearer" ${token}`,
    `Digest realm="x", Bearer ${token}`,
  ])('finds no bearer credentials in %j', async (authorization) => {
    expect(await verify(authorization)).toBe('missing')
  })

  it.each([
    ['an empty one', 'Bearer '],
    ['an unknown one', 'Bearer plst_unknown'],
    ['one that is cut', `Bearer ${token.slice(0, -1)}`],
    ['one with more behind it', `Bearer ${token}x`],
    ['one in another case', `Bearer ${token.toUpperCase()}`],
    ['two', `Bearer ${token} ${token}`],
    ['two in a list', `Bearer ${token}, Bearer ${token}`],
    ['a quoted one', `Bearer "${token}"`],
    ['one with a parameter', `Bearer token="${token}"`],
    ['one with a space behind it', `Bearer ${token} `],
    ['one with a tab before it', `Bearer \t${token}`],
    ['one with letters that no token has', `Bearer ${token}é`],
    ['one with a NUL', `Bearer ${token}\0`],
    ['one of padding alone', 'Bearer =='],
    ['one with padding in its middle', 'Bearer a=b'],
    ['another scheme', `Bearer Bearer ${token}`],
  ])('refuses a token that is not valid: %s', async (_name, authorization) => {
    expect(await verify(authorization)).toBe('unknown')
  })

  it('never says which of the reasons it was', async () => {
    const expired = createBearerVerifier({ tokens, now: () => now + 1000 })
    expect(await expired(`Bearer ${token}`)).toBe('unknown')
  })

  it('asks for the hash of the token and the time of the request, and not at all for what is no token', async () => {
    const asked: unknown[] = []
    const findCaller: TokenStore['findCaller'] = (...question) => {
      asked.push(question)
      return Promise.resolve('unknown')
    }
    const asking = createBearerVerifier({ tokens: { findCaller }, now: () => now })
    await asking('Bearer abc')
    await asking('Bearer a b')
    await asking('Basic abc')
    expect(asked).toEqual([[hashToken('abc'), now]])
  })

  it('waits for the store', async () => {
    const findCaller: TokenStore['findCaller'] = async (hash, at) => {
      await new Promise(setImmediate)
      return tokens.findCaller(hash, at)
    }
    const slow = createBearerVerifier({ tokens: { findCaller }, now: () => now })
    expect(await slow(`Bearer ${token}`)).toEqual(me)
    expect(await slow('Bearer plst_unknown')).toBe('unknown')
  })

  it('says that tokens cannot be checked, and finds no credentials where there are none all the same', async () => {
    const down = createBearerVerifier({ tokens: { findCaller: () => Promise.resolve('unavailable') }, now: () => now })
    expect(await down(`Bearer ${token}`)).toBe('unavailable')
    expect(await down('Basic x')).toBe('missing')
  })

  it('notes each use of a valid token, and none that was refused', async () => {
    const uses: unknown[] = []
    const noting = createBearerVerifier({ tokens, now: () => now, noteUse: (...use) => void uses.push(use) })
    await noting(`Bearer ${token}`)
    await noting('Bearer plst_unknown')
    await noting('')
    expect(uses).toEqual([[hashToken(token), now]])
  })

  it.each(['jwt:https://id.example alice', 'jwt:', ''])(
    'refuses an opaque token whose caller could be that of a JWT, or nobody: %j',
    async (caller) => {
      const forged = createBearerVerifier({
        tokens: { findCaller: () => Promise.resolve({ caller, scope: undefined }) },
        now: () => now,
        noteUse: () => expect.unreachable(),
      })
      expect(await forged(`Bearer ${token}`)).toBe('unknown')
    },
  )

  it('verifies a very long header at once', async () => {
    expect(await verify(`Bearer ${'a'.repeat(1_000_000)} `)).toBe('unknown')
    expect(await verify(`Bearer${' '.repeat(1_000_000)}`)).toBe('unknown')
  })
})
