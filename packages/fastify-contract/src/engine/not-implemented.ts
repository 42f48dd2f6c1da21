import type { Contract } from '../document/contract.ts'
import type { AnyHandler } from './openapi-backend.ts'
import { Refusal } from './refusal.ts'

// npm may install several copies of the library: that of the service may not be that of the command.
const markKey = Symbol.for('fastify-contract.notImplemented')
const standInKey = Symbol.for('fastify-contract.standIn')

/** A handler that is still to be written. It answers 501 in the form of the contract. */
export function notImplemented(): never {
  throw new Refusal('not_implemented', 'the operation is not implemented')
}
Object.defineProperty(notImplemented, markKey, { value: true })

/** Handlers by the names of operations. On its own, a table with an operation `then` would be awaited as a promise. */
interface Table<Handlers extends object> {
  handlers: Handlers
}

/**
 * Makes handlers for operations whose handler is `notImplemented`.
 *
 * @returns handlers; one that is missing stays `notImplemented`
 */
export type StandIn = (
  contract: Contract,
  ids: readonly string[],
) => Promise<Table<Readonly<Record<string, AnyHandler>>>>

/** Has other handlers stand in for `notImplemented` in each server that this process makes from now on. */
export function standInForNotImplemented(standIn: StandIn): void {
  Object.defineProperty(globalThis, standInKey, { value: standIn, configurable: true })
}

/** The handlers of a service, with those that stand in for `notImplemented`, if there are any. */
export async function withStandIns(contract: Contract, handlers: object): Promise<Table<object>> {
  // Nothing else defines it.
  const { [standInKey]: standIn }: typeof globalThis & { [standInKey]?: StandIn } = globalThis
  const ids = Object.entries(handlers).flatMap(([id, handler]: [string, unknown]) =>
    typeof handler === 'function' && markKey in handler ? id : [],
  )
  if (standIn === undefined || ids.length === 0) return { handlers }
  const standIns = Object.entries((await standIn(contract, ids)).handlers)
  return { handlers: { ...handlers, ...Object.fromEntries(standIns.filter(([id]) => ids.includes(id))) } }
}
