import { takeNoArguments } from '../command.ts'
import { startLoad } from './load/start-load.ts'
import type { OfferedResult } from './load/offer-load.ts'
import { createProgress } from './report/progress.ts'
import { spreadOf } from './report/spread.ts'
import { startLoadedServer } from './servers/loaded-server.ts'

/** Rates are per second. */
interface OverloadRound extends OfferedResult {
  /** The rate of a closed loop: each client waits for its answer before it asks again. */
  best: number
  offered: number
}

/** The share of the best rate that must be answered in time at twice the load that saturates. */
const wantedShare = 0.8

const connectionCounts = [16, 64, 256]
const rounds = 7
const trialMilliseconds = 2_000
const offeredSeconds = 3

/** Finds the best rate of a closed loop. Then, in rounds, measures it and offers the server twice as much. */
async function measure(onProgress: (line: string) => void): Promise<OverloadRound[]> {
  const server = await startLoadedServer(0)
  const generator = startLoad()
  const { port, token } = server
  // No id is used twice.
  let first = 0

  /** @returns answers per second to clients that each wait for their answer */
  async function closedLoop(connections: number): Promise<number> {
    const { requests, milliseconds } = await generator.run({
      port,
      token,
      operation: { kind: 'create', ids: { first, scatterOver: undefined } },
      connections,
      maxRequests: Number.MAX_SAFE_INTEGER,
      maxMilliseconds: trialMilliseconds,
    })
    first += requests + connections
    return (requests / milliseconds) * 1_000
  }

  /** @param rate requests per second, whether or not answers come */
  async function openLoop(rate: number): Promise<OfferedResult> {
    const result = await generator.offer({ port, token, rate, seconds: offeredSeconds, first })
    first += Math.ceil(rate * (offeredSeconds + 1))
    return result
  }

  try {
    const rates: number[] = []
    for (const connections of connectionCounts) {
      onProgress(`${String(connections)} clients that wait for their answers`)
      rates.push(await closedLoop(connections))
    }
    // There is a rate for each count.
    const connections = connectionCounts[rates.indexOf(Math.max(...rates))]!
    const measured: OverloadRound[] = []
    for (let round = 1; round <= rounds; round++) {
      const best = await closedLoop(connections)
      const rate = `${String(Math.round(best))} creates a second for ${String(connections)} clients`
      onProgress(`round ${String(round)} of ${String(rounds)}: ${rate}, now twice as many`)
      measured.push({ best, offered: 2 * best, ...(await openLoop(2 * best)) })
    }
    return measured
  } finally {
    await generator.stop()
    await server.stop()
  }
}

takeNoArguments('Usage: npm run overload   offers a server of its own twice the load that saturates it, for a minute')

const progress = createProgress()
const measured = await measure(progress.show)
progress.end()

function print(name: string, valueOf: (round: OverloadRound) => number, meaning: string, digits = 0): void {
  const { median, lowest, highest } = spreadOf(measured.map(valueOf))
  const spread = `(${lowest.toFixed(digits)}–${highest.toFixed(digits)})`
  console.log(`${name.padEnd(14)}${median.toFixed(digits).padStart(6)} ${spread} ${meaning}`)
}

print('best', ({ best }) => best, 'creates a second, for clients that wait for their answers')
print('offered', ({ offered }) => offered, 'a second, twice that, whether or not answers come')
print('good', ({ good }) => good, 'a second answered 200 within a second')
print('refused', ({ refused }) => refused, 'a second answered 503')
print('late', ({ late }) => late, 'a second answered after more than a second')
print('longest wait', ({ worst }) => worst, 'ms, of an answer that was no refusal')
print('not sent', ({ unsent }) => unsent, 'a second found no free connection')
print('not answered', ({ unanswered }) => unanswered, 'a second still waited at the end')
const shareOf = ({ good, best }: OverloadRound) => good / best
print('share', shareOf, `of the best was good, at least ${String(wantedShare)} wanted`, 2)
console.log(`medians of ${String(rounds)} rounds (lowest–highest)`)
process.exitCode = spreadOf(measured.map(shareOf)).median >= wantedShare ? 0 : 1
