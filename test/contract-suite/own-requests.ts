import type { ContractRequest } from 'fastify-contract-cli/suite'
import { stringifyJson } from 'fastify-contract/json'
import { newPlant } from '../support/plants.ts'

const bodyOf = (plant: Parameters<typeof newPlant>[0]) => stringifyJson(newPlant(plant))

/**
 * Requests whose responses depend on stored data, in order, each with its status. The suite sends them with and without
 * a rate limit. It draws everything else from the contract. A new operation adds its successes here, and
 * its failures that depend on the store.
 */
export const ownRequests: [status: number, request: ContractRequest][] = [
  [200, { method: 'GET', url: '/plants' }],
  [200, { method: 'POST', url: '/plants', body: bodyOf({ id: 54n, tag: 'b' }) }],
  [409, { method: 'POST', url: '/plants', body: bodyOf({ id: 54n }) }],
  [200, { method: 'GET', url: '/plants' }],
  [204, { method: 'DELETE', url: '/plants/54' }],
  [404, { method: 'DELETE', url: '/plants/54' }],
]

/** Stores what the examples of an operation need and no other example creates. */
export const examplesNeed: Partial<Record<string, ContractRequest[]>> = {
  deletePlant: [{ method: 'POST', url: '/plants', body: bodyOf({ id: -(2n ** 63n) }) }],
}
