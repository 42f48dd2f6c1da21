import { type Contender, bunServe, fastifyByHand, nodeHttp, own, ownOnPostgres } from './contenders.ts'

/** The figures of one measurement. */
export type Figures = Partial<Record<Quantity, number>>

export type Quantity = 'cpu' | 'rate' | 'waiting' | 'start' | 'memory'

/** The figures of one server for one work, by round. */
export interface Series {
  work: string
  server: string
  rounds: Figures[]
}

/** The median and the extremes of several values. */
export interface Spread {
  median: number
  lowest: number
  highest: number
}

/** @returns undefined without values */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  // Both indices are within a list that has at least one member.
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
  return { median, lowest: sorted[0]!, highest: sorted.at(-1)! }
}

/** A median, with the lowest and highest value if they differ; empty if nothing was measured. */
export function spreadText(spread: Spread | undefined, digits: number): string {
  if (spread === undefined) return ''
  const { median, lowest, highest } = spread
  const text = median.toFixed(digits)
  return lowest === highest ? text : `${text} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`
}

/**
 * A quantity of a server, or its ratio to another server. Ratios are computed by round, so that a disturbance affects
 * both numbers.
 *
 * @returns undefined if it was not measured
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

/** A target for speed or memory: a figure of a server, or its ratio to another server. */
export interface Target {
  work: string
  quantity: Quantity
  server: string
  other: string | undefined
  /** The maximum of the median, or its minimum with `isFloor`. */
  limit: number
  isFloor?: true
}

/** Those of the service. */
export const targets: readonly Target[] = [
  cpu('list-1', 0.4),
  cpu('list-20', 0.36),
  cpu('list-1000', 0.3),
  cpu('create', 0.27),
  cpu('delete', 0.35),
  cpu('list-1', 1.1, own, bunServe),
  cpu('list-20', 0.85, own, bunServe),
  cpu('create', 0.35, own, bunServe),
  cpu('list-20-alone', 1.2),
  rate('list-20-alone', 0.85),
  cpu('create-alone', 1.9),
  rate('create-alone', 0.6),
  { work: 'start', quantity: 'start', server: own.name, other: fastifyByHand.name, limit: 1.35 },
  { work: 'start', quantity: 'memory', server: own.name, other: undefined, limit: 95 },
  cpu('list-20', 2, ownOnPostgres, own),
  cpu('create', 1.5, ownOnPostgres, own),
]

function cpu(work: string, limit: number, server: Contender = own, other: Contender = nodeHttp): Target {
  return { work, quantity: 'cpu', server: server.name, other: other.name, limit }
}

function rate(work: string, limit: number): Target {
  return { work, quantity: 'rate', server: own.name, other: nodeHttp.name, limit, isFloor: true }
}

/** The quantities: their names in targets, and the heads, the decimal places and the ratios of their columns. */
export const quantities: Record<Quantity, { name: string; head: string; digits: number; hasRatio: boolean }> = {
  cpu: { name: 'CPU', head: 'CPU a request, µs', digits: 1, hasRatio: true },
  rate: { name: 'requests a second', head: 'requests a second', digits: 0, hasRatio: true },
  waiting: { name: 'time kept waiting', head: 'kept waiting, %', digits: 0, hasRatio: false },
  start: { name: 'ms to the first response', head: 'first response, ms', digits: 0, hasRatio: true },
  memory: { name: 'MiB of memory', head: 'memory, MiB', digits: 0, hasRatio: true },
}

/** A target, and the figure of a run. */
export interface MeasuredTarget {
  work: string
  target: string
  /** The median with the lowest and highest value; empty if not measured. */
  measured: string
  verdict: 'reached' | 'missed' | 'not measured'
}

/** Compares a run with targets. @param own the server that is not named */
export function targetsOf(series: readonly Series[], targets: readonly Target[], own: string): MeasuredTarget[] {
  return targets.map(({ work, quantity, server, other, limit, isFloor = false }) => {
    const digits = other === undefined ? 0 : 2
    const whose = server === own ? '' : ` of ${server}`
    const rivalText = other === undefined ? '' : ` of ${other}`
    const bound = `${isFloor ? '≥' : '≤'} ${limit.toFixed(digits)}${rivalText}`
    const target = `${quantities[quantity].name}${whose} ${bound}`
    const spread = figureOf(series, work, quantity, server, other)
    if (spread === undefined) return { work, target, measured: '', verdict: 'not measured' }
    const isReached = isFloor ? spread.median >= limit : spread.median <= limit
    return { work, target, measured: spreadText(spread, digits), verdict: isReached ? 'reached' : 'missed' }
  })
}
