import { failure } from '../contract.ts'

/** The reply when the store cannot be read or written now; the request could succeed in a second. */
export function storeUnavailable() {
  return failure('unavailable', 'the store is not available now; try again in a second', { 'Retry-After': 1 })
}
