import { type Spread, spreadOf } from '../spread.ts'
import { own } from './contenders.ts'
import type { MillionFigures } from './million-plants.ts'
import type { PairRounds } from './pairs.ts'
import type { Measurement } from './running-contender.ts'
import type { StartRounds } from './start-time.ts'
import type { MemoryFigures, ThroughputRounds } from './throughput.ts'

/** The figures of a run. Parts that were not measured are absent. */
export interface Figures {
  /** The day of the run. */
  date: string
  machine: { processor: string; processors: number; node: string; sqlite: string }
  rounds: number
  milliseconds: number
  throughput: ThroughputFigures[]
  memory: MemoryFigures[]
  /** CPU of a list with 1,000 operations in the contract, divided by that with 3. */
  operations?: Spread
  million?: MillionFigures[]
  start?: StartFigures[]
  /** CPU of a request with 10,000,000 plants in the file, divided by that with 1,000. */
  huge?: { list: Spread; create: Spread }
}

/** The figures of one contender in one workload. */
export interface ThroughputFigures {
  workload: string
  contender: string
  /** CPU of the server for one request. */
  microseconds: Spread
  requestsPerSecond: Spread
  /** Medians: see `Measurement`. */
  generatorBusy: number
  serverWaiting: number
  /** The project's figures divided by this contender's; absent for the project. */
  ratios?: { microseconds: Spread; requestsPerSecond: Spread }
}

/** Milliseconds from the start of a server's process to its first answer. */
export interface StartFigures {
  contender: string
  milliseconds: Spread
  /** The project's time divided by this contender's; absent for the project. */
  ratio?: Spread
}

/** Divides two series round by round. A disturbance of a round is in both numbers of its ratio. */
function ratiosOf(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, round) => value / (others[round] ?? NaN))
}

/** Summarizes the rounds of each contender in each workload. */
export function throughputFigures(measured: ThroughputRounds[]): ThroughputFigures[] {
  return measured.map(({ workload, contender, rounds }) => {
    const ours = measured.find((other) => other.workload === workload && other.contender === own.name)?.rounds
    const spreadOfAll = (quantity: keyof Measurement) => spreadOf(valuesOf(rounds, quantity))
    const ratio = (quantity: keyof Measurement) =>
      spreadOf(ratiosOf(valuesOf(ours ?? [], quantity), valuesOf(rounds, quantity)))
    return {
      workload,
      contender,
      microseconds: spreadOfAll('microseconds'),
      requestsPerSecond: spreadOfAll('requestsPerSecond'),
      generatorBusy: spreadOfAll('generatorBusy').median,
      serverWaiting: spreadOfAll('serverWaiting').median,
      ...(ours !== rounds && {
        ratios: { microseconds: ratio('microseconds'), requestsPerSecond: ratio('requestsPerSecond') },
      }),
    }
  })
}

export function startFigures(measured: StartRounds[]): StartFigures[] {
  const ours = measured.find(({ contender }) => contender === own.name)?.milliseconds ?? []
  return measured.map(({ contender, milliseconds }) => ({
    contender,
    milliseconds: spreadOf(milliseconds),
    ...(contender !== own.name && { ratio: spreadOf(ratiosOf(ours, milliseconds)) }),
  }))
}

/** CPU of the second server of each round, divided by that of the first. */
export function pairFigures(rounds: PairRounds): Spread {
  return spreadOf(rounds.map(({ few, many }) => many.microseconds / few.microseconds))
}

function valuesOf(rounds: readonly Measurement[], quantity: keyof Measurement): number[] {
  return rounds.map((round) => round[quantity])
}
