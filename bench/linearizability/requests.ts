import { randomBytes, randomInt } from 'node:crypto'
import type { Operation, State } from './check-history.ts'
import type { Exchange } from './link.ts'

/** How many ids the clients use, from 0 on. */
export const ids = 4

/** What a client asks for. The name of a plant begins with its id, which the contract's lists do not tell. */
export type Work = { kind: 'create'; id: number; name: string } | { kind: 'delete'; id: number } | { kind: 'list' }

/** Most often one that changes something. */
export function randomWork(): Work {
  const id = randomInt(ids)
  const kind = (['create', 'create', 'delete', 'list', 'list'] as const)[randomInt(5)]!
  switch (kind) {
    case 'create':
      return { kind, id, name: `${String(id)}.${randomBytes(6).toString('hex')}` }
    case 'delete':
      return { kind, id }
    case 'list':
      return { kind }
  }
}

/** The request in HTTP/1.1, with what may be asked of one connection before its answer. */
export function requestOf(work: Work, token: string): string {
  const common = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  switch (work.kind) {
    case 'create': {
      const body = JSON.stringify({ id: work.id, name: work.name })
      const content = `Content-Type: application/json\r\nContent-Length: ${String(body.length)}`
      return `POST /plants ${common}${content}\r\n\r\n${body}`
    }
    case 'delete':
      return `DELETE /plants/${String(work.id)} ${common}\r\n`
    case 'list':
      // So short a list is one snapshot.
      return `GET /plants?limit=${String(ids)} ${common}\r\n`
  }
}

/** The status of each operation that did what was asked. */
export const successes = { create: 200, delete: 204, list: 200 } as const
const refusals = { create: 409, delete: 404, list: undefined } as const

/**
 * What an exchange says of the plants.
 *
 * @returns undefined for what can have changed nothing and has read nothing
 * @throws Error when the answer is none that may be
 */
export function operationOf(work: Work, { call, answer, status, body }: Exchange): Operation | undefined {
  if (status === 401) return undefined
  // The store says of `unavailable` that a write may have succeeded if a connection to the database was lost.
  const isUnclear = status === undefined || status === 503
  if (!isUnclear && status !== successes[work.kind] && status !== refusals[work.kind])
    throw new Error(`a ${work.kind} was answered ${String(status)}: ${body}`)
  if (work.kind === 'list') return isUnclear ? undefined : { kind: 'list', call, answer, names: namesIn(body) }
  return isUnclear
    ? { ...work, call, answer: Infinity, changed: undefined }
    : { ...work, call, answer, changed: status === successes[work.kind] }
}

function namesIn(body: string): State {
  // The contract's list.
  const listed = (JSON.parse(body) as { name: string }[]).map(({ name }) => name)
  const names = Array.from({ length: ids }, (_, id) => listed.find((name) => name.startsWith(`${String(id)}.`)) ?? '')
  const expected = names.filter((name) => name !== '')
  if (listed.join() !== expected.join()) throw new Error(`a list is not in order, or has an id twice: ${body}`)
  return names
}
