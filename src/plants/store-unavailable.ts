import { type Failure, failure } from '../contract/errors.ts'

/** The reply when the store cannot be read or written now. */
export function storeUnavailable(): Failure<'unavailable', { 'Retry-After': number }> {
  return failure('unavailable', 'the store is not available now; try again in a second', { 'Retry-After': 1 })
}
