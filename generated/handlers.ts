// Generated from openapi.yaml sha256:6e3034885d40e9072db3e2191d62900d1f9369c7d8f17eb1e6001ed2237a0c90 by npm run generate. Do not edit.

/** The module of each operation's handler, by operationId. */
export const handlerModules = {
  createPlant: () => import('../src/plants/createPlant.ts'),
  deletePlant: () => import('../src/plants/deletePlant.ts'),
  listPlants: () => import('../src/plants/listPlants.ts'),
} as const
