import { failure } from '../contract/errors.ts'
import type { Handler, Reply } from '../contract/types.ts'
import type { PlantStore } from '../store/store.ts'
import { storeUnavailable } from './store-unavailable.ts'

export function deletePlant(plants: PlantStore): Handler<'deletePlant'> {
  return async ({ path: { id } }, caller): Promise<Reply<'deletePlant'>> => {
    const outcome = await plants.delete(caller, id)
    switch (outcome) {
      case 'deleted':
        return { status: 204 }
      case 'absent':
        return failure('plant_not_found', `you have no plant with id ${String(id)}`)
      case 'unavailable':
        return storeUnavailable()
    }
  }
}
