import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { handlers } from '../../../src/handlers.ts'
import { watchServer } from '../../../bench/servers/watch.ts'
import { descriptorsOf } from '../../../bench/servers/process-figures.ts'
import { startApp } from '../../support/server/start-app.ts'
import {
  costBefore,
  costOf,
  expectCheapPipelines,
  expectCost,
  openUnread,
  poolSize,
  readInTurn,
  readTogether,
  serve,
} from '../../support/server/unread-connections.ts'

test(
  'a connection that sends a segment full of requests for 1,000 large plants and reads nothing costs 2 MiB at most',
  { timeout: 60_000 },
  async () => {
    const served = await serve(1_000)
    await expectCheapPipelines(served, served.list('/plants?limit=1000'), { bytes: 59_000, connections: 40, reads: 20 })
  },
)

test(
  '40 unread lists of 20,000 large plants cost 40 MiB at most, others are served, nothing leaks, SIGTERM ends all',
  { timeout: 60_000 },
  async () => {
    const served = await serve(20_000, { SHUTDOWN_GRACE: '4' })
    const request = served.list('/plants')
    const connections = 40
    await readTogether(served, served.list('/plants?limit=1'))
    await readInTurn(served, 3, request)
    const before = await costBefore(served)
    const watch = watchServer(served, {
      livezMilliseconds: 10_000,
      growthMebibytes: Infinity,
      moreDescriptors: poolSize,
    })
    // What leaks adds up from round to round.
    for (const round of [1, 2])
      expectCost(
        await costOf(served, connections, request),
        before,
        connections,
        `${String(connections)} in round ${String(round)}`,
      )
    expect((await watch.end()).problems).toEqual([])
    const descriptors = descriptorsOf(served.pid).length
    await openUnread(served, connections, request)
    await readInTurn(served, 1, served.list('/plants?limit=1'))
    expect(descriptorsOf(served.pid).length).toBeLessThanOrEqual(descriptors + connections + 2 + poolSize)
    const start = performance.now()
    served.child.kill('SIGTERM')
    expect(await served.ended, served.stderr()).toBe(0)
    expect(performance.now() - start).toBeLessThan(10_000)
  },
)

test('a list whose client left while it was read from the store is not counted as unread for ever', async () => {
  const steps = new EventEmitter()
  const [asked, left, read] = [once(steps, 'asked'), once(steps, 'left'), once(steps, 'read')]
  const { listen, store, token, logLines } = await startApp({
    limits: { unreadBytes: 1 },
    handlers: {
      ...handlers,
      listPlants: async (request, context) => {
        steps.emit('asked')
        await left
        const reply = await handlers.listPlants(request, context)
        steps.emit('read')
        return reply
      },
    },
  })
  const name = 'm'.repeat(255)
  await Promise.all(Array.from({ length: 100 }, (_, id) => store.create('me', { id: BigInt(id), name })))
  const origin = await listen()
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await asked
  socket.resetAndDestroy()
  await expect.poll(() => logLines.join('')).toContain('response cut off')
  steps.emit('left')
  await read
  const response = await fetch(`${origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  expect(await response.json()).toHaveLength(100)
})
