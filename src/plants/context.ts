import type { Caller } from '../contract/types.ts'
import type { PlantStore } from '../store/store.ts'

/** What each handler receives besides the request. */
export interface PlantContext {
  caller: Caller
  plants: PlantStore
}
