import { startLoad } from '../bench/load/start-load.ts'
import { startLoadedServer } from '../load/loaded-server.ts'
import { type OfferedResult, offerInProcess } from './offer-load.ts'

/** Rates are a second. */
export interface OverloadFigures extends OfferedResult {
  /** The most that was answered when each client waited for its answer before it asked again. */
  best: number
  offered: number
}

const trialMilliseconds = 4_000
const connectionCounts = [16, 64, 256]
const offeredSeconds = 10

/** Finds the most creates a second that the real server answers, and what it answers when twice as many are asked for. */
export async function measureOverload(tell: (line: string) => void): Promise<OverloadFigures> {
  const server = await startLoadedServer(0)
  const generator = startLoad()
  let best = 0
  let first = 0
  try {
    for (const connections of connectionCounts) {
      tell(`${String(connections)} clients that wait for their answers`)
      const { requests, milliseconds } = await generator.run({
        port: server.port,
        token: server.token,
        operation: { kind: 'create', ids: { first, scatterOver: undefined } },
        connections,
        maxRequests: Number.MAX_SAFE_INTEGER,
        maxMilliseconds: trialMilliseconds,
      })
      first += requests + connections
      best = Math.max(best, (requests / milliseconds) * 1_000)
    }
    const offered = 2 * best
    tell(`${String(Math.round(offered))} creates a second for ${String(offeredSeconds)} s`)
    return { best, offered, ...(await offerInProcess({ port: server.port, token: server.token, rate: offered, seconds: offeredSeconds, first })) }
  } finally {
    await generator.stop()
    await server.stop()
  }
}
