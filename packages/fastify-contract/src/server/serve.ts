import fastify, { type FastifyInstance } from 'fastify'
import type { Contract } from '../document/contract.ts'
import type { Auth, Chosen, ContractTypes } from '../types/handler-types.ts'
import type { ContractOptions, ServerSettings } from './options.ts'
import { fastifyOptions } from './fastify-options.ts'
import { fastifyContract } from './plugin.ts'

/**
 * Makes a server of a contract, ready to listen.
 *
 * @param contract of `generated/contract.ts`
 * @throws UnservableContract if an operation has no handler or a security scheme no verifier, or `generated/` is stale
 * @example
 * const app = await serve(contract, { handlers, auth: { api_key: (key) => apps.find(key) } })
 * await app.listen({ port: 3000 })
 */
export async function serve<
  const Types extends ContractTypes,
  Verifiers extends Auth<Chosen<Types, NoInfer<Only>>['schemes']>,
  Services extends object = object,
  const Only extends keyof Types['operations'] = keyof Types['operations'],
>(
  contract: Contract<Types>,
  options: ContractOptions<Types, Services, Verifiers, Only> & ServerSettings,
): Promise<FastifyInstance> {
  const app = fastify(fastifyOptions(options))
  await app.register(fastifyContract(contract, options))
  return app
}
