import { expect, test } from 'vitest'
import { servedDatabase } from '../../test/support/server/served-database.ts'
import { watchServer } from '../../test/support/server/watch.ts'
import { createRandom } from '../lab/random.ts'
import { cutAtEveryByte } from './attack.ts'
import { type FuzzResult, attackAll, attacksOf, faultIn, warmUp } from './fuzz.ts'
import { goodRequests, lastRequests } from './requests.ts'

const connections = 600

/** 64 concurrent connections of at most 2 MiB, and uncollected garbage. */
const bounds = { livezMilliseconds: 3_000, growthMebibytes: 192 }

test.each([
  ['without', {}],
  ['with', { RATE_LIMIT: '100000' }],
])(
  'a server %s RATE_LIMIT survives random bytes and abrupt disconnects',
  { timeout: 60_000 },
  async (_with, environment: Record<string, string>) => {
    const { token, serve } = await servedDatabase()
    const server = await serve({ LOG_LEVEL: 'error', ...environment })
    const { port } = server
    const seed = Math.floor(Math.random() * 2 ** 31)
    await warmUp(port, token)
    const watch = watchServer(server, bounds)

    const { one } = createRandom(seed)
    const cuts = [lastRequests[0]!, one(lastRequests), one(goodRequests(token))].flatMap(cutAtEveryByte)
    const result: FuzzResult = { statuses: {}, faults: [] }
    await attackAll(port, cuts.entries(), result)
    await attackAll(port, attacksOf(token, seed, 0, connections), result)
    expect(result.faults, `seed ${String(seed)}`).toEqual([])
    // Both valid and invalid requests were sent.
    expect(Object.keys(result.statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '404', '405']))
    expect((await watch.end()).problems, `seed ${String(seed)}`).toEqual([])
    expect(server.stderr().slice(0, 2_000)).toBe('')
    await server.end()
    expect(await server.ended).toBe(0)
  },
)

const [id, kept, sniffed, date] = [
  'x-request-id: a',
  'cache-control: no-store',
  'x-content-type-options: nosniff',
  'date: now',
]

test.each([
  ['the header x-request-id is missing', 'HTTP/1.1 404 Not Found', [kept, sniffed, date]],
  ['a fault of the service', 'HTTP/1.1 500 Internal Server Error', [id, kept, sniffed, date]],
  ['a failure that is not application/json', 'HTTP/1.1 404 Not Found', [id, kept, sniffed, date]],
  ['bytes that are no response', 'HTTP/2 200 OK', [id, kept, sniffed, date]],
  [undefined, 'HTTP/1.1 200 OK', [id, kept, sniffed, date]],
])('the fuzzer finds %s', (fault, line, headers) => {
  const response = `${[line, ...headers].join('\r\n')}\r\n\r\n`
  if (fault === undefined) expect(faultIn(response)).toBeUndefined()
  else expect(faultIn(response)).toContain(fault)
})

test('seed and number determine an attack', () => {
  const texts = (from: number) => [...attacksOf('token', 1, from, 101)].map((attack) => JSON.stringify(attack))
  expect(texts(0).slice(50)).toEqual(texts(50))
  expect(new Set(texts(1)).size).toBeGreaterThan(90)
})
