// Generated from openapi.yaml sha256:8565e8908b2f915ca089671f557afec005259c76609c0375529d70be65e2a59e by npm run generate. Do not edit.

/** How an operation is called, and by status where its reply has an int64, or null where it has no body. */
export interface ClientOperation {
  method: string
  path: string
  replies: Record<number, string[][] | null>
}

/** The operations of the contract, by operationId. */
export const clientOperations = {
  createPlant: { method: 'POST', path: "/plants", replies: { 200: [], 400: [], 401: [], 408: [], 409: [], 413: [], 415: [], 429: [], 431: [], 500: [], 503: [] } },
  deletePlant: { method: 'DELETE', path: "/plants/{id}", replies: { 204: null, 400: [], 401: [], 404: [], 408: [], 429: [], 431: [], 500: [], 503: [] } },
  listPlants: { method: 'GET', path: "/plants", replies: { 200: [], 400: [], 401: [], 408: [], 429: [], 431: [], 500: [], 503: [] } },
} satisfies Record<string, ClientOperation>
