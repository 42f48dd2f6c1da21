import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RequestCounts } from '../../src/rate-limit/rate-limits.ts'
import { expectFailure } from '../support/responses/expected-contract.ts'
import { startApp } from '../support/server/start-app.ts'
import { newPlant } from '../support/plants.ts'

const get = { method: 'GET', url: '/plants' }
const bad = { ...get, headers: { authorization: 'Bearer plst_unknown' } }

test('a caller over the rate gets Retry-After, and its request is not carried out', async () => {
  const { send, store } = await startApp({ rateLimit: 1 })
  await send(get)
  for (const body of [newPlant({ id: 4n }), '{']) {
    const refused = await send({ method: 'POST', url: '/plants', body })
    expectFailure(refused, 'rate_limited')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
  }
  expect(await store.delete('me', 4n)).toBe('absent')
})

test('each response says how many requests the caller has left, and for how long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send } = await startApp({ rateLimit: 3 })
  const rates: unknown[] = []
  for (const request of [get, { method: 'DELETE', url: '/plants/1' }, { ...get, url: '/plants?limit=x' }, get, get]) {
    const { status, headers } = await send(request)
    expect(headers['ratelimit-policy']).toBe('"caller";q=3;w=60')
    rates.push([status, headers['ratelimit'], headers['retry-after']])
    vi.advanceTimersByTime(15_000)
  }
  expect(rates).toEqual([
    [200, '"caller";r=2;t=60', undefined],
    [404, '"caller";r=1;t=45', undefined],
    [400, '"caller";r=0;t=30', undefined],
    [429, '"caller";r=0;t=15', '15'],
    [200, '"caller";r=2;t=60', undefined],
  ])
})

test('the rate counts all operations and all tokens of a caller', async () => {
  const { send, issueToken } = await startApp({ rateLimit: 3 })
  const tokens = await Promise.all(['me', 'you'].map((caller) => issueToken(caller)))
  const [second, other] = tokens.map((token) => ({ headers: { authorization: `Bearer ${token}` } }))
  for (const request of [get, { method: 'DELETE', url: '/plants/1' }, { ...get, ...second }])
    expect((await send(request)).status).not.toBe(429)
  for (const request of [get, { ...get, ...second }]) expectFailure(await send(request), 'rate_limited')
  expect((await send({ ...get, ...other })).status).toBe(200)
})

test('an address with too many rejected tokens is refused for a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send } = await startApp({ rateLimit: 3 })
  const malformed = { ...get, headers: { authorization: 'Bearer a b' } }
  for (const request of [malformed, bad, malformed]) expectFailure(await send(request), 'token_invalid')
  vi.advanceTimersByTime(20_000)
  for (const request of [bad, get, { ...get, headers: { authorization: undefined } }]) {
    const refused = await send(request)
    expectFailure(refused, 'rate_limited')
    expect({ after: refused.headers['retry-after'], rate: refused.headers['ratelimit'] }).toEqual({
      after: '40',
      rate: undefined,
    })
  }
  vi.advanceTimersByTime(40_000)
  expect((await send(get)).status).toBe(200)
})

test('only rejected tokens count for an address', async () => {
  const { app, send } = await startApp({ rateLimit: 3 })
  for (let count = 0; count < 5; count++)
    expectFailure(await send({ ...get, headers: { authorization: undefined } }), 'credentials_missing')
  for (let count = 0; count < 5; count++)
    expect((await app.inject({ method: 'GET', url: '/livez' })).statusCode).toBe(200)
  for (let count = 0; count < 3; count++) expect((await send(get)).status).toBe(200)
  expectFailure(await send(bad), 'token_invalid')
})

test('X-Forwarded-For is read from configured proxies only', async () => {
  const from = (address: string) => ({ ...bad, headers: { ...bad.headers, 'x-forwarded-for': address } })
  const trusting = await startApp({ rateLimit: 1, trustedProxies: 'loopback' })
  for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::1'])
    expectFailure(await trusting.send(from(address)), 'token_invalid')
  for (const address of ['192.0.2.1', '198.51.100.7, 192.0.2.2', '2001:db8::2'])
    expectFailure(await trusting.send(from(address)), 'rate_limited')
  const believingNobody = await startApp({ rateLimit: 1 })
  expectFailure(await believingNobody.send(from('192.0.2.1')), 'token_invalid')
  expectFailure(await believingNobody.send(from('192.0.2.2')), 'rate_limited')
})

test.each([
  ['one network of IPv6', '2001:db8:1:2::3', '2001:db8:1:2:ffff::4', '2001:db8:1:3::3'],
  ['IPv4 within IPv6', '192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['an interface of a proxy', 'fe80::1%eth0', 'fe80::1%br-lan', 'fe81::1'],
  ['IPv4 with ports', '192.0.2.1:80', '192.0.2.1:65535', '192.0.2.2:80'],
  ['IPv4 with a port and without', '192.0.2.1:_a.b-c', '192.0.2.1', '192.0.2.3:_a.b-c'],
  ['IPv6 with ports', '[2001:db8:1:2::3]:443', '[2001:db8:1:2::4]:444', '[2001:db8:1:3::3]:443'],
  ['what is no address', 'unknown', 'x'.repeat(1_000), '192.0.2.1'],
])('addresses that count as one: %s', async (_name, first, second, other) => {
  const { send } = await startApp({ rateLimit: 1, trustedProxies: 'loopback' })
  const from = (address: string) => send({ ...bad, headers: { ...bad.headers, 'x-forwarded-for': address } })
  expectFailure(await from(first), 'token_invalid')
  expectFailure(await from(second), 'rate_limited')
  expectFailure(await from(other), 'token_invalid')
})

test('without RATE_LIMIT no request is limited and no response has rate headers', async () => {
  const { send } = await startApp()
  const responses = await Promise.all(Array.from({ length: 200 }, (_, index) => send(index % 2 === 0 ? get : bad)))
  expect(responses.filter(({ status }) => status === 429)).toEqual([])
  expect(responses.filter(({ headers }) => 'ratelimit' in headers || 'ratelimit-policy' in headers)).toEqual([])
})

test.each([undefined, 'loopback'])(
  'a connection reset before its request is read does no harm (proxies: %s)',
  async (trustedProxies) => {
    const { listen, logLines } = await startApp({ rateLimit: 3, trustedProxies })
    const { port } = new URL(await listen())
    const sent = 20
    for (let count = 0; count < sent; count++) {
      const socket = connect({ host: '127.0.0.1', port: Number(port) })
      await once(socket, 'connect')
      socket.write('GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer unknown\r\n\r\n')
      socket.resetAndDestroy()
    }
    // A later connection is accepted after them.
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
    expect(logLines.filter((line) => line.includes('"level":50'))).toEqual([])
  },
)

test('setting the clock does not change what is left of a rate', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send } = await startApp({ rateLimit: 3 })
  for (const [left, hours] of [
    [2, 0],
    [1, -1],
    [0, 2],
  ] as const) {
    vi.setSystemTime(Date.now() + hours * 3_600_000)
    expect((await send(get)).headers['ratelimit']).toBe(`"caller";r=${String(left)};t=60`)
    expectFailure(await send(bad), 'token_invalid')
  }
  for (const request of [get, bad]) expect((await send(request)).headers['retry-after']).toBe('60')
})

test('an address that sends many tokens at once gets no verdict on further tokens', async () => {
  const [limit, sent] = [3, 12]
  let release: (() => void) | undefined
  let waiting = 0
  const all = new Promise<void>((resolve) => (release = resolve))
  const verifyJwt = async (token: string) => {
    if (++waiting === sent) release?.()
    await all
    return token === 'good' ? { caller: 'me', scope: undefined } : ('unknown' as const)
  }
  const { send } = await startApp({ rateLimit: limit, verifyJwt })
  const tokens = [...Array.from({ length: sent - 1 }, (_, index) => `bad${String(index)}`), 'good']
  const responses = await Promise.all(
    tokens.map((token) => send({ ...get, headers: { authorization: `Bearer ${token}` } })),
  )
  expect(responses.map(({ status }) => status)).toEqual(tokens.map((_, index) => (index < limit ? 401 : 429)))
})

test('the least recently used key is forgotten first', () => {
  const counts = new RequestCounts(3)
  for (const key of ['a', 'b', 'c', 'a', 'd']) counts.add(key)
  expect(['b', 'a', 'c', 'd'].map((key) => counts.read(key).requests)).toEqual([0, 2, 1, 1])
})
