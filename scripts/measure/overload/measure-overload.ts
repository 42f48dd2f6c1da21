import { type LoadGenerator, startLoad } from '../load/start-load.ts'
import { type LoadedServer, startLoadedServer } from '../servers/loaded-server.ts'
import { type OfferedResult, offerInProcess } from './offer-load.ts'

/** Rates are a second. */
export interface OverloadRound extends OfferedResult {
  /** What was answered when each client waited for its answer before it asked again. */
  best: number
  offered: number
}

const connectionCounts = [16, 64, 256]
const rounds = 7
const trialMilliseconds = 2_000
const offeredSeconds = 3

/**
 * Finds with how many clients that wait for their answers the real server answers most creates, and then, in rounds,
 * how many
 * it answers them, and what it answers right after that when twice as many are asked for.
 */
export async function measureOverload(tell: (line: string) => void): Promise<OverloadRound[]> {
  const server = await startLoadedServer(0)
  const generator = startLoad()
  const load = new Load(server, generator)
  try {
    const rates: number[] = []
    for (const connections of connectionCounts) {
      tell(`${String(connections)} clients that wait for their answers`)
      rates.push(await load.waiting(connections))
    }
    // There is a rate for each count.
    const connections = connectionCounts[rates.indexOf(Math.max(...rates))]!
    const measured: OverloadRound[] = []
    for (let round = 1; round <= rounds; round++) {
      const best = await load.waiting(connections)
      tell(
        `round ${String(round)} of ${String(rounds)}: ${String(Math.round(best))} creates a second for ${String(connections)} clients, now twice as many`,
      )
      measured.push({ best, offered: 2 * best, ...(await load.offered(2 * best)) })
    }
    return measured
  } finally {
    await generator.stop()
    await server.stop()
  }
}

/** Creates with ids of which none is used twice. */
class Load {
  readonly #server: LoadedServer
  readonly #generator: LoadGenerator
  #first = 0

  constructor(server: LoadedServer, generator: LoadGenerator) {
    this.#server = server
    this.#generator = generator
  }

  /** @returns how many a second are answered to clients of which each waits for its answer */
  async waiting(connections: number): Promise<number> {
    const { port, token } = this.#server
    const operation = { kind: 'create' as const, ids: { first: this.#first, scatterOver: undefined } }
    const { requests, milliseconds } = await this.#generator.run({
      port,
      token,
      operation,
      connections,
      maxRequests: Number.MAX_SAFE_INTEGER,
      maxMilliseconds: trialMilliseconds,
    })
    this.#first += requests + connections
    return (requests / milliseconds) * 1_000
  }

  /** @param rate how many are asked for a second, whether or not answers come */
  async offered(rate: number): Promise<OfferedResult> {
    const { port, token } = this.#server
    const first = this.#first
    this.#first += Math.ceil(rate * (offeredSeconds + 1))
    return offerInProcess({ port, token, rate, seconds: offeredSeconds, first })
  }
}
