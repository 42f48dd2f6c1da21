import { failure } from '../contract/errors.ts'
import type { Handler, Reply } from '../contract/types.ts'
import type { PlantStore } from '../store/store.ts'
import { storeUnavailable } from './store-unavailable.ts'

export function createPlant(plants: PlantStore): Handler<'createPlant'> {
  return async ({ body: { id, name, tag } }, caller): Promise<Reply<'createPlant'>> => {
    const plant = tag === undefined ? { name } : { name, tag }
    const outcome = await plants.create(caller, { id, ...plant })
    switch (outcome) {
      case 'created':
        return { status: 200, body: plant }
      case 'exists':
        return failure('plant_exists', `you already have a plant with id ${String(id)}`)
      case 'unavailable':
        return storeUnavailable()
    }
  }
}
