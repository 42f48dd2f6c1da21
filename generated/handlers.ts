// Generated from openapi.yaml sha256:0e68991eeb142bea13522346f2b68c364c7346c49463164c9e377a7c67bbaeb1 by npm run generate. Do not edit.

/** The module of each operation's handler, by operationId. */
export const handlerModules = {
  createPlant: () => import('../src/plants/createPlant.ts'),
  deletePlant: () => import('../src/plants/deletePlant.ts'),
  listPlants: () => import('../src/plants/listPlants.ts'),
} as const
