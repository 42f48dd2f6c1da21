import { type Kind, kinds } from './contract.ts'

/** A record. Every server answers with the same bytes, so the ids fit a double. */
export function recordOf(kind: Kind, index: number): object {
  const name = `Monstera deliciosa ${String(index)}`
  const active = index % 2 === 0
  if (kind === 'oneOf' && active)
    return { kind: 'card', number: '4111 1111 1111 1111', name, month: 4, year: 2028, active }
  if (kind === 'oneOf')
    return { kind: 'transfer', account: 'DE02120300000000202051', name, bank: 'DKB', amount: 12.5, active }
  const id = kind === 'int64' ? 9_007_199_254_740_900 + index : index
  return { id, name, email: `owner.${String(index)}@example.com`, age: 20 + (index % 50), active, role: 'member' }
}

export const listedRecords = 20
const largeRecords = 265

/** The body of a create. */
export function bodyOf(kind: Kind): object {
  const records = Array.from({ length: largeRecords }, (_, index) => recordOf('plain', index))
  return kind === 'large' ? { records } : recordOf(kind, 0)
}

/** A limit as it was sent, or as a number. */
export type Limit = number | string | undefined

/** What every server does: it lists records that are in memory, and returns what is created. */
export function makeRecords(kind: Kind, change: (record: object) => object = (record) => record) {
  const records = Array.from({ length: listedRecords }, (_, index) => change(recordOf(kind, index)))
  return {
    list: (limit: Limit) => (limit === undefined ? records : records.slice(0, Number(limit))),
    create: (body: unknown) => (kind === 'large' ? { count: (body as { records: unknown[] }).records.length } : body),
  }
}

export type Handler = (input: never) => unknown

/** Names what lists and what creates each kind, by the operationId. */
export function byOperation<Made>(make: (kind: Kind) => { list: Made; create: Made }): Record<string, Made> {
  const handlers: Record<string, Made> = {}
  for (const kind of kinds) {
    const { list, create } = make(kind)
    handlers[`list_${kind}`] = list
    handlers[`create_${kind}`] = create
  }
  return handlers
}
