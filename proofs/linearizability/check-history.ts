/**
 * A request and its outcome, between two instants of a monotonic clock. Without a response, `to` is Infinity: the
 * operation may take effect at any time after `from`, or never.
 */
export type Operation = { from: number; to: number } & (
  | { kind: 'create'; id: number; name: string; changed: boolean | undefined }
  | { kind: 'delete'; id: number; changed: boolean | undefined }
  | { kind: 'list'; names: State }
)

/** The names of the plants, by their ids; '' where there is none. */
export type State = readonly string[]

export type Verdict =
  | { outcome: 'linearizable' }
  /** The search exceeded its limit of configurations. */
  | { outcome: 'undecided' }
  /** The state after the longest possible order, and the next operations, which do not fit. */
  | { outcome: 'violated'; state: State; next: Operation[] }

/** A set of ordered operations, and the state after them. */
interface Configuration {
  /** How many completed operations are placed, in the order of their calls. */
  first: number
  /** Bit n: the completed operation `first + n` is placed. */
  placed: bigint
  /** Bit n: operation n of those without a response has taken effect. */
  effective: bigint
  state: State
}

/** A search takes half a minute for this many. */
const defaultMaxConfigurations = 100_000

const maxShown = 10

/**
 * Searches for an order of the operations that fits their responses and real time: an operation that completed before
 * another was called comes before it (Herlihy and Wing, "Linearizability", 1990).
 *
 * The algorithm is that of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993). It places an operation
 * that was called before the first unplaced response, and backtracks where none fits. As in Lowe ("Testing for
 * Linearizability", 2017), no configuration is searched twice.
 *
 * @param initial the state before the first operation
 */
export function checkHistory(
  history: readonly Operation[],
  initial: State,
  maxConfigurations = defaultMaxConfigurations,
): Verdict {
  const operations = withoutUnseenNames(history)
  const answered = operations.filter(({ to }) => to < Infinity).sort((a, b) => a.from - b.from)
  const unanswered = operations.filter(({ to }) => to === Infinity)
  const visited = new Set<string>()
  const waiting: Configuration[] = [{ first: 0, placed: 0n, effective: 0n, state: initial }]
  let furthest = waiting[0]!
  for (let popped = waiting.pop(); popped !== undefined; popped = waiting.pop()) {
    const configuration = placeUnchanging(answered, popped)
    if (configuration.first === answered.length) return { outcome: 'linearizable' }
    if (configuration.first > furthest.first) furthest = configuration
    const { first, placed, effective, state } = configuration
    const key = `${String(first)} ${placed.toString(36)} ${effective.toString(36)} ${JSON.stringify(state)}`
    if (visited.has(key)) continue
    if (visited.size === maxConfigurations) return { outcome: 'undecided' }
    visited.add(key)
    waiting.push(...successors(answered, unanswered, configuration))
  }
  const next = answered.filter((_, index) => !isPlaced(furthest, index)).slice(0, maxShown)
  return { outcome: 'violated', state: furthest.state, next }
}

/** @returns the state after an operation, the same object if unchanged; undefined if its response does not fit */
function apply(operation: Operation, state: State): State | undefined {
  if (operation.kind === 'list') return operation.names.every((name, id) => name === state[id]) ? state : undefined
  const changes = (state[operation.id] === '') === (operation.kind === 'create')
  if (operation.changed !== undefined && operation.changed !== changes) return undefined
  return changes ? state.with(operation.id, operation.kind === 'create' ? operation.name : '') : state
}

/** The completed operations that may come next, and the earliest response of the unplaced ones. */
function candidates(
  answered: readonly Operation[],
  configuration: Configuration,
): { indexes: number[]; earliest: number } {
  const indexes: number[] = []
  let earliest = Infinity
  for (let index = configuration.first; index < answered.length; index++) {
    const { from, to } = answered[index]!
    if (from > earliest) break
    if (isPlaced(configuration, index)) continue
    indexes.push(index)
    earliest = Math.min(earliest, to)
  }
  return { indexes, earliest }
}

function isPlaced({ first, placed }: Configuration, index: number): boolean {
  return index < first || ((placed >> BigInt(index - first)) & 1n) === 1n
}

function place(configuration: Configuration, index: number, state: State): Configuration {
  let { first, placed } = configuration
  placed |= 1n << BigInt(index - first)
  for (; (placed & 1n) === 1n; placed >>= 1n) first++
  return { ...configuration, first, placed, state }
}

/**
 * Places operations that fit and change nothing. No alternative needs a try: in any order that has one of them later,
 * it could be moved here.
 */
function placeUnchanging(answered: readonly Operation[], from: Configuration): Configuration {
  const { state } = from
  let configuration = from
  for (;;) {
    const { indexes } = candidates(answered, configuration)
    const unchanging = indexes.filter((index) => apply(answered[index]!, state) === state)
    if (unchanging.length === 0) return configuration
    for (const index of unchanging) configuration = place(configuration, index, state)
  }
}

/**
 * The configurations after each operation that may come next, the most promising last. Of several with the same next
 * state, the one that completed first is enough: it can replace the others in any order.
 */
function successors(
  answered: readonly Operation[],
  unanswered: readonly Operation[],
  configuration: Configuration,
): Configuration[] {
  const { indexes, earliest } = candidates(answered, configuration)
  const { effective, state } = configuration
  const byState = new Map<string, Configuration>()
  function add(operation: Operation, lead: (next: State) => Configuration): void {
    const next = apply(operation, state)
    if (next === undefined || next === state || operation.kind === 'list') return
    const key = JSON.stringify(next)
    if (!byState.has(key)) byState.set(key, lead(next))
  }
  indexes.sort((a, b) => answered[a]!.to - answered[b]!.to)
  for (const index of indexes) add(answered[index]!, (next) => place(configuration, index, next))
  for (const [index, operation] of unanswered.entries()) {
    const bit = 1n << BigInt(index)
    if (operation.from > earliest || (effective & bit) !== 0n) continue
    add(operation, (next) => ({ ...configuration, effective: effective | bit, state: next }))
  }
  return [...byState.values()].reverse()
}

/** Gives the same name to all creates that no list shows, so that their states are equal. */
function withoutUnseenNames(history: readonly Operation[]): Operation[] {
  const seen = new Set(history.flatMap((operation) => (operation.kind === 'list' ? operation.names : [])))
  return history.map((operation) =>
    operation.kind === 'create' && !seen.has(operation.name) ? { ...operation, name: '(in no list)' } : operation,
  )
}
