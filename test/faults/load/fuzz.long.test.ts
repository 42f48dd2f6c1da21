import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startArguments } from '../../../bench/servers/server-process.ts'
import { cutAtEveryByte } from '../../../bench/fuzz/attack.ts'
import { attackAll, attackOf, fuzz, warmUp } from '../../../bench/fuzz/fuzz.ts'
import { createRandom } from '../../../bench/random.ts'
import { goodRequests, lastRequests } from '../../../bench/fuzz/requests.ts'
import { asOperation, readVectors, runVectors } from './run-vectors.ts'
import { watchServer } from '../../../bench/servers/watch.ts'
import { servedDatabase } from '../../support/server/served-database.ts'
import { nodeBinary } from '../../support/server/start-process.ts'

const connections = 600

/** 64 connections at once, of which none may cost more than 2 MiB, and what the collector has not found yet. */
const bounds = { livezMilliseconds: 3_000, growthMebibytes: 192 }

test.each([
  ['without', {}],
  ['with', { RATE_LIMIT: '100000' }],
])(
  'a server %s RATE_LIMIT goes on whatever its clients send and however they leave',
  { timeout: 60_000 },
  async (_with, environment: Record<string, string>) => {
    const { token, serve } = await servedDatabase()
    const server = await serve({ LOG_LEVEL: 'error', ...environment }, [nodeBinary, ...startArguments])
    const port = Number(new URL(server.origin).port)
    const seed = Math.floor(Math.random() * 2 ** 31)
    await warmUp(port, token)
    const watch = watchServer({ port, pid: server.child.pid! }, bounds)

    const { one } = createRandom(seed)
    const cuts = [lastRequests[0]!, one(lastRequests), one(goodRequests(token))].flatMap(cutAtEveryByte)
    const cut = await attackAll(port, cuts.length, (index) => cuts[index]!)
    expect(cut.findings).toEqual([])
    const { statuses, findings } = await fuzz({ port, token, seed, first: 0, count: connections })
    expect(
      findings.map(
        (finding) =>
          `--seed ${String(seed)} --first ${String(finding.first)} ` +
          `--requests ${String(finding.count)}\n${finding.problem}`,
      ),
    ).toEqual([])
    // Both what is good after all and what is not have been sent.
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '404', '405']))
    expect((await watch.end()).problems, `seed ${String(seed)}`).toEqual([])
    expect(server.stderr().slice(0, 2_000)).toBe('')
    await server.end()
    expect(await server.ended).toBe(0)
  },
)

const vectors = readVectors(join(import.meta.dirname, 'vectors'))

test('what parsers of HTTP are tested with is answered as the contract says, at once and byte by byte', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve({ LOG_LEVEL: 'error' }, [nodeBinary, ...startArguments])
  const port = Number(new URL(server.origin).port)
  await warmUp(port, token)
  const watch = watchServer({ port, pid: server.child.pid! }, bounds)
  expect(await runVectors(port, token, [...vectors, ...vectors.map(asOperation)])).toEqual([])
  expect((await watch.end()).problems).toEqual([])
  expect(server.stderr().slice(0, 2_000)).toBe('')
})

test.each([
  ['the header x-request-id is missing', 404, {}, '{}'],
  ['a fault of the service', 500, { 'X-Request-Id': 'a', 'Cache-Control': 'no-store' }, '{}'],
  [
    'answered 200, not 404',
    200,
    { 'X-Request-Id': 'a', 'Cache-Control': 'no-store', 'X-Content-Type-Options': '' },
    '',
  ],
])('a server whose answer is none of the contract is found out: %s', async (problem, status, headers, body) => {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body))
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  const vector = { place: 'here', text: 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', statuses: '404' }
  expect(await runVectors(port, 'token', [vector])).toEqual([
    expect.stringContaining(`here, at once: ${problem}`),
    expect.stringContaining(`here, byte by byte: ${problem}`),
  ])
})

test('a seed and a number always give the same attack, and another number gives others', () => {
  const text = (number: number) => JSON.stringify(attackOf('token', 1, number))
  expect(text(1)).toBe(text(1))
  expect(new Set(Array.from({ length: 100 }, (_, number) => text(number))).size).toBeGreaterThan(90)
})
