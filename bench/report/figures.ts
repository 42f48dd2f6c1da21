import type { Spread } from '../../scripts/measure/report/spread.ts'
import type { MillionFigures } from '../measurements/million-plants.ts'
import type { WaitFigures } from '../measurements/waits.ts'
import type { MemoryFigures } from '../measurements/throughput.ts'

/** What the report is made from, and what docs/bench/figures.json has; what a run did not measure is absent. */
export interface Figures {
  /** The day, and what it was measured on. */
  date: string
  machine: { processor: string; processors: number; node: string; sqlite: string }
  rounds: number
  milliseconds: number
  throughput: ThroughputFigures[]
  memory: MemoryFigures[]
  /** CPU of a list with a thousand operations in the contract, as a ratio of that with three. */
  operations?: Spread
  million?: MillionFigures[]
  /** Milliseconds from the start to the first answer. */
  start?: Spread
  processes?: { entries: ProcessesFigures[]; waits: Record<keyof WaitFigures, Spread> }
  /** CPU of a request with 10,000,000 plants in the file, as a ratio of that with 1,000. */
  huge?: { list: Spread; create: Spread }
}

/** What the rounds of one workload gave for one contender. */
export interface ThroughputFigures {
  workload: string
  contender: string
  /** CPU of the server for one request. */
  microseconds: Spread
  requestsPerSecond: Spread
  /** Medians: see `Measurement`. */
  generatorBusy: number
  serverWaiting: number
  /** What the project took or gave, as a ratio of what this contender did; absent for the project itself. */
  ratios?: { microseconds: Spread; requestsPerSecond: Spread }
  /** The median of this contender's CPU as a ratio of the project's. */
  factor?: number
}

/** What the rounds of one work gave for so many servers on a store. */
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
