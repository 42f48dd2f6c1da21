import type { Spread } from '../../scripts/measure/report/spread.ts'
import type { MillionFigures } from '../measurements/million-plants.ts'
import type { InstallFigures } from '../measurements/installs.ts'
import type { WaitFigures } from '../measurements/waits.ts'
import type { MemoryFigures } from '../measurements/throughput.ts'

/** The figures of a run, as in docs/bench/figures.json. Parts that were not measured are absent. */
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
  installs?: InstallFigures[]
  processes?: { entries: ProcessesFigures[]; waits: Record<keyof WaitFigures, Spread> }
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
  /** The median of this contender's CPU divided by the project's. */
  factor?: number
}

/** Milliseconds from the start of a server's process to its first answer. */
export interface StartFigures {
  contender: string
  milliseconds: Spread
  /** The project's time divided by this contender's; absent for the project. */
  ratio?: Spread
}

/** The figures of one work on a store, with a number of servers. */
export interface ProcessesFigures {
  work: string
  store: string
  processes: number
  serverMicroseconds: Spread
  /** Absent for SQLite, which works in the server. */
  databaseMicroseconds?: Spread
  requestsPerSecond: Spread
  /** Medians: the share of the busiest server in the servers' CPU, and see `Measurement`. */
  busiestShare: number
  generatorBusy: number
}

/** The figures as JSON, with a line for each entry of a list. */
export function figuresAsJson(figures: Figures): string {
  const members = Object.entries(figures).map(([name, value]: [string, unknown]) => {
    const text = Array.isArray(value) ? `[\n${value.map(textOfEntry).join(',\n')}\n  ]` : JSON.stringify(value)
    return `  ${JSON.stringify(name)}: ${text}`
  })
  return `{\n${members.join(',\n')}\n}\n`
}

function textOfEntry(entry: unknown): string {
  return `    ${JSON.stringify(entry)}`
}
