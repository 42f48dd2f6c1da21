import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import { withoutTokens } from '../../src/monitoring/request-log.ts'
import { receive } from '../support/client/raw-http.ts'
import { shareApp, startApp } from '../support/server/start-app.ts'
import { newPlant, storedPlant } from '../support/plants.ts'

function parsed(logLines: string[]): Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

const get = { method: 'GET', url: '/plants' }

test('each request is one log line with its operation, status and duration', async () => {
  const { send, logLines } = await startApp()
  await send({ method: 'POST', url: '/plants', body: newPlant({ id: 54n }) })
  await send({ method: 'DELETE', url: '/plants/54' })
  await send({ method: 'GET', url: '/nowhere' })
  await send({ method: 'GET', url: '/plants?limit=%zz' })
  await send({ method: 'GET', url: '/pl%zzants' })
  const line = { level: 30, requestId: expect.any(String) as string, milliseconds: expect.any(Number) as number }
  expect(parsed(logLines)).toMatchObject([
    { ...line, method: 'POST', operation: 'createPlant', status: 200 },
    { ...line, method: 'DELETE', operation: 'deletePlant', status: 204 },
    { ...line, method: 'GET', path: '/nowhere', status: 404 },
    { ...line, method: 'GET', path: '/plants', status: 400 },
    { ...line, method: 'GET', path: '/pl%zzants', status: 400 },
  ])
  // The id has one name.
  expect(logLines.join()).not.toContain('reqId')
})

test('a response that was written when its client left is logged as cut off, and is not counted', async () => {
  const counted: unknown[] = []
  const observer = {
    answered: (operation: unknown) => void counted.push(operation),
    contractBroken: expect.unreachable,
  }
  const { store, token, listen, logLines } = await startApp({ observer })
  const name = '\u{1F331}'.repeat(255)
  await Promise.all(Array.from({ length: 100 }, (_, id) => store.create('me', storedPlant({ id: BigInt(id), name }))))
  const socket = connect(Number(new URL(await listen()).port), '127.0.0.1')
  // Responses of 100 KiB, more than the buffers between client and server hold. The client reads none.
  socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(200))
  let answered = 0
  const isStalled = () => {
    const before = answered
    answered = counted.length
    return answered > 0 && answered === before
  }
  await expect.poll(isStalled, { interval: 200 }).toBe(true)
  socket.resetAndDestroy()
  const outcomes = () => parsed(logLines).flatMap(({ operation, msg }) => (operation === undefined ? [] : [msg]))
  await expect.poll(outcomes).toContain('response cut off')
  expect(outcomes()).toEqual([...counted.map(() => 'request answered'), 'response cut off'])
  expect(counted).toHaveLength(answered)
})

const body = { method: 'POST', url: '/plants' }

test.each([
  ['a good token', get],
  ['a bad token', { ...get, headers: { authorization: 'Bearer plst_secretsecretsecret' } }],
  ['another header', { ...get, headers: { cookie: 'secret=1', 'user-agent': 'secret agent' } }],
  ['a body', { ...body, body: newPlant({ id: 4815162342n, name: 'secret' }) }],
  ['a malformed body', { ...body, body: '{"id":4815162342,"name":"secret"' }],
  ['a query', { ...get, url: '/plants?secret=4815162342' }],
  ['an id', { method: 'DELETE', url: '/plants/4815162342' }],
])('%s is not logged', async (_description, request) => {
  const { send, logLines, token } = await startApp()
  await send(request)
  expect(logLines).toHaveLength(1)
  expect(logLines.join()).not.toContain(token)
  expect(logLines.join()).not.toMatch(/plst_|secret|4815162342|authorization|bearer/i)
})

test('a token in a path is not logged, and a line break in a path starts no line', async () => {
  const { send, token, logLines } = await startApp()
  for (const url of [`/plants/54/${token}/x`, `/%zz${token.replace('p', '%70')}`, '/a%0A%7B%22level%22:60%7D'])
    await send({ method: 'GET', url })
  expect(logLines.map((line) => line.trimEnd().split('\n').length)).toEqual([1, 1, 1])
  expect(logLines.join()).not.toContain(token.slice(5))
  expect(logLines[0]).toContain('"/plants/54/[token]/x"')
})

test.each([
  ['', 'x', `/${'x'.repeat(999)}…`],
  ['a token', 'plst_', '/[token]…'],
  ['an encoded token', 'plst%5f', '/[token]…'],
  ['an encoded end', 'x'.repeat(997) + '%41', `/${'x'.repeat(997)}%4…`],
])('the first 1,000 characters of a path are logged: %s', async (_description, part, logged) => {
  const { send, logLines } = await startApp()
  await send({ method: 'GET', url: `/${part}${'x'.repeat(2_000)}` })
  expect(parsed(logLines)).toMatchObject([{ path: logged }])
})

test('a token in a broken request is not logged', async () => {
  const { token, listen, logLines } = await startApp()
  const origin = await listen()
  const authorization = `Authorization: Bearer ${token}`
  await receive(origin, `GET /${token} HTTP/1.1\r\nHost x\r\n${authorization}\r\n\r\n`)
  await receive(origin, `GET /%${token} HTTP/1.1\r\nHost: x\r\n${authorization}\r\nConnection: close\r\n\r\n`)
  await receive(origin, `CONNECT ${token}:80 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`)
  expect(parsed(logLines).filter(({ status }) => status !== undefined)).toHaveLength(3)
  expect(logLines.join()).not.toContain(token.slice(5))
})

test.each([
  'http://me:password@x/nowhere?a=b',
  'http://me:password?x@x/plants',
  'http://me:password/x@x/plants',
  'http://me:x@password@x/plants',
  'https://password@x',
  'me:password@x:80',
])('a password in a request target is not logged: %s', async (target) => {
  const { listen, logLines } = await startApp()
  const origin = await listen()
  await receive(origin, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await receive(origin, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(parsed(logLines).filter(({ status }) => status !== undefined)).toHaveLength(2)
  expect(logLines.join()).not.toContain('password')
})

test('the path of a request target in absolute form is logged', async () => {
  const { listen, logLines } = await startApp()
  await receive(await listen(), `GET http://x/no@where?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(parsed(logLines).filter(({ status }) => status !== undefined)).toMatchObject([{ path: '/no@where' }])
})

const escapeOf = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
const opaque = createToken('me', 0).text
const header = Buffer.from('{\n "alg":"RS256","kid":"a~?"}').toString('base64url')
const jwt = `${header}.${Buffer.from('{"sub":"me"}').toString('base64url')}.c2ln-bmF0_dXJl`

test.each([
  ['as it is', opaque],
  ['cut', opaque.slice(0, 20)],
  ['a JSON Web Token', jwt],
  ['a JSON Web Token that is cut behind its header', `${header}.`],
  ['with a letter of its secret encoded', opaque.slice(0, 20) + escapeOf(opaque.charAt(20)) + opaque.slice(21)],
  ['with every character encoded twice', Array.from(Array.from(opaque, escapeOf).join(''), escapeOf).join('')],
  ['with the escape of an escape', opaque.replace('_', '%255F')],
  ['with a digit of an escape encoded', opaque.replace('_', '%%35F')],
  ['a JSON Web Token with its points encoded', jwt.replaceAll('.', '%2E')],
])('a token is removed from a path: %s', (_name, token) => {
  expect(withoutTokens(`/a%20b/${token}/é%C3%A9%3F`)).toMatch(/^(?:\/a%20b\/\[token\]\/é%C3%A9%3F|\[encoded\])$/)
})

test.each(['/plants/54', '/plants/eyJ/eyJabc', '/a%20b%2Fc%5F%7E', '/%', '/%2', '/%zz', '/%E0%A4%A', '/%2525'])(
  'a path without a token is unchanged: %s',
  (path) => {
    expect(withoutTokens(path)).toBe(path)
  },
)

test.each(['eyJ', 'plst_', 'eyJ.', '%65', '%', '%25', '%2525%35'])(
  'the search for tokens is fast in a long text of %s',
  (part) => {
    const startedAt = performance.now()
    withoutTokens(part.repeat(20_000))
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  },
)

const newCaller = shareApp()

test.each([
  ...[undefined, '', ' ', 'a%0Ab', 'plst_cut', `a.${opaque}`],
  ...['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2ln', 'eyAiYWxnIjoiRVMyNTYifQ.e30.c2ln'],
])('the invalid or token-like request id %j is replaced by a random one', async (id) => {
  const { send } = await newCaller()
  const ids = await Promise.all(
    [id, id].map(async (each) => (await send({ ...get, headers: { 'x-request-id': each } })).headers['x-request-id']),
  )
  for (const each of ids) expect(each).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids[0]).not.toBe(ids[1])
})
