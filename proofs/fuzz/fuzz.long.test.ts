import { expect, test } from 'vitest'
import { servedDatabase } from '../../test/support/server/served-database.ts'
import { watchServer } from '../../test/support/server/watch.ts'
import { createRandom } from '../../test/support/random.ts'
import { cutAtEveryByte, goodRequests, lastRequests } from './attack.ts'
import { type FuzzResult, attackAll, attacksOf, faultIn, warmUp } from './fuzz.ts'

const connections = 600

/** 64 concurrent connections of at most 2 MiB, and uncollected garbage. */
const bounds = { livezMilliseconds: 10_000, growthMebibytes: 192 }

test.each([
  ['without', {}],
  ['with', { RATE_LIMIT: '100000' }],
])(
  'a server %s RATE_LIMIT survives random bytes and abrupt disconnects',
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
    const logged = server.stderr().slice(0, 2_000)
    expect({ faults: result.faults, logged }, `seed ${String(seed)}`).toEqual({ faults: [], logged: '' })
    // Both valid and invalid requests were sent.
    expect(Object.keys(result.statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '404', '405']))
    expect((await watch.end()).problems, `seed ${String(seed)}`).toEqual([])
    expect(server.stderr().slice(0, 2_000)).toBe('')
    await server.end()
    expect(await server.ended).toBe(0)
  },
)

const id = 'x-request-id: a\r\n'
const others = 'cache-control: no-store\r\nx-content-type-options: nosniff\r\ndate: now\r\n'

test.each([
  ['the header x-request-id is missing', `HTTP/1.1 404 Not Found\r\n${others}\r\n`],
  ['a fault of the service', `HTTP/1.1 500 Internal Server Error\r\n${id}${others}\r\n`],
  ['a failure that is not application/json', `HTTP/1.1 404 Not Found\r\n${id}${others}\r\n`],
  ['bytes that are no response', `HTTP/2 200 OK\r\n${id}${others}\r\n`],
])('the fuzzer finds %s', (fault, response) => {
  expect(faultIn(response)).toContain(fault)
})

test('the fuzzer finds no fault in a good response', () => {
  expect(faultIn(`HTTP/1.1 200 OK\r\n${id}${others}\r\n`)).toBeUndefined()
  const failure = '{"error":40400,"message":"no \\"such\\" path"}'
  const content = `content-type: application/json\r\ncontent-length: ${String(failure.length)}\r\n`
  expect(faultIn(`HTTP/1.1 404 Not Found\r\n${id}${others}${content}\r\n${failure}`)).toBeUndefined()
})

test('seed and number determine an attack', () => {
  const texts = (from: number) => [...attacksOf('token', 1, from, 101)].map((attack) => JSON.stringify(attack))
  expect(texts(0).slice(50)).toEqual(texts(50))
  expect(new Set(texts(1)).size).toBeGreaterThan(90)
})
