import {
  type ClientOptions,
  type Client as ContractClient,
  createClient as createContractClient,
} from 'fastify-contract/client'
import * as contract from '../generated/client.ts'
import type { operations } from '../generated/openapi.ts'

export { UndeclaredReply } from 'fastify-contract/client'
export type Client = ContractClient<operations>

/** Creates a client of the Plant Store. */
export function createClient(options: ClientOptions<typeof contract>): Client {
  return createContractClient<operations, typeof contract>(contract, options)
}
