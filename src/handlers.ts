import type { Handlers } from './contract.ts'
import type { HandlerContext } from './context.ts'
import { createPlant } from './plants/createPlant.ts'
import { deletePlant } from './plants/deletePlant.ts'
import { listPlants } from './plants/listPlants.ts'

/** The handler of each operation. The compiler rejects a missing or extra handler, and one that breaks the contract. */
export const handlers: Handlers<HandlerContext> = { createPlant, deletePlant, listPlants }
