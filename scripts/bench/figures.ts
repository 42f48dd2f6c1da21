import type { HugeFigures } from './measurements/huge-file.ts'
import type { ManyOperationsFigures } from './measurements/many-operations.ts'
import type { MillionFigures } from './measurements/million-plants.ts'
import type { ProcessesFigures } from './measurements/processes.ts'
import type { StartFigures } from './measurements/start-time.ts'
import type { MemoryFigures, ThroughputFigures } from './measurements/throughput.ts'

/** Everything that one run of the bench measured; what it did not measure is absent. */
export interface Figures {
  /** The day, and what it was measured on. */
  date: string
  machine: { processor: string; processors: number; node: string; sqlite: string }
  rounds: number
  milliseconds: number
  throughput: ThroughputFigures[]
  memory: MemoryFigures[]
  operations?: ManyOperationsFigures
  million?: MillionFigures[]
  start?: StartFigures
  processes?: ProcessesFigures
  huge?: HugeFigures
}

/** The middle of several values and their extremes. */
export interface Spread {
  median: number
  lowest: number
  highest: number
}

/** @param values at least one */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  // Both indices are within a list that has at least one member.
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
  return { median, lowest: sorted[0]!, highest: sorted.at(-1)! }
}

/** The ratios of two series, round by round: what disturbed a round is in both halves of its ratio. */
export function ratiosOf(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, round) => value / (others[round] ?? NaN))
}
