import { type Input, type Reply, failure, storeUnavailable } from '../contract.ts'
import type { HandlerContext } from '../context.ts'

export async function createPlant(
  { body: { id, name, tag } }: Input<'createPlant'>,
  { caller, plants }: HandlerContext,
): Promise<Reply<'createPlant'>> {
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
