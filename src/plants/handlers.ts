import type { Handlers } from '../contract/types.ts'
import type { PlantContext } from './context.ts'
import { createPlant } from './createPlant.ts'
import { deletePlant } from './deletePlant.ts'
import { listPlants } from './listPlants.ts'

/**
 * The handler of each operation. This compiles only if no operation lacks a handler, no handler lacks an operation, and
 * each handler has the type that the contract gives it.
 */
export const handlers: Handlers<PlantContext> = { createPlant, deletePlant, listPlants }
