import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createTokenUses } from '../../src/auth/token-uses.ts'
import { createToken, isIssuable, readScopes, readTtl } from '../../src/auth/tokens.ts'
import type { TokenUse } from '../../src/store/store.ts'
import { startApp } from '../support/server/start-app.ts'

const now = 1_800_000_000_000

test('a token has 256 random bits behind a recognisable prefix', () => {
  const secrets = Array.from({ length: 200 }, () => {
    const [, secret = ''] = /^plst_([A-Za-z0-9_-]{43})$/.exec(createToken('me', now).text) ?? []
    return Buffer.from(secret, 'base64url')
  })
  expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(200)
  for (let bit = 0; bit < 256; bit++)
    expect(new Set(secrets.map((secret) => (secret[bit >> 3]! >> (bit & 7)) & 1))).toEqual(new Set([0, 1]))
})

test('only the SHA-256 of a token is stored', () => {
  const { text, stored } = createToken('me', now, 5_000, 'read write')
  expect(stored).toEqual({
    hash: createHash('sha256').update(text).digest(),
    prefix: text.slice(0, 11),
    caller: 'me',
    issuedAt: now,
    expiresAt: now + 5_000,
    scope: 'read write',
  })
  expect(createToken('me', now).stored).toMatchObject({ expiresAt: undefined, scope: undefined })
})

test.each([
  ['1s', 1_000],
  ['15m', 900_000],
  ['36500d', 3_153_600_000_000],
])('the time to live %s is %d milliseconds', (text, milliseconds) => {
  expect(readTtl(text)).toBe(milliseconds)
})

test.each(['', '0s', '30', 'd', '-1d', '1.5h', '01d', ' 1d', '1d\n', '1D', '1w', '36501d', `${'9'.repeat(400)}d`])(
  'the time to live %j is refused',
  (text) => {
    expect(readTtl(text)).toBeUndefined()
  },
)

test.each([
  ['plants:read,plants:write', 'plants:read plants:write'],
  ['admin,admin', 'admin'],
  ['', undefined],
  ['read,', undefined],
  ['read write', undefined],
  ['"read"', undefined],
])('the scopes %j are read as %j', (text, scopes) => {
  expect(readScopes(text)).toBe(scopes)
})

test.each([
  ['me', true],
  ['🌱'.repeat(255), true],
  ['🌱'.repeat(256), false],
  ['', false],
  ['alice\nbob', false],
  ['jwt:https://id.example alice', false],
])('a token may be issued for the caller %j: %j', (caller, issuable) => {
  expect(isIssuable(caller)).toBe(issuable)
})

describe('the uses of tokens', () => {
  const one = Buffer.alloc(32, 1)
  const other = Buffer.alloc(32, 2)
  const at = 1_795_000_000_000

  function recorder() {
    const batches: TokenUse[][] = []
    const uses = createTokenUses(
      { recordUses: (batch) => (batches.push(batch), Promise.resolve('recorded')) },
      { error: expect.unreachable },
    )
    return { batches, ...uses }
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    return () => void vi.useRealTimers()
  })

  test('uses are written in batches after a second, each token once a minute at most', () => {
    const { batches, note } = recorder()
    note(one, at)
    note(other, at + 1)
    vi.advanceTimersByTime(999)
    note(one, at + 999)
    expect(batches).toEqual([])
    vi.advanceTimersByTime(1)
    vi.advanceTimersByTime(58_999)
    note(Buffer.from(one), at + 59_999)
    vi.advanceTimersByTime(1)
    note(one, at + 60_000)
    vi.advanceTimersByTime(1_000)
    expect(batches).toEqual([
      [
        { hash: one, usedAt: at },
        { hash: other, usedAt: at + 1 },
      ],
      [{ hash: one, usedAt: at + 60_000 }],
    ])
  })

  test('the uses of 100,000 tokens are remembered; the earliest one is forgotten first', async () => {
    const { batches, note, write } = recorder()
    const hashOf = (token: number) => {
      const hash = Buffer.alloc(32)
      hash.writeUInt32BE(token)
      return hash
    }
    for (let token = 0; token <= 100_000; token++) note(hashOf(token), at)
    await write()
    for (const token of [100_000, 1, 0]) note(hashOf(token), at + 1)
    await write()
    expect(batches.map((batch) => batch.length)).toEqual([100_001, 1])
    expect(batches[1]).toEqual([{ hash: hashOf(0), usedAt: at + 1 }])
  })

  test('the next use is written even if the clock is set back', async () => {
    const { batches, note, write } = recorder()
    note(one, at)
    await write()
    vi.advanceTimersByTime(60_000)
    note(one, at - 3_600_000)
    await write()
    expect(batches).toEqual([[{ hash: one, usedAt: at }], [{ hash: one, usedAt: at - 3_600_000 }]])
  })

  test('uses that the store rejects are dropped, and the reason is logged', async () => {
    const logged: unknown[] = []
    const error = new Error('permission denied for table tokens')
    const uses = createTokenUses(
      { recordUses: () => Promise.reject(error) },
      { error: (...line: unknown[]) => void logged.push(line) },
    )
    uses.note(one, at)
    await uses.write()
    await uses.write()
    expect(logged).toEqual([[{ err: error }, 'the last use of some tokens was not recorded']])
  })

  test('closing the service records the last use of accepted tokens only', async () => {
    vi.useRealTimers()
    const { app, send, store, issueToken } = await startApp({ now: () => at })
    const expired = await issueToken('late', 0)
    for (const authorization of [undefined, `Bearer ${expired}`])
      await send({ method: 'GET', url: '/plants', headers: authorization === undefined ? {} : { authorization } })
    await app.close()
    const tokens = await store.listTokens()
    expect(
      tokens === 'unavailable' ? tokens : tokens.map(({ caller, lastUsedAt }) => [caller, lastUsedAt]).sort(),
    ).toEqual([
      ['late', undefined],
      ['me', at],
    ])
  })
})
