import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createToken, hashToken, prefixOf } from '../../src/auth/tokens.ts'
import { withoutTokens } from '../../src/monitoring/request-log.ts'

const now = 1_800_000_000_000

describe('createToken', () => {
  it('makes 256 random bits behind a recognisable prefix', () => {
    const { text } = createToken('me', now)
    const [, secret] = /^plst_([A-Za-z0-9_-]{43})$/.exec(text) ?? []
    expect(Buffer.from(secret ?? '', 'base64url')).toHaveLength(32)
  })

  it('never makes the same twice, and varies every one of the bits', () => {
    const secrets = Array.from({ length: 200 }, () =>
      Buffer.from(createToken('me', now).text.slice('plst_'.length), 'base64url'),
    )
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(200)
    for (let bit = 0; bit < 256; bit++)
      expect(new Set(secrets.map((secret) => (secret[bit >> 3]! >> (bit & 7)) & 1))).toEqual(new Set([0, 1]))
  })

  it('keeps the SHA-256 of the text, not the text', () => {
    const { text, stored } = createToken('me', now)
    expect(stored).toEqual({
      hash: createHash('sha256').update(text).digest(),
      prefix: text.slice(0, 11),
      caller: 'me',
      issuedAt: now,
      expiresAt: undefined,
    })
    expect(Object.values(stored)).not.toContain(text)
  })

  it('lets a token expire after its lifetime', () => {
    expect(createToken('me', now, 5000).stored).toMatchObject({ issuedAt: now, expiresAt: now + 5000 })
  })
})

describe('prefixOf', () => {
  it('gives the same for a token and for its prefix', () => {
    const { text, stored } = createToken('me', now)
    expect(prefixOf(text)).toBe(stored.prefix)
    expect(prefixOf(stored.prefix)).toBe(stored.prefix)
  })
})

describe('hashToken', () => {
  it('is SHA-256', () => {
    expect(Buffer.from(hashToken('abc')).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

describe('withoutTokens', () => {
  it('takes every token out of a text, whole or cut, and leaves the rest', () => {
    const { text } = createToken('me', now)
    expect(withoutTokens(`/plants/${text}?again=${text.slice(0, 20)}`)).toBe('/plants/[token]?again=[token]')
    expect(withoutTokens('/plants/54')).toBe('/plants/54')
  })

  it('takes JSON Web Tokens out, whole or cut behind their header, and leaves words that begin like one', () => {
    const header = Buffer.from('{"alg":"RS256","kid":"a~?"}').toString('base64url')
    const token = `${header}.${Buffer.from('{"sub":"me"}').toString('base64url')}.c2ln-bmF0_dXJl`
    expect(withoutTokens(`/plants/${token}/${header}.?again=${token}`)).toBe('/plants/[token]/[token]?again=[token]')
    expect(withoutTokens('/plants/eyJ/eyJabc')).toBe('/plants/eyJ/eyJabc')
  })

  const escapeOf = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  const opaque = createToken('me', now).text
  const jwt = [
    ...['{\n "alg":"RS256"}', '{"sub":"me"}'].map((part) => Buffer.from(part).toString('base64url')),
    'c2ln',
  ].join('.')
  it.each([
    ['its underscore', opaque.replace('_', '%5F')],
    ['its underscore in lower case', opaque.replace('_', '%5f')],
    ['a letter of its beginning', opaque.replace('l', '%6C')],
    ['a letter of its secret', opaque.slice(0, 20) + escapeOf(opaque.charAt(20)) + opaque.slice(21)],
    ['every character', Array.from(opaque, escapeOf).join('')],
    ['every character twice', Array.from(Array.from(opaque, escapeOf).join(''), escapeOf).join('')],
    ['the escape of an escape', opaque.replace('_', '%255F')],
    ['a digit of an escape', opaque.replace('_', '%%35F')],
    ['an escape as often as nobody does', opaque.replace('_', `%${'25'.repeat(50)}5F`)],
    ['the point of a JSON Web Token', jwt.replaceAll('.', '%2E')],
    ['a letter of a JSON Web Token', jwt.replace('w', '%77')],
  ])('takes out a token of which is percent-encoded: %s', (_name, text) => {
    expect(withoutTokens(`/a%20b/${text}/é%C3%A9%3F`)).toMatch(/^(?:\/a%20b\/\[token\]\/é%C3%A9%3F|\[encoded\])$/)
  })

  it.each(['/a%20b%2Fc%5F%7E', '/%', '/%2', '/%zz', '/%E0%A4%A', '/%2525'])(
    'leaves a path as it is that has none: %s',
    (path) => {
      expect(withoutTokens(path)).toBe(path)
    },
  )

  it.each(['eyJ', 'plst_', 'eyJ.', '%65', '%', '%25', '%2525%35'])(
    'takes little time for a long text of %s',
    (part) => {
      const startedAt = performance.now()
      withoutTokens(part.repeat(100_000))
      expect(performance.now() - startedAt).toBeLessThan(2_000)
    },
  )
})
