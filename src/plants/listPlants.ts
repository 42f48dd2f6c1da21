import type { Input, Reply } from '../contract.ts'
import type { HandlerContext } from '../context.ts'
import { storeUnavailable } from '../failures.ts'

export async function listPlants(
  { query: { limit } }: Input<'listPlants'>,
  { caller, plants }: HandlerContext,
): Promise<Reply<'listPlants'>> {
  const body = await plants.list(caller, limit)
  return body === 'unavailable' ? storeUnavailable() : { status: 200, body }
}
