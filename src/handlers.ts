import type { Handlers } from './contract.ts'
import type { HandlerContext } from './context.ts'
import { createPlant } from './plants/createPlant.ts'
import { deletePlant } from './plants/deletePlant.ts'
import { listPlants } from './plants/listPlants.ts'

/**
 * The handler of each operation. This compiles only if no operation lacks a handler, no handler lacks an operation, and
 * each handler has the type that the contract gives it.
 */
export const handlers: Handlers<HandlerContext> = { createPlant, deletePlant, listPlants }
