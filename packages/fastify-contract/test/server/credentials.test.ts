import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { readCredentials, takeCredentials } from '../../src/server/credentials.ts'

test.each(['Bearer TOKEN', 'bearer TOKEN', 'bEaReR TOKEN', 'Bearer    TOKEN'])('%j is a bearer token', (text) => {
  expect(readCredentials('bearer', text)).toEqual({ credentials: 'TOKEN' })
})

test.each([
  undefined,
  '',
  'Bearer',
  'TOKEN',
  'Basic TOKEN',
  'Bearer:TOKEN',
  'Bearer\tTOKEN',
  'BearerTOKEN',
  ' Bearer TOKEN',
  'Digest realm="x", Bearer TOKEN',
])('%j has no bearer credentials', (text) => {
  expect(readCredentials('bearer', text)).toBe('missing')
})

test.each([
  ['an empty one', 'Bearer '],
  ['two in a list', 'Bearer TOKEN, Bearer TOKEN'],
  ['a quoted one', 'Bearer "TOKEN"'],
  ['one with a space behind it', 'Bearer TOKEN '],
  ['one with a tab before it', 'Bearer \tTOKEN'],
  ['one with letters that no token has', 'Bearer TOKENé'],
  ['one with padding in its middle', 'Bearer a=b'],
  ['a very long one', `Bearer ${'a'.repeat(1_000_000)} `],
  ['a million spaces', `Bearer${' '.repeat(1_000_000)}`],
])('a malformed bearer token is refused at once: %s', (_name, text) => {
  const startedAt = performance.now()
  expect(readCredentials('bearer', text)).toBe('unknown')
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test.each([
  [basic('me:pass:word'), 'me', 'pass:word'],
  [basic(':word').replace('Basic', 'bAsIc  '), '', 'word'],
  [basic('é:ü'), 'é', 'ü'],
])('%j is a user and a password', (text, user, password) => {
  expect(readCredentials('basic', text)).toEqual({ credentials: { user, password } })
})

test.each([
  ['no colon', basic('me')],
  ['what is not Base64', 'Basic me:word'],
  ['more behind it', `${basic('me:word')} x`],
  ['a character behind it', `${basic('me:word')}!`],
  ['Base64 behind its end', `${basic('me:word1')}YQ==`],
  ['the alphabet of URLs', basic('me:\u00ff\u00fe?>').replaceAll('/', '_').replaceAll('+', '-')],
  ['a space within', basic('me:word').replace('bWU', 'bW U')],
  ['no padding', basic('me:word').replaceAll('=', '')],
  ['bits behind its end', basic('me:word').replace('A==', 'B==')],
  ['bytes that are not UTF-8', `Basic ${Buffer.from('me:w\xf6rd', 'latin1').toString('base64')}`],
  ['a control character', basic('me:wo\nrd')],
  ['nothing', 'Basic '],
])('basic credentials are refused with %s', (_what, text) => {
  expect(readCredentials('basic', text)).toBe('unknown')
})

test.each([
  ['a list', ['a', 'b']],
  ['an object', { a: '1' }],
])('%s in the query is no API key', (_what, key) => {
  // Only these parts of a request are read.
  const request = { headers: {}, raw: { rawHeaders: [] }, query: { key } } as unknown as FastifyRequest
  const [sent] = takeCredentials(request, [{ in: 'query', name: 'key' }])
  expect(readCredentials('apiKey', sent)).toBe('unknown')
})
