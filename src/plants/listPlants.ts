import type { Handler, Reply } from '../contract/types.ts'
import type { PlantStore } from '../store/store.ts'
import { storeUnavailable } from './store-unavailable.ts'

export function listPlants(plants: PlantStore): Handler<'listPlants'> {
  return async ({ query: { limit } }, caller): Promise<Reply<'listPlants'>> => {
    const body = await plants.list(caller, limit)
    return body === 'unavailable' ? storeUnavailable() : { status: 200, body }
  }
}
