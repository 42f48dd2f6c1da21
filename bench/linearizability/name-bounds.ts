import type { Operation, State } from './operation.ts'

/** Indexes of answered operations that have their place before a name appears, and before it goes. */
export interface Bounds {
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
export function boundsOfNames(
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
