import { type Exchange, type Question } from '../lab/clients.ts'
import type { Random } from '../lab/random.ts'
import type { Operation, State } from './check-history.ts'

/** How many ids the clients use, from 0 on. */
export const ids = 4

/** What a client asks for. The name of a plant begins with its id, which the contract's lists do not tell. */
export type Work = { kind: 'create'; id: number; name: string } | { kind: 'delete'; id: number } | { kind: 'list' }

let names = 0

/** Most often one that changes something. */
export function drawWork({ below, one }: Random): Work {
  const id = below(ids)
  const kind = one(['create', 'create', 'delete', 'list', 'list'] as const)
  return kind === 'create' ? { kind, id, name: `${String(id)}.${String(++names)}` } : { kind, id }
}

export function questionOf(work: Work): Question {
  switch (work.kind) {
    case 'create':
      return { method: 'POST', path: '/plants', body: JSON.stringify({ id: work.id, name: work.name }) }
    case 'delete':
      return { method: 'DELETE', path: `/plants/${String(work.id)}` }
    case 'list':
      // So short a list is one snapshot.
      return { method: 'GET', path: `/plants?limit=${String(ids)}` }
  }
}

/** The status of each operation that did what was asked. */
export const successes = { create: 200, delete: 204, list: 200 } as const
const refusals = { create: 409, delete: 404, list: undefined } as const

/**
 * What an exchange says of the plants.
 *
 * @returns undefined for what can have changed nothing and has read nothing
 * @throws Error when the response is none that may be
 */
export function operationOf(
  work: Work,
  { from, to, status, text }: Exchange & { text: string },
): Operation | undefined {
  if (status === 401) return undefined
  // The store says of `unavailable` that a write may have succeeded if a connection to the database was lost.
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
