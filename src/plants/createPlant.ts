import type { Input, Reply } from '../../generated/contract.ts'
import { type HandlerContext, callerOf } from '../context.ts'
import { failure, storeUnavailable } from '../failures.ts'
import { type StoredPlant, plantOf } from './plant.ts'

export async function createPlant(
  { body }: Input<'createPlant'>,
  { auth, plants }: HandlerContext,
): Promise<Reply<'createPlant'>> {
  const plant: StoredPlant = body
  const outcome = await plants.create(callerOf(auth), plant)
  switch (outcome) {
    case 'created':
      return { status: 200, body: plantOf(plant) }
    case 'exists':
      return failure('plant_exists', `you already have a plant with id ${String(plant.id)}`)
    case 'unavailable':
      return storeUnavailable()
  }
}
