import { readArguments } from '../scripts/command.ts'
import { spreadOf, spreadText } from './compare/figures.ts'
import { report } from '../test/support/run-named.ts'
import type { OfferedResult } from './load/load.ts'
import { startLoad } from './load/start-load.ts'
import { startLoadedServer } from '../test/support/server/lab.ts'

const usage = 'Usage: npm run bench -- overload   offers a server twice the load that saturates it, for a minute'

/** The share of the best rate that must succeed in time at twice that load. */
const wantedShare = 0.8

const connectionCounts = [16, 64, 256]
/** Opened before the load, as proxies do: Node accepts one connection per turn of its event loop. */
const offeredConnections = 4_000
const rounds = 7
const trialMilliseconds = 2_000
const offeredMilliseconds = 3_000
const lateMilliseconds = 1_000

/** Rates are per second. */
interface Round {
  /** The rate of a closed loop, in which each client waits for its response. */
  best: number
  offered: number
  /** Responses of 200 within a second after the request was due. */
  good: number
  refused: number
  late: number
  /** The longest wait for a response other than 503, in milliseconds. */
  worst: number
  unsent: number
  unanswered: number
}

/** Finds the best rate of a closed loop. Then each round measures it and offers twice as much. */
async function measure(): Promise<Round[]> {
  await using server = await startLoadedServer(0)
  await using generator = startLoad()
  // No id is used twice.
  let first = 0

  async function create(connections: number, maxMilliseconds: number, rate?: number) {
    const result = await generator.run({
      port: server.port,
      token: server.token,
      operation: { kind: 'create', firstId: first },
      connections,
      maxRequests: Number.MAX_SAFE_INTEGER,
      maxMilliseconds,
      ...(rate !== undefined && { rate }),
    })
    first += result.requests + (result.offered?.unanswered ?? 0) + connections
    return result
  }

  async function closedLoop(connections: number): Promise<number> {
    const { requests, milliseconds } = await create(connections, trialMilliseconds)
    return (requests / milliseconds) * 1_000
  }

  const rates: number[] = []
  for (const connections of connectionCounts) rates.push(await closedLoop(connections))
  // There is a rate for each count.
  const connections = connectionCounts[rates.indexOf(Math.max(...rates))]!
  const measured: Round[] = []
  for (let round = 1; round <= rounds; round++) {
    const best = await closedLoop(connections)
    const { offered } = await create(offeredConnections, offeredMilliseconds, 2 * best)
    // A job with a rate has these figures.
    measured.push({ best, offered: 2 * best, ...figuresOf(offered!) })
  }
  return measured
}

function figuresOf({ unsent, unanswered, responses }: OfferedResult): Omit<Round, 'best' | 'offered'> {
  const taken = responses.filter(([status]) => status !== '503')
  const late = taken.filter(([, wait]) => wait > lateMilliseconds)
  const good = taken.filter(([status, wait]) => status === '200' && wait <= lateMilliseconds)
  const perSecond = (count: number) => (count * 1_000) / offeredMilliseconds
  return {
    good: perSecond(good.length),
    refused: perSecond(responses.length - taken.length),
    late: perSecond(late.length),
    worst: taken.reduce((worst, [, wait]) => Math.max(worst, wait), 0),
    unsent: perSecond(unsent),
    unanswered: perSecond(unanswered),
  }
}

/** Measures and prints medians of the rounds. The exit code is 1 if too few requests succeed in time. */
export async function run(args: string[]): Promise<void> {
  readArguments(usage, { args, options: {} })
  const measured = await measure()
  const spread = (valueOf: (round: Round) => number, digits = 0) => spreadText(spreadOf(measured.map(valueOf)), digits)
  const figures: [string, (round: Round) => number][] = [
    ['creates a second, of clients that wait for their responses', ({ best }) => best],
    ['offered a second, whether or not responses come', ({ offered }) => offered],
    ['200 within a second, a second', ({ good }) => good],
    ['503, a second', ({ refused }) => refused],
    ['later than a second, a second', ({ late }) => late],
    ['longest wait for a response other than 503, ms', ({ worst }) => worst],
    ['without a free connection, a second', ({ unsent }) => unsent],
    ['without a response at the end, a second', ({ unanswered }) => unanswered],
  ]
  for (const [name, valueOf] of figures) report(name, spread(valueOf))
  const shareOf = ({ good, best }: Round) => good / best
  const isReached = spreadOf(measured.map(shareOf))!.median >= wantedShare
  report(
    `200 within a second, share of the first line; target: ≥ ${String(wantedShare)}`,
    spread(shareOf, 2),
    isReached,
  )
}
