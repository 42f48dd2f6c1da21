import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createToken, isIssuable, prefixOf, readScopes, readTtl } from '../../src/auth/tokens.ts'

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

test('the prefix of a token is read from the token or from the prefix itself', () => {
  const { text, stored } = createToken('me', now)
  expect([prefixOf(text), prefixOf(stored.prefix)]).toEqual([stored.prefix, stored.prefix])
})

test.each([
  ['1s', 1_000],
  ['15m', 900_000],
  ['12h', 43_200_000],
  ['36500d', 3_153_600_000_000],
  ['3153600000s', 3_153_600_000_000],
])('the time to live %s is %d milliseconds', (text, milliseconds) => {
  expect(readTtl(text)).toBe(milliseconds)
})

test.each(['', '0s', '30', 'd', '-1d', '+1d', '1.5h', '1e3s', '01d', ' 1d', '1 d', '1d\n', '1D', '1w', '1d12h'])(
  'the time to live %j is refused',
  (text) => {
    expect(readTtl(text)).toBeUndefined()
  },
)

test.each(['36501d', '3153600001s', `${'9'.repeat(400)}d`])(
  'the time to live %s is refused because it exceeds 36500 days',
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
