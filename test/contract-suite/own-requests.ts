import { stringifyJson } from 'fastify-contract/json'
import type { ContractRequest, ReceivedResponse } from 'fastify-contract-cli/suite'
import { newPlant } from '../support/plants.ts'
import type { TestAppOptions } from '../support/server/start-app.ts'

/** A request, which may need the response before it, and the status of its response. */
export type OwnRequest = [status: number, request: ContractRequest | ((last: ReceivedResponse) => ContractRequest)]

const bodyOf = (plant: Parameters<typeof newPlant>[0]) => stringifyJson(newPlant(plant))

/**
 * Requests whose responses depend on stored data, in order. A new operation adds its successes here, and its failures
 * that depend on the store. The suite draws everything else from the contract.
 */
export const requests: OwnRequest[] = [
  [200, { method: 'GET', url: '/plants' }],
  [200, { method: 'POST', url: '/plants', body: bodyOf({ id: 54n, tag: 'b' }) }],
  [409, { method: 'POST', url: '/plants', body: bodyOf({ id: 54n }) }],
  [200, { method: 'GET', url: '/plants' }],
  [204, { method: 'DELETE', url: '/plants/54' }],
  [404, { method: 'DELETE', url: '/plants/54' }],
]

/** Own requests, and the options of the servers that get them: one with a rate limit, and one without. */
interface OwnRun {
  options: TestAppOptions
  requests: OwnRequest[]
}

/** A response that needs an option of the server has an entry of its own. */
export const ownRuns: Record<string, OwnRun> = {
  'no options': { options: {}, requests },
}

/** Stores what the examples of an operation need and no other example creates. */
export const examplesNeed: Partial<Record<string, ContractRequest[]>> = {
  deletePlant: [{ method: 'POST', url: '/plants', body: bodyOf({ id: -(2n ** 63n) }) }],
}
