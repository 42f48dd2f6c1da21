// Generated from openapi.yaml sha256:ded93098e567999970ee49b7f80cdf61772aa73c535d3de8626cda13238df45e by npm run generate. Do not edit.

/** The module of each operation's handler, by operationId. */
export const handlerModules = {
  createPlant: () => import('../src/plants/createPlant.ts'),
  deletePlant: () => import('../src/plants/deletePlant.ts'),
  listPlants: () => import('../src/plants/listPlants.ts'),
} as const
