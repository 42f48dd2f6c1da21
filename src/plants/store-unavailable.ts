import { type Unavailable, unavailable } from '../../packages/fastify-contract/src/server/refusal.ts'

/** The reply when the store cannot be read or written now. */
export function storeUnavailable(): Unavailable {
  return unavailable('the store is not available now; try again in a second')
}
