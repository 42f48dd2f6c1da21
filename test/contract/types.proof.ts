/**
 * Type errors that the service's own bindings must cause. `npm run typecheck` checks them; nothing runs this file. A
 * `@ts-expect-error` is an error if the next line compiles. The valid twin beside each shows that only the named fault is
 * refused.
 */
import type { OperationId, Reply } from '../../generated/contract.ts'
import { failure } from '../../src/failures.ts'

// A failure whose status the operation does not declare.
export const exists = (): Reply<'createPlant'> => failure('plant_exists', '')
// @ts-expect-error -- deletePlant does not declare 409
export const existsInDelete = (): Reply<'deletePlant'> => failure('plant_exists', '')
// @ts-expect-error -- no operation declares 405
export const notAllowed = (): Reply<OperationId> => failure('method_not_allowed', '')

// A failure's headers and name.
export const retry = (): Reply<'listPlants'> => failure('unavailable', '', { 'Retry-After': 1 })
// @ts-expect-error -- 503 has Retry-After
export const noRetry = (): Reply<'listPlants'> => failure('unavailable', '')
// @ts-expect-error -- 503 has Retry-After, not Location
export const retryElsewhere = (): Reply<'listPlants'> => failure('unavailable', '', { Location: '/plants' })
// @ts-expect-error -- the contract has no such failure
export const unknownFailure = (): Reply<'createPlant'> => failure('plant_wilted', '')
