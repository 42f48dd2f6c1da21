import { expect, test } from 'vitest'
import { startArguments } from '../../../scripts/measure/servers/server-process.ts'
import { cutAtEveryByte } from '../../../scripts/measure/fuzz/attack.ts'
import { attackAll, attackOf, fuzz, warmUp } from '../../../scripts/measure/fuzz/fuzz.ts'
import { createRandom } from '../../../scripts/measure/fuzz/random.ts'
import { goodRequests, lastRequests } from '../../../scripts/measure/fuzz/requests.ts'
import { watchServer } from '../../../scripts/measure/fuzz/watch.ts'
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

test('a seed and a number always give the same attack, and another number gives others', () => {
  const text = (number: number) => JSON.stringify(attackOf('token', 1, number))
  expect(text(1)).toBe(text(1))
  expect(new Set(Array.from({ length: 100 }, (_, number) => text(number))).size).toBeGreaterThan(90)
})
