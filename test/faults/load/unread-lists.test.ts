import { expect, inject, test } from 'vitest'
import { watchServer } from '../../../scripts/measure/fuzz/watch.ts'
import { descriptorsOf, memoryOf } from '../../../scripts/measure/servers/process-figures.ts'
import {
  expectCheapPipelines,
  openUnread,
  peakOf,
  poolSize,
  readInTurn,
  readTogether,
  serve,
} from '../../support/server/unread-connections.ts'

test(
  'a connection that sends a segment full of requests for 1,000 large plants and reads nothing costs 2 MiB at most',
  { timeout: 60_000, retry: 2 },
  async () => {
    const served = await serve(1_000)
    await expectCheapPipelines(served, served.list('/plants?limit=1000'), { bytes: 59_000, connections: 40, reads: 20 })
  },
)

test(
  '100 lists of 20,000 large plants that nobody reads cost 100 MiB at most, others are served, nothing leaks, and SIGTERM ends it all',
  { timeout: 60_000, retry: 2 },
  async () => {
    const served = await serve(20_000, { SHUTDOWN_GRACE: '2' })
    const request = served.list('/plants')
    await readTogether(served, served.list('/plants?limit=1'))
    await readInTurn(served, 3, request)
    const before = memoryOf(served.pid, 'VmHWM')
    const watch = watchServer(served, {
      livezMilliseconds: 3_000,
      growthMebibytes: Infinity,
      moreDescriptors: poolSize,
    })
    // What leaks adds up from round to round.
    for (const round of [1, 2]) {
      const cost = (await peakOf(served, 100, request)) - before
      expect(cost, `MiB for 100 connections in round ${String(round)}`).toBeLessThan(
        100 + (inject('engine') === 'postgres' ? 32 : 0),
      )
    }
    expect((await watch.end()).problems).toEqual([])
    const descriptors = descriptorsOf(served.pid).length
    await openUnread(served, 100, request)
    await readInTurn(served, 1, served.list('/plants?limit=1'))
    expect(descriptorsOf(served.pid).length).toBeLessThanOrEqual(descriptors + 102 + poolSize)
    const start = performance.now()
    served.child.kill('SIGTERM')
    expect(await served.ended).toBe(0)
    expect(performance.now() - start).toBeLessThan(10_000)
  },
)
