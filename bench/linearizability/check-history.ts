/**
 * What was asked and what was answered, between two instants of one monotonic clock. `answer` is Infinity if there was
 * none: the operation may then take effect at any time after its call, or never.
 */
export type Operation = { call: number; answer: number } & (
  | { kind: 'create'; id: number; name: string; changed: boolean | undefined }
  | { kind: 'delete'; id: number; changed: boolean | undefined }
  | { kind: 'list'; names: State }
)

/** The name of the plant with each id, which is the index; '' where there is none. */
export type State = readonly string[]

export type Verdict =
  | { outcome: 'linearizable' }
  /** The search has met more configurations than it may. */
  | { outcome: 'undecided' }
  /** The state to which the longest order leads, and the operations that were called next and have no place in it. */
  | { outcome: 'violated'; state: State; next: Operation[] }

/** A set of operations that have an order, and the state after them. */
interface Configuration {
  /** This many answered operations have their place, in the order of their calls. */
  first: number
  /** Bit n says whether the answered operation `first + n` has its place. */
  placed: bigint
  /** Bit n says whether the operation n of those without an answer has taken effect. */
  effective: bigint
  state: State
}

/** A search takes half a minute to meet so many. */
const defaultMaxConfigurations = 100_000

const maxShown = 10

/**
 * Looks for an order of the operations that their answers and the real time allow: an operation that was answered
 * before another was called comes before it (Herlihy and Wing, "Linearizability", 1990).
 *
 * The search is that of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993). It places an operation that
 * was called before every answer that has no place yet, and goes back where none fits. As in Lowe ("Testing for
 * Linearizability", 2017), a configuration that was met before is not searched again.
 *
 * @param initial the state before the first operation
 */
export function checkHistory(
  history: readonly Operation[],
  initial: State,
  maxConfigurations = defaultMaxConfigurations,
): Verdict {
  const operations = withoutUnseenNames(history)
  const answered = operations.filter(({ answer }) => answer < Infinity).sort((a, b) => a.call - b.call)
  const unanswered = operations.filter(({ answer }) => answer === Infinity)
  const met = new Set<string>()
  const waiting: Configuration[] = [{ first: 0, placed: 0n, effective: 0n, state: initial }]
  let furthest = waiting[0]!
  const bounds = boundsOfNames(operations, answered, initial)
  for (let popped = waiting.pop(); popped !== undefined; popped = waiting.pop()) {
    const configuration = placeUnchanging(answered, popped)
    if (configuration.first === answered.length) return { outcome: 'linearizable' }
    if (configuration.first > furthest.first) furthest = configuration
    const { first, placed, effective, state } = configuration
    const key = `${String(first)} ${placed.toString(36)} ${effective.toString(36)} ${JSON.stringify(state)}`
    if (met.has(key)) continue
    if (met.size === maxConfigurations) return { outcome: 'undecided' }
    met.add(key)
    waiting.push(...successors(answered, unanswered, bounds, configuration))
  }
  const next = answered.filter((_, index) => !isPlaced(furthest, index)).slice(0, maxShown)
  return { outcome: 'violated', state: furthest.state, next }
}

/**
 * Checks a history whose first state is empty. Each id by itself comes first: plants with different ids are independent
 * objects, so a violation of one id is found in its own short history (Horn and Kroening, "Faster linearizability
 * checking via P-compositionality", 2015). Then all ids at once, of which each list is one snapshot.
 *
 * @param ids how many ids there are, from 0 on
 */
export function checkPlants(history: readonly Operation[], ids: number): Verdict {
  for (let id = 0; id < ids; id++) {
    const verdict = checkHistory(historyOfId(history, id), [''])
    if (verdict.outcome !== 'linearizable') return verdict
  }
  return checkHistory(history, Array<string>(ids).fill(''))
}

/** What a history says of one id, as the history of a store that has this id alone. */
function historyOfId(history: readonly Operation[], id: number): Operation[] {
  return history.flatMap((operation): Operation[] => {
    // A list has a name for every id.
    if (operation.kind === 'list') return [{ ...operation, names: [operation.names[id]!] }]
    return operation.id === id ? [{ ...operation, id: 0 }] : []
  })
}

/** @returns the state after an operation, the same object if it is unchanged; undefined if its answer does not fit */
function apply(operation: Operation, state: State): State | undefined {
  if (operation.kind === 'list') return operation.names.every((name, id) => name === state[id]) ? state : undefined
  const changes = (state[operation.id] === '') === (operation.kind === 'create')
  if (operation.changed !== undefined && operation.changed !== changes) return undefined
  return changes ? state.with(operation.id, operation.kind === 'create' ? operation.name : '') : state
}

/** The answered operations that may be the next one, and the earliest answer of those that have no place yet. */
function candidates(
  answered: readonly Operation[],
  configuration: Configuration,
): { indexes: number[]; earliest: number } {
  const indexes: number[] = []
  let earliest = Infinity
  for (let index = configuration.first; index < answered.length; index++) {
    const { call, answer } = answered[index]!
    if (call > earliest) break
    if (isPlaced(configuration, index)) continue
    indexes.push(index)
    earliest = Math.min(earliest, answer)
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
 * Places what fits and changes nothing. No other choice has to be tried for these: in any order that has one of them
 * later, it can be moved here.
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
 * What each operation that may be the next one leads to. The last one is to be tried first. Of several that lead to the
 * same state the one that was answered first is enough: another one can take its place in any order. None breaks the
 * bounds of a name, which is what keeps the search short.
 */
function successors(
  answered: readonly Operation[],
  unanswered: readonly Operation[],
  bounds: ReadonlyMap<string, Bounds>,
  configuration: Configuration,
): Configuration[] {
  const { indexes, earliest } = candidates(answered, configuration)
  const { effective, state } = configuration
  const byState = new Map<string, Configuration>()
  function add(operation: Operation, lead: (next: State) => Configuration): void {
    const next = apply(operation, state)
    if (next === undefined || next === state || operation.kind === 'list') return
    const [old, fresh] = [state[operation.id]!, next[operation.id]!]
    const earlier = fresh === '' ? bounds.get(old)?.until : bounds.get(fresh)?.before
    if (earlier?.some((index) => !isPlaced(configuration, index)) === true) return
    const key = JSON.stringify(next)
    if (!byState.has(key)) byState.set(key, lead(next))
  }
  indexes.sort((a, b) => answered[a]!.answer - answered[b]!.answer)
  for (const index of indexes) add(answered[index]!, (next) => place(configuration, index, next))
  for (const [index, operation] of unanswered.entries()) {
    const bit = 1n << BigInt(index)
    if (operation.call > earliest || (effective & bit) !== 0n) continue
    add(operation, (next) => ({ ...configuration, effective: effective | bit, state: next }))
  }
  return [...byState.values()].reverse()
}

/** Gives all creates whose name no list has the same name, which makes their plants equal. */
function withoutUnseenNames(history: readonly Operation[]): Operation[] {
  const seen = new Set(history.flatMap((operation) => (operation.kind === 'list' ? operation.names : [])))
  return history.map((operation) =>
    operation.kind === 'create' && !seen.has(operation.name) ? { ...operation, name: '(in no list)' } : operation,
  )
}

/** Indexes of answered operations that have their place before a name appears, and before it goes. */
interface Bounds {
  before: number[]
  until: number[]
}

/**
 * The bounds of each name that lists have and that cannot come back, because one plant has it. Such a plant is there
 * from its first list to its last one. So what finds or leaves the place without it, and was answered before that last
 * list was called, is earlier.
 *
 * @param answered the indexes are those of this part of the history
 */
function boundsOfNames(
  history: readonly Operation[],
  answered: readonly Operation[],
  initial: State,
): Map<string, Bounds> {
  const origins = [...initial, ...history.flatMap((operation) => (operation.kind === 'create' ? operation.name : []))]
  const single = new Set(origins.filter((name) => name !== '' && origins.indexOf(name) === origins.lastIndexOf(name)))
  const bounds = new Map<string, Bounds>()
  for (const [id] of initial.entries()) {
    const lists = Map.groupBy(answered.keys(), (index) => nameIn(answered[index]!, id))
    for (const [name, until] of lists) {
      if (name === undefined || !single.has(name)) continue
      const lastCall = Math.max(...until.map((index) => answered[index]!.call))
      const before = [...answered.keys()].filter(
        (index) => answered[index]!.answer < lastCall && isWithout(answered[index]!, id, name),
      )
      bounds.set(name, { before, until })
    }
  }
  return bounds
}

function nameIn(operation: Operation, id: number): string | undefined {
  return operation.kind === 'list' ? operation.names[id] : undefined
}

/** Whether an answer says that at this id there was not the plant with this name, or is none any more. */
function isWithout(operation: Operation, id: number, name: string): boolean {
  if (operation.kind === 'list') return operation.names[id] !== name
  if (operation.id !== id) return false
  return operation.kind === 'delete' || (operation.changed === true && operation.name !== name)
}
