// Generated from openapi.yaml sha256:a4473c0bb108a0a15ee15dfc2c7b26842c6ba5a091548e9cecbe56fc3514aaeb by npm run generate. Do not edit.

/** The module of each operation's handler, by operationId. */
export const handlerModules = {
  createPlant: () => import('../src/plants/createPlant.ts'),
  deletePlant: () => import('../src/plants/deletePlant.ts'),
  listPlants: () => import('../src/plants/listPlants.ts'),
} as const
