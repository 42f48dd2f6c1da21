import type { Input, Reply } from '../contract.ts'
import type { HandlerContext } from '../context.ts'
import { failure, storeUnavailable } from '../failures.ts'

export async function deletePlant(
  { path: { id } }: Input<'deletePlant'>,
  { caller, plants }: HandlerContext,
): Promise<Reply<'deletePlant'>> {
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
