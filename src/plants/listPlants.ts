import type { Input, Reply } from '../../generated/contract.ts'
import { type HandlerContext, callerOf } from '../context.ts'
import { storeUnavailable } from '../failures.ts'

export async function listPlants(
  { query: { limit } }: Input<'listPlants'>,
  { auth, plants }: HandlerContext,
): Promise<Reply<'listPlants'>> {
  const body = await plants.list(callerOf(auth), limit)
  return body === 'unavailable' ? storeUnavailable() : { status: 200, body }
}
