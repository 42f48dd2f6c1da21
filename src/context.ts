import type { Caller } from 'fastify-contract'
import type { PlantStore, Store } from './store/store.ts'

/** What the handlers work with, whoever calls. */
interface Services {
  plants: PlantStore
}

/** What each handler receives besides the request. */
export interface HandlerContext extends Services {
  caller: Caller
}

/** Makes what the handlers work with, once for each server. */
export function createServices(store: Store): Services {
  return { plants: store }
}
