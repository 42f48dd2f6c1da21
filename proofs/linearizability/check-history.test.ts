import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Operation, type State, checkHistory } from './check-history.ts'

function create(from: number, to: number, name: string, changed?: boolean): Operation {
  return { kind: 'create', from, to, id: Number(name[0]), name, changed }
}

function remove(from: number, to: number, id: number, changed?: boolean): Operation {
  return { kind: 'delete', from, to, id, changed }
}

/** A list of a store with the ids 0 and 1. */
function list(from: number, to: number, ...listed: string[]): Operation {
  return { kind: 'list', from, to, names: ['0', '1'].map((id) => listed.find((name) => name[0] === id) ?? '') }
}

test('two lists that see two creates in opposite orders are not linearizable', () => {
  const history = [create(0, 9, '0a', true), create(0, 9, '1a', true), list(1, 8, '0a'), list(1, 8, '1a')]
  expect(checkHistory(history, ['', ''])).toMatchObject({ outcome: 'violated' })
  expect(checkHistory(history.slice(0, 3), ['', ''])).toEqual({ outcome: 'linearizable' })
})

/** Tries every order, with and without the operations that have no response. */
function hasOrder(history: readonly Operation[], state: State): boolean {
  if (history.every(({ to }) => to === Infinity)) return true
  return history.some((operation) => {
    if (history.some(({ to }) => to < operation.from)) return false
    const rest = history.filter((other) => other !== operation)
    if (operation.kind === 'list') return operation.names.join() === state.join() && hasOrder(rest, state)
    const changes = (state[operation.id] === '') === (operation.kind === 'create')
    if (operation.changed !== undefined && operation.changed !== changes) return false
    const name = operation.kind === 'create' ? operation.name : ''
    return hasOrder(rest, changes ? state.with(operation.id, name) : state)
  })
}

interface Step {
  kind: 'create' | 'delete' | 'list'
  id: number
  /** How long before its effect it was called, and how long after it it completed. */
  before: number
  after: number
  hasAnswer: boolean
  /** Without a response, there may have been no effect. */
  isLost: boolean
}

function stepsOf(maxDuration: number, maxLength: number): fc.Arbitrary<Step[]> {
  const step = fc.record({
    kind: fc.constantFrom('create', 'delete', 'list'),
    id: fc.constantFrom(0, 1),
    before: fc.nat(maxDuration),
    after: fc.nat(maxDuration),
    hasAnswer: fc.nat(4).map((chance) => chance > 0),
    isLost: fc.boolean(),
  })
  return fc.array(step, { maxLength, size: 'max' })
}

/** Executes steps in order, each at the time of its index. The history is linearizable. */
function carryOut(steps: Step[], names: number): Operation[] {
  let state: State = ['', '']
  return steps.map(({ kind, id, before, after, hasAnswer, isLost }, index): Operation => {
    const times = { from: index - before, to: index + after }
    if (kind === 'list') return { ...times, kind, names: state }
    const name = String(index % names)
    const changes = (state[id] === '') === (kind === 'create')
    if (changes && (hasAnswer || !isLost)) state = state.with(id, kind === 'create' ? name : '')
    const seen = hasAnswer ? { ...times, changed: changes } : { ...times, to: Infinity, changed: undefined }
    return kind === 'create' ? { ...seen, kind: 'create', id, name } : { ...seen, kind: 'delete', id }
  })
}

test('a sequential store is linearizable', () => {
  fc.assert(
    fc.property(stepsOf(12, 40), fc.constantFrom(3, 40), (steps, names) => {
      expect(checkHistory(carryOut(steps, names), ['', ''])).toEqual({ outcome: 'linearizable' })
    }),
    { numRuns: 300 },
  )
})

test('the search agrees with trying every order', () => {
  const counts = { linearizable: 0, violated: 0, undecided: 0 }
  const changed = fc.record({ at: fc.nat(6), names: fc.tuple(fc.constantFrom('', '0', '1'), fc.constantFrom('', '0')) })
  fc.assert(
    fc.property(stepsOf(4, 7), fc.constantFrom(2, 7), changed, (steps, count, { at, names }) => {
      const history = carryOut(steps, count).map((operation, index): Operation => {
        if (index !== at || operation.to === Infinity) return operation
        return operation.kind === 'list' ? { ...operation, names } : { ...operation, changed: !operation.changed }
      })
      const { outcome } = checkHistory(history, ['', ''])
      counts[outcome]++
      expect(outcome).toBe(hasOrder(history, ['', '']) ? 'linearizable' : 'violated')
    }),
    { numRuns: 1_000 },
  )
  expect(counts.linearizable).toBeGreaterThan(150)
  expect(counts.violated).toBeGreaterThan(150)
})

test('a search that takes too long is undecided', () => {
  const crowd = Array.from({ length: 4 }, (_, index) => [
    create(index, 100 + index, `0${String(index)}`, true),
    remove(index, 100 + index, 0, true),
    create(index, Infinity, `1${String(index)}`),
    remove(index, Infinity, 1),
    list(0, 100, `0${String(index)}`, `1${String(index)}`),
  ]).flat()
  expect(checkHistory([...crowd, list(200, 201)], ['', ''])).toEqual({ outcome: 'linearizable' })
  expect(checkHistory([...crowd, list(200, 201, '03')], ['', ''])).toMatchObject({ outcome: 'violated' })
  expect(checkHistory([...crowd, list(200, 201)], ['', ''], 10)).toEqual({ outcome: 'undecided' })
})
