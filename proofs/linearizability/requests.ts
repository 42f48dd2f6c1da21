import { type Exchange, type Question, create, list, remove } from '../../test/support/client/ask.ts'
import type { Random } from '../../test/support/random.ts'
import type { Operation, State } from './check-history.ts'

/** How many ids the clients use, from 0 on. */
export const ids = 4

/** A client's request. The name of a plant starts with its id, because lists do not return ids. */
export type Work = { kind: 'create'; id: number; name: string } | { kind: 'delete'; id: number } | { kind: 'list' }

let names = 0

/** Draws a request, most often a change. */
export function drawWork({ below, one }: Random): Work {
  const id = below(ids)
  const kind = one(['create', 'create', 'delete', 'list', 'list'] as const)
  return kind === 'create' ? { kind, id, name: `${String(id)}.${String(++names)}` } : { kind, id }
}

export function questionOf(work: Work): Question {
  switch (work.kind) {
    case 'create':
      return create(work.id, work.name)
    case 'delete':
      return remove(work.id)
    case 'list':
      // A list this short is one snapshot.
      return list(ids)
  }
}

/** The status of each successful operation. */
export const successes = { create: 200, delete: 204, list: 200 } as const
const refusals = { create: 409, delete: 404, list: undefined } as const

/**
 * Converts an exchange to an operation of the history.
 *
 * @returns undefined if it can have changed nothing and has read nothing
 * @throws Error when the response is not allowed
 */
export function operationOf(
  work: Work,
  { from, to, status, text }: Exchange & { text: string },
): Operation | undefined {
  if (status === 401) return undefined
  // After `unavailable`, a write may still have succeeded if a connection was lost.
  const isUnclear = status === 0 || status === 503
  if (!isUnclear && status !== successes[work.kind] && status !== refusals[work.kind])
    throw new Error(`a ${work.kind} got ${String(status)}: ${text}`)
  if (work.kind === 'list') return isUnclear ? undefined : { kind: 'list', from, to, names: namesIn(text) }
  return isUnclear
    ? { ...work, from, to: Infinity, changed: undefined }
    : { ...work, from, to, changed: status === successes[work.kind] }
}

function namesIn(text: string): State {
  // The contract's list.
  const listed = (JSON.parse(text) as { name: string }[]).map(({ name }) => name)
  const names = Array.from({ length: ids }, (_, id) => listed.find((name) => name.startsWith(`${String(id)}.`)) ?? '')
  const expected = names.filter((name) => name !== '')
  if (listed.join() !== expected.join()) throw new Error(`a list is not in order, or has an id twice: ${text}`)
  return names
}
