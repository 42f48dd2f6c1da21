import type { Input, Reply } from '../../generated/contract.ts'
import { type HandlerContext, callerOf } from '../context.ts'
import { failure, storeUnavailable } from '../failures.ts'

export async function deletePlant(
  { path: { id } }: Input<'deletePlant'>,
  { auth, plants }: HandlerContext,
): Promise<Reply<'deletePlant'>> {
  const outcome = await plants.delete(callerOf(auth), id)
  switch (outcome) {
    case 'deleted':
      return { status: 204 }
    case 'absent':
      return failure('plant_not_found', `you have no plant with id ${String(id)}`)
    case 'unavailable':
      return storeUnavailable()
  }
}
