import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createToken, hashToken, prefixOf, withoutTokens } from '../../src/auth/tokens.ts'

const now = 1_800_000_000_000

describe('createToken', () => {
  it('makes 256 random bits behind a recognisable prefix', () => {
    const { text } = createToken('me', now)
    const [, secret] = /^plst_([A-Za-z0-9_-]{43})$/.exec(text) ?? []
    expect(Buffer.from(secret ?? '', 'base64url')).toHaveLength(32)
  })

  it('never makes the same twice, and varies every one of the bits', () => {
    const secrets = Array.from({ length: 200 }, () => Buffer.from(createToken('me', now).text.slice('plst_'.length), 'base64url'))
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(200)
    for (let bit = 0; bit < 256; bit++) expect(new Set(secrets.map((secret) => (secret[bit >> 3]! >> (bit & 7)) & 1))).toEqual(new Set([0, 1]))
  })

  it('keeps the SHA-256 of the text, not the text', () => {
    const { text, stored } = createToken('me', now)
    expect(stored).toEqual({ hash: createHash('sha256').update(text).digest(), prefix: text.slice(0, 11), caller: 'me', issuedAt: now, expiresAt: undefined })
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
    expect(Buffer.from(hashToken('abc')).toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
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
})
