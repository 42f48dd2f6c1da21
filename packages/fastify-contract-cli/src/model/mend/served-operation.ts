import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import type { Draft } from '../yaml/node.ts'

/** An operation of `paths`. */
export interface ServedOperation {
  object: Draft
  method: string
  path: string
  /** Names it in messages. */
  route: string
}

/** A verb for the operations of `paths`: webhooks and callbacks, which the server calls, only document. */
export function mendServed(mend: (operation: ServedOperation, mending: Mending) => void) {
  return ({ object, name: method, within: path, role }: ContractObject, mending: Mending): void => {
    if (role === 'served') mend({ object, method, path, route: `${method.toUpperCase()} ${path}` }, mending)
  }
}
