import type { Caller } from 'fastify-contract'
import type { PlantStore } from './store/store.ts'

/** What a handler receives besides the request. */
export interface HandlerContext {
  caller: Caller
  plants: PlantStore
}
