// Generated from openapi.yaml sha256:8565e8908b2f915ca089671f557afec005259c76609c0375529d70be65e2a59e by npm run generate. Do not edit.

/** The module of each operation's handler, by operationId. */
export const handlerModules = {
  createPlant: () => import('../src/plants/createPlant.ts'),
  deletePlant: () => import('../src/plants/deletePlant.ts'),
  listPlants: () => import('../src/plants/listPlants.ts'),
} as const
