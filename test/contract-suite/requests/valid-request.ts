import fc from 'fast-check'
import type { ContractOperation } from '../../../packages/fastify-contract/src/document/document.ts'
import { expectedErrors, expectedOperations } from '../../support/responses/expected-contract.ts'
import type { ContractRequest } from '../contract-client.ts'
import { requestOf } from './request-arbitrary.ts'

/** A request that the contract allows, always the same one. */
export function validRequest(operation: ContractOperation): ContractRequest {
  const [drawn] = fc.sample(requestOf(operation), { seed: 1, numRuns: 1 })
  // One run was asked for.
  return drawn!.request
}

/**
 * Finds the first operation that has a property.
 *
 * @param wanted what it must be able to do, for the message
 * @throws Error when the contract has no such operation
 */
function firstOperation(wanted: string, has: (operation: ContractOperation) => boolean): ContractOperation {
  const found = expectedOperations.find(has)
  if (found === undefined) throw new Error(`the contract suite needs an operation that ${wanted}`)
  return found
}

/** The operations on which the suite tries what concerns all of them alike. */
export const carriers = {
  get: firstOperation('is a GET without required parameters', ({ method, parameters }) => {
    return method === 'get' && parameters.every(({ required }) => required !== true)
  }),
  body: firstOperation('is a POST with a body', ({ method, object }) => {
    return method === 'post' && object.requestBody !== undefined
  }),
  path: firstOperation('is a DELETE with a parameter in its path', ({ method, path }) => {
    return method === 'delete' && path.includes('{')
  }),
}

/** The status of an operation's success. @throws Error when the contract declares none */
export function successOf({ id, object }: ContractOperation): number {
  const status = Object.keys(object.responses).find((declared) => /^2\d\d$/.test(declared))
  if (status === undefined) throw new Error(`operation ${id} declares no success`)
  return Number(status)
}

/** The error numbers that an allowed request can be refused with, because of what the store has or lacks. */
export const numbersOfState: readonly unknown[] = [...expectedErrors]
  .filter(([name, number = 0]) => [404, 409].includes(Math.floor(number / 100)) && name !== 'path_not_found')
  .map(([, number]) => number)
