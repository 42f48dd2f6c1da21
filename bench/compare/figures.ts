/** What one measurement of a server gives. */
export type Figures = Partial<Record<Quantity, number>>

export type Quantity = 'cpu' | 'rate' | 'waiting' | 'start' | 'memory'

/** The figures of one server doing one work, one for each round. */
export interface Series {
  work: string
  server: string
  rounds: Figures[]
}

/** The middle of several values and their extremes. */
export interface Spread {
  median: number
  lowest: number
  highest: number
}

/** @returns undefined where there are no values */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  // Both indices are within a list that has at least one member.
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
  return { median, lowest: sorted[0]!, highest: sorted.at(-1)! }
}

/** A median with the lowest and the highest value, where there are several. */
export function spreadText({ median, lowest, highest }: Spread, digits: number): string {
  const text = median.toFixed(digits)
  return lowest === highest ? text : `${text} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`
}

/**
 * A quantity of a server, or its ratio to that of another one. Ratios are computed round by round: a disturbance of a
 * round is then in both numbers.
 *
 * @returns undefined where it was not measured
 */
export function figureOf(
  series: readonly Series[],
  work: string,
  quantity: Quantity,
  server: string,
  other?: string,
): Spread | undefined {
  const roundsOf = (name: string) => series.find((each) => each.work === work && each.server === name)?.rounds ?? []
  const values = roundsOf(server).map((round) => round[quantity] ?? NaN)
  const divisors = other === undefined ? undefined : roundsOf(other).map((round) => round[quantity] ?? NaN)
  const figures = divisors === undefined ? values : values.map((value, round) => value / (divisors[round] ?? NaN))
  return spreadOf(figures.filter((figure) => !Number.isNaN(figure)))
}
