import type { AuthByKind, Found } from 'fastify-contract'
import type { Handlers, Types } from '../generated/contract.ts'
import type { FoundCaller } from './auth/verifiers.ts'
import type { HandlerContext } from './context.ts'
import { createPlant } from './plants/createPlant.ts'
import { deletePlant } from './plants/deletePlant.ts'
import { listPlants } from './plants/listPlants.ts'

/** The handler of each operation. The compiler rejects a missing or extra handler, and one that breaks the contract. */
export const handlers: Handlers<Omit<HandlerContext, 'auth'>, Found<AuthByKind<Types, FoundCaller>>> = {
  createPlant,
  deletePlant,
  listPlants,
}
