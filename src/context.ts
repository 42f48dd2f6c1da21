import type { Caller } from 'fastify-contract'
import type { PlantStore, Store } from './store/store.ts'

/** Services shared by all handlers. */
interface Services {
  plants: PlantStore
}

/** What a handler receives besides the request. */
export interface HandlerContext extends Services {
  caller: Caller
}

/** Creates the services of a server. */
export function createServices(store: Store): Services {
  return { plants: store }
}
